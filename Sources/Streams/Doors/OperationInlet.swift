/// The end of an operation into which any thread may send: an `Inlet` that can fail.
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
/// What `Inlet` says of home, order, buffer, and pressure holds here as well. Of several ends the first counts. An end is never
/// dropped, and comes after what was sent before.
public final class OperationInlet<Element: Sendable, Failure: Error>: Sendable {
  private let inlet: Inlet<Element>
  private let end = Lock<Termination<Failure>?>(nil)

  /// Makes an inlet whose buffer holds `capacity` elements, at least one. See `Inlet`.
  public init(
    capacity: Int, whenFull policy: OverflowPolicy, keepsLoopAlive: Bool = true, isolation: (any Actor)? = #isolation
  ) {
    inlet = Inlet(capacity: capacity, whenFull: policy, keepsLoopAlive: keepsLoopAlive, isolation: isolation)
  }

  /// Sends an element, from any thread. False if it will not be delivered: the operation has ended, its home has closed, or the
  /// buffer is full and the policy is to drop the newest.
  @discardableResult
  public func send(_ element: consuming Element) -> Bool { inlet.send(element) }

  /// Completes the operation, after what was sent before. A second end does nothing.
  public func finish() { finish(with: .completed) }

  /// Ends the operation with a failure, after what was sent before. A second end does nothing.
  public func fail(_ error: Failure) { finish(with: .failed(error)) }

  private func finish(with termination: Termination<Failure>) {
    end.withLock { end in if end == nil { end = termination } }
    inlet.finish()
  }

  /// The number of elements that were dropped because the buffer was full.
  public var dropped: Int { inlet.dropped }

  /// Calls back when a sender that can wait should, and when it should go on. See `Inlet.onPressure`.
  public func onPressure(
    high: Int? = nil, low: Int? = nil, _ body: @escaping @Sendable (InletPressure) -> Void
  ) { inlet.onPressure(high: high, low: low, body) }

  /// What was sent, at home. Hot, shared by all who observe it. It completes if the inlet is released without an end.
  public var operation: Operation<Element, Failure> {
    let end = end
    let ending = Operation<Element, Failure>.deferred { () -> Operation<Element, Failure> in
      if case .failed(let error) = end.withLock({ $0 }) { .failed(error) } else { .completed() }
    }
    return inlet.stream.setFailureType(to: Failure.self).concat(with: ending)
  }
}
