/// The state of an operator that guards its downstream with a gate of its own, the exit.
///
/// What operators with a clock or with several upstreams have in common: how they end and how they are disposed of.
@usableFromInline
package protocol Exiting: Disposable, ExitOwner {
  associatedtype Output
  associatedtype Failure: Error

  var exit: SourceGate<Output, Failure> { get }

  /// Asks all sources and timers to wait.
  func pauseSources()
}

extension Exiting {
  @inlinable
  package var isDisposed: Bool { exit.isDisposed }

  @inlinable
  package func pause() {
    if !exit.takeBackResume() { pauseSources() }
  }

  /// If a delivery is on the stack, after it. A source that answers at once would be queued behind that delivery with all its
  /// elements, and the observer may pause again before they come.
  @inlinable
  package func resume() {
    if !exit.postponeResume() { resumeSources() }
  }

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
