import Streams

/// The reason why a stream of bytes could not be cut into lines or frames.
public enum FramingError<Source: Error>: Error {
  /// The stream itself has failed.
  case source(Source)
  /// A line or frame is longer than `limit` bytes. The ones before it have been delivered.
  case tooLong(limit: Int)
  /// The stream ended in the middle of a frame, after `count` bytes of it.
  case incomplete(count: Int)
}

extension FramingError: PossibleCancellation {
  package var isCancellation: Bool { if case .source(let error) = self { error.isCancellation } else { false } }
}

extension FramingError: Equatable where Source: Equatable {}
extension FramingError: Hashable where Source: Hashable {}

extension FramingError: CustomStringConvertible {
  /// A sentence that describes the error.
  public var description: String {
    switch self {
    case .source(let error): "\(error)"
    case .tooLong(let limit): "A line or frame is longer than the limit of \(limit) bytes."
    case .incomplete(let count): "The stream has ended after \(count) bytes of a frame."
    }
  }
}

/// Finds the frames in a stream of bytes, whose pieces may have any size.
protocol FrameParser {
  associatedtype Frame

  /// Takes the next frame from the front of `input`. If no frame is complete, takes all of `input` and returns nil.
  mutating func next(_ input: inout Bytes) throws(FramingError<Never>) -> Frame?

  /// Returns what is left at the end of the stream. Called until it returns nil.
  mutating func finish() throws(FramingError<Never>) -> Frame?
}

extension StreamProtocol where Element == Bytes {
  func framed<Parser: FrameParser>(
    _ parser: @escaping () -> Parser, name: StaticString? = #function
  ) -> Operation<Parser.Frame, FramingError<Failure>> {
    .unguarded(name: name) { observer in
      let framer = Framer<Parser, Failure>(parser(), observer)
      framer.start(self)
      return framer.exit
    }
  }
}

/// One subscription to frames. While its observer is paused, it holds the rest of one element.
///
/// The observer may pause and resume inside a delivery, and the source may send at once in response. While a frame is
/// being delivered, no other frame is delivered and the source is not resumed. The delivery under way checks again
/// afterwards.
private final class Framer<Parser: FrameParser, Failure: Error>: OperatorState {
  let exit: SerializedSubscription<Parser.Frame, FramingError<Failure>>
  private let link: Subscription
  private var parser: Parser
  /// The part of the current element that has not been delivered.
  private var rest = Bytes()
  /// Elements that came since: from sources that cannot wait, and from sources that were sent to inside a delivery.
  private var waiting: ArraySlice<Bytes> = []
  /// The end of the source, if it has not been delivered.
  private var end: Termination<Failure>?
  private var isDelivering = false

  init(_ parser: Parser, _ observer: Observer<Parser.Frame, FramingError<Failure>>) {
    self.parser = parser
    exit = SerializedSubscription(observer)
    link = Subscription(downstream: exit)
    exit.attach(self)
  }

  func start(_ source: some StreamProtocol<Bytes, Failure>) {
    if exit.isPaused { link.pause() }
    link.attach(
      source.subscribe(
        Observer(
          for: link, next: { [self] in receive($0) },
          termination: { [self] in
            end = $0
            deliver()
          })))
  }

  private func receive(_ bytes: Bytes) {
    if rest.isEmpty, !isDelivering { rest = bytes } else { waiting.append(bytes) }
    deliver()
  }

  private func deliver() {
    if isDelivering { return }
    isDelivering = true
    do throws(FramingError<Never>) {
      try deliverFrames()
      isDelivering = false
    } catch {
      isDelivering = false
      switch error {
      case .tooLong(let limit): finish(.failed(.tooLong(limit: limit)))
      case .incomplete(let count): finish(.failed(.incomplete(count: count)))
      }
    }
    exit.checkVanished()
    if !exit.isPaused { link.resume() }
  }

  private func deliverFrames() throws(FramingError<Never>) {
    while !exit.isDisposed {
      // A failure does not wait for the pending frames.
      if let failure = end?.failure { return finish(.failed(.source(failure))) }
      // Pending elements come from a source that cannot wait, so they are delivered.
      if exit.isPaused, waiting.isEmpty { return }
      if !rest.isEmpty {
        if let frame = try parser.next(&rest) { exit.next(frame) }
      } else if let next = waiting.popFirst() {
        rest = next
      } else if end == nil {
        return
      } else if let last = try parser.finish() {
        exit.next(last)
      } else {
        end = nil
        return finish(.completed)
      }
    }
  }

  /// True when the source has ended or been deallocated, and everything that it sent has been cut and delivered.
  var isOver: Bool { link.isOver && rest.isEmpty && waiting.isEmpty && end == nil }

  func dispose() {
    link.dispose()
    rest = Bytes()
    waiting = []
    end = nil
  }

  func pause() { link.pause() }

  func resume() { deliver() }
}
