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

extension FramingError: PossibleCancellation {
  package var isCancellation: Bool { if case .source(let error) = self { error.isCancellation } else { false } }
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

  /// What is left at the end of the stream, until it is nil.
  mutating func finish() throws(FramingError<Never>) -> Frame?
}

extension StreamProtocol where Element == Bytes {
  func framed<Parser: FrameParser>(
    _ parser: @escaping () -> Parser
  ) -> Operation<Parser.Frame, FramingError<Failure>> {
    .unguarded { observer in
      let framer = Framer<Parser, Failure>(parser(), observer)
      framer.start(self)
      return framer.exit
    }
  }
}

/// One subscription to frames. Holds what it has not delivered of one element while its observer is paused.
///
/// The observer may pause and resume inside of a delivery, and the source may answer both at once. So nothing is delivered
/// and the source is not resumed while a frame is being delivered: the delivery that is under way looks again afterwards.
private final class Framer<Parser: FrameParser, Failure: Error>: OperatorState {
  let exit: SerializedSubscription<Parser.Frame, FramingError<Failure>>
  private let link: Subscription
  private var parser: Parser
  /// What has not been delivered of the element that is being cut.
  private var rest = Bytes()
  /// What has come since: from sources that cannot wait, and from those that are sent to inside of a delivery.
  private var waiting: ArraySlice<Bytes> = []
  /// The end of the source, which has not been delivered.
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
      // It does not wait for what is held.
      if let failure = end?.failure { return finish(.failed(.source(failure))) }
      // What has come since is from a source that cannot wait: what it sends is delivered.
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
