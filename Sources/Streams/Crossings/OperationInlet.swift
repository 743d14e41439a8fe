/// A thread-safe sender for an operation: an `Inlet` that can fail.
///
/// ```swift
/// struct Unplugged: Error {}
/// let inlet = OperationInlet<Int, Unplugged>(capacity: 1024, whenFull: .dropOldest)
/// inlet.operation.observe(next: { print($0) }, termination: { print($0) }).dispose(in: bag)
/// DispatchQueue.global().async {
///   inlet.send(42)
///   inlet.fail(Unplugged())
/// }
/// ```
///
/// Elements are delivered in the home domain, in order, in batches, from a bounded buffer, as with an `Inlet`. The first `finish()`
/// or `fail(_:)` takes effect, and later ones do nothing. An end is never dropped, and is delivered after the elements that were
/// sent before.
public final class OperationInlet<Element: Sendable, Failure: Error>: Sendable {
  private let inlet: Inlet<Element>
  private let end = Lock<Termination<Failure>?>(nil)

  /// Creates an inlet with a bounded buffer for up to `capacity` elements, at least 1. The overflow policy `policy`
  /// decides which element is dropped if the buffer is full. If `keepsLoopAlive` is true, `Loop.run()` continues while
  /// the operation has an observer, until the inlet is finished.
  public init(
    capacity: Int, whenFull policy: OverflowPolicy, keepsLoopAlive: Bool = true, isolation: (any Actor)? = #isolation
  ) {
    inlet = Inlet(capacity: capacity, whenFull: policy, keepsLoopAlive: keepsLoopAlive, isolation: isolation)
  }

  /// Sends an element from any thread. Returns false if the element is not delivered: the operation has ended, its home has closed,
  /// or the buffer is full and the policy is `.dropNewest`.
  ///
  /// An element that is refused belongs to the sender. If it owns a resource, keep your reference and dispose it, and do not pass it
  /// with `consume`: `if !inlet.send(element) { element.dispose() }`.
  @discardableResult
  public func send(_ element: consuming Element) -> Bool { inlet.send(element) }

  /// Completes the operation after the elements that were sent before. A second end does nothing.
  public func finish() { finish(with: .completed) }

  /// Fails the operation after the elements that were sent before. A second end does nothing.
  public func fail(_ error: Failure) { finish(with: .failed(error)) }

  private func finish(with termination: Termination<Failure>) {
    end.withLock { end in if end == nil { end = termination } }
    inlet.finish()
  }

  /// The number of elements that were dropped because the buffer was full.
  public var dropped: Int { inlet.dropped }

  /// Notifies a sender that can pause: with `.high` at the high watermark of pending elements, with `.low` at the low one. The calls
  /// alternate, `.high` first, and never overlap. Replaces the previous closure.
  public func onPressure(
    at watermarks: Watermarks? = nil, _ body: @escaping @Sendable (InletPressure) -> Void
  ) { inlet.onPressure(at: watermarks, body) }

  /// The operation of the elements, delivered in the home domain. It is hot and shared by all observers. It completes if the inlet is
  /// deallocated without an end.
  public var operation: Operation<Element, Failure> {
    let end = end
    let ending = Operation<Element, Failure>.deferred { () -> Operation<Element, Failure> in
      if case .failed(let error) = end.withLock({ $0 }) { .failed(error) } else { .completed() }
    }
    return inlet.stream.setFailureType(to: Failure.self).concat(with: ending)
  }
}
