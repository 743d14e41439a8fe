public import Streams

/// The place where a callback that wants a result gets it: a handler answers, synchronously, and streams observe. (R1 to R5.)
///
/// ```swift
/// let mayCommit = AnswerSlot<Int32, Bool>(default: true)
/// let callback = RepeatingCallback<Int32, Int32> { mayCommit($0) ? 0 : 1 }
///
/// mayCommit.answer { changes in changes < 1000 }.dispose(in: bag)
/// mayCommit.calls.observeNext { print($0, "changes") }.dispose(in: bag)
/// ```
///
/// The types are those of the arguments and last that of the result. One handler answers at a time; without one the
/// default does. A stream never answers: it may have no observer, or several.
///
/// Confined, like the callback that asks.
public final class AnswerSlot<each Argument, Result> {
  @usableFromInline
  struct Handler {
    @usableFromInline let call: (repeat each Argument) -> Result

    @inlinable
    init(call: @escaping (repeat each Argument) -> Result) { self.call = call }
  }

  @usableFromInline let fallback: Handler
  @exclusivity(unchecked) @usableFromInline var handler: Handler?
  private var place: BlockDisposable?
  @usableFromInline let subject = PushStream<(repeat each Argument)>()

  /// Makes a slot that answers `answer` as long as nobody else does.
  @inlinable
  public init(default answer: Result) { fallback = Handler { (_: repeat each Argument) in answer } }

  /// Makes a slot that asks `answer` as long as nobody else answers.
  @inlinable
  public init(default answer: @escaping (repeat each Argument) -> Result) { fallback = Handler(call: answer) }

  /// True while a handler answers.
  public var isAnswered: Bool { handler != nil }

  /// Has `handler` answer from now on, until what this returns is disposed of; then the default answers again.
  ///
  /// The handler before, if there is one, is replaced only where that is asked for: two that both think they answer are a
  /// mistake, and stop the program.
  public func answer(
    replacing: Bool = false, _ handler: @escaping (repeat each Argument) -> Result
  ) -> any Disposable {
    if self.handler != nil, !replacing {
      fatalError(
        """
        A second handler was added to a slot that has one. Dispose the first one, or pass answer(replacing: true).
        """)
    }
    let place = BlockDisposable { [weak self] in self?.remove() }
    let before = self.place
    self.place = nil
    before?.dispose()
    self.handler = Handler(call: handler)
    self.place = place
    return place
  }

  private func remove() {
    // Released when the slot is whole again.
    let old = handler
    guard let place, place.isDisposed else { return }
    self.place = nil
    handler = nil
    _ = consume old
  }

  /// The arguments of each call, after it has been answered. Copy in the C closure what C only lends.
  public var calls: Stream<(repeat each Argument)> { subject.toStream() }

  /// Asks: what the callback's closure does.
  @inlinable
  public func callAsFunction(_ argument: repeat each Argument) -> Result {
    let answer = (handler ?? fallback).call(repeat each argument)
    if subject.observerCount > 0 { subject.next((repeat each argument)) }
    return answer
  }
}

@available(*, unavailable)
extension AnswerSlot: Sendable {}
