/// The state of an operator that guards its downstream with a gate of its own, the exit.
///
/// What operators with a clock or with several upstreams have in common: how they end and how they are disposed of.
@usableFromInline
package protocol Exiting: Disposable, ExitOwner {
  associatedtype Output
  associatedtype Failure: Error

  var exit: SourceGate<Output, Failure> { get }
}

extension Exiting {
  @inlinable
  package var isDisposed: Bool { exit.isDisposed }

  @inlinable
  package func dispose() {
    stop()
    exit.dispose()
  }

  /// Ends as `end` says; a completion comes after `last`, if something has been waiting.
  @inlinable
  package func finish(_ end: Termination<Failure>, after last: Output? = nil) {
    stop()
    if case .completed = end, let last { exit.next(last) }
    exit.terminate(end)
  }
}
