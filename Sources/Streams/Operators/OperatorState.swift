/// The state of an operator with a clock, with several upstreams, or with elements that it holds. It is the upstream of the
/// operator's exit, which operators return and which guards their downstream.
///
/// - `dispose()` ends the upstreams and the timers, and drops what is held.
/// - `pause()` asks all sources and timers to wait.
/// - `resume()` has them go on. Not called while the exit delivers.
@usableFromInline
package protocol OperatorState: AnyObject, Disposable {
  associatedtype Output
  associatedtype Failure: Error

  var exit: SerializedSubscription<Output, Failure> { get }

  /// All upstreams have ended or gone, and nothing that is held waits for its time: nothing more will be sent.
  var isOver: Bool { get }
}

extension OperatorState {
  @inlinable
  package var isDisposed: Bool { exit.isDisposed }

  /// Ends as `end` says; a completion comes after `last`, if something has been waiting.
  @inlinable
  package func finish(_ end: Termination<Failure>, after last: Output? = nil) {
    dispose()
    if case .completed = end, let last { exit.next(last) }
    exit.terminate(end)
  }
}
