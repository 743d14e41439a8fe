public import Streams

/// A slot that gives a callback its return value: one handler answers synchronously, and any number of streams observe.
/// (R1 to R5.)
///
/// ```swift
/// let mayCommit = AnswerSlot<Int32, Bool>(default: true)
/// let callback = RepeatingCallback<Int32, Int32> { mayCommit($0) ? 0 : 1 }
///
/// mayCommit.answer { changes in changes < 1000 }.dispose(in: bag)
/// mayCommit.calls.observeNext { print($0, "changes") }.dispose(in: bag)
/// ```
///
/// The generic arguments are the types of the callback's parameters, followed by the type of its result. If no handler is
/// set, the slot returns the default. Observing `calls` never changes the result.
///
/// The slot is confined to the domain of the callback.
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

  /// Creates a slot that returns `answer` while it has no handler.
  @inlinable
  public init(default answer: Result) { fallback = Handler { (_: repeat each Argument) in answer } }

  /// Creates a slot that calls `answer` while it has no handler.
  @inlinable
  public init(default answer: @escaping (repeat each Argument) -> Result) { fallback = Handler(call: answer) }

  /// True if the slot has a handler.
  public var isAnswered: Bool { handler != nil }

  /// Sets the handler. Disposing the result removes it, and the default answers again.
  ///
  /// If the slot has a handler, pass `replacing: true` to replace it; otherwise this traps, because only one of two handlers
  /// could answer.
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
    // Released last, because its deinit may use the slot.
    let old = handler
    guard let place, place.isDisposed else { return }
    self.place = nil
    handler = nil
    _ = consume old
  }

  /// A stream of the arguments of each call, sent after the call has its result. Copy memory that C only lends in the C
  /// function, before you call the slot.
  public var calls: Stream<(repeat each Argument)> { subject.toStream() }

  /// Returns the handler's result for the arguments, or the default. Call this from the callback's closure.
  @inlinable
  public func callAsFunction(_ argument: repeat each Argument) -> Result {
    let answer = (handler ?? fallback).call(repeat each argument)
    if subject.observerCount > 0 { subject.next((repeat each argument)) }
    return answer
  }
}

@available(*, unavailable)
extension AnswerSlot: Sendable {}
