import Streams

/// Why a stream of bytes could not be cut into lines or frames.
public enum FramingError<Source: Error>: Error {
  /// The stream itself has failed.
  case source(Source)
  /// A line or frame is longer than `limit` bytes. What came before it has been delivered.
  case tooLong(limit: Int)
  /// The stream has ended in the middle of a frame, of which `count` bytes have come.
  case incomplete(count: Int)
}

extension FramingError: Equatable where Source: Equatable {}
extension FramingError: Hashable where Source: Hashable {}

extension FramingError: CustomStringConvertible {
  /// What has happened.
  public var description: String {
    switch self {
    case .source(let error): "\(error)"
    case .tooLong(let limit): "A line or frame is longer than the limit of \(limit) bytes."
    case .incomplete(let count): "The stream has ended after \(count) bytes of a frame."
    }
  }
}

/// Finds the frames in a stream of bytes, which comes in pieces of any size.
protocol FrameParser {
  associatedtype Frame

  /// Takes the next frame from the front of `input`, or all of it where no frame is complete.
  mutating func next(_ input: inout Bytes) throws(FramingError<Never>) -> Frame?

  /// What is left at the end of the stream.
  mutating func finish() throws(FramingError<Never>) -> Frame?
}

extension StreamProtocol where Element == Bytes {
  func framed<Parser: FrameParser>(
    _ parser: @escaping () -> Parser
  ) -> Operation<Parser.Frame, FramingError<Failure>> {
    .unguarded { observer in
      let framer = Framer<Parser, Failure>(parser(), observer)
      framer.start(self)
      return framer
    }
  }
}

/// One subscription to frames. Holds what it has not delivered of one element while its observer is paused.
private final class Framer<Parser: FrameParser, Failure: Error>: Disposable {
  private let observer: Observer<Parser.Frame, FramingError<Failure>>
  private let link: Link
  private var parser: Parser
  private var rest = Bytes()
  /// The source has completed, and what is left has not been delivered.
  private var hasEnded = false
  private var isDelivering = false

  init(_ parser: Parser, _ observer: Observer<Parser.Frame, FramingError<Failure>>) {
    self.parser = parser
    self.observer = observer
    link = Link(downstream: observer.gate)
  }

  func start(_ source: some StreamProtocol<Bytes, Failure>) {
    if observer.isPaused { link.pause() }
    link.attach(
      source.subscribe(
        Observer(
          gate: link, next: { [self] in receive($0) },
          termination: { [self] end in
            if let failure = end.failure { return fail(.source(failure)) }
            hasEnded = true
            deliver(evenIfPaused: false)
          })))
  }

  private func receive(_ bytes: Bytes) {
    // A source that cannot wait: what it sends is delivered.
    if !rest.isEmpty { deliver(evenIfPaused: true) }
    rest = bytes
    deliver(evenIfPaused: false)
  }

  private func deliver(evenIfPaused: Bool) {
    if isDelivering { return }
    isDelivering = true
    defer { isDelivering = false }
    do throws(FramingError<Never>) {
      while !observer.isDisposed, evenIfPaused || !observer.isPaused {
        if !rest.isEmpty {
          if let frame = try parser.next(&rest) { observer.next(frame) }
        } else if hasEnded {
          hasEnded = false
          let last = try parser.finish()
          link.dispose()
          if let last { observer.next(last) }
          if !observer.isDisposed { observer.completed() }
          return
        } else {
          return
        }
      }
    } catch {
      switch error {
      case .tooLong(let limit): fail(.tooLong(limit: limit))
      case .incomplete(let count): fail(.incomplete(count: count))
      }
    }
  }

  private func fail(_ error: FramingError<Failure>) {
    dispose()
    observer.failed(error)
  }

  var isDisposed: Bool { link.isDisposed }

  func dispose() {
    link.dispose()
    rest = Bytes()
    hasEnded = false
  }

  func pause() { link.pause() }

  func resume() {
    deliver(evenIfPaused: false)
    if !observer.isPaused { link.resume() }
  }
}
