/// The state of an operator with a clock, several upstreams, or pending elements. It is the upstream of the operator's exit, which the
/// operator returns and which guards its downstream.
///
/// - `dispose()` ends the upstreams and the timers, and drops the pending elements.
/// - `pause()` pauses all upstreams and timers.
/// - `resume()` resumes them. It is not called during a delivery of the exit.
@usableFromInline
package protocol OperatorState: AnyObject, Disposable {
  associatedtype Output
  associatedtype Failure: Error

  var exit: SerializedSubscription<Output, Failure> { get }

  /// True if no event can follow: all upstreams have ended or vanished, and no pending element will be sent.
  var isOver: Bool { get }
}

extension OperatorState {
  @inlinable
  package var isDisposed: Bool { exit.isDisposed }

  /// Ends the stream with `end`. A completion is delivered after `last`, if there is one, and if there is one upstream.
  @inlinable
  package func finish(_ end: Termination<Failure>, after last: consuming Output? = nil) {
    if case .completed = end, let last = last.take() {
      dispose()
      emitHeld(consume last)
      return exit.terminate(end)
    }
    // First, because disposing one of several upstreams can make another one send or end, which comes too late.
    exit.terminate(end)
    // If a delivery is running, the end waits for it, but the upstreams do not.
    dispose()
  }

  /// Emits an element that was held, or disposes it if nothing can receive it: a disposal passes the chain from its end, and can run code
  /// that makes this operator emit before it arrives here.
  @inlinable
  package func emitHeld(_ element: consuming Output) {
    if exit.isDisposed { Untaken.drop(consume element) } else { exit.next(element) }
  }
}
