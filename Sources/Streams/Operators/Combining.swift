/// One of the upstreams of an operator that combines several, whatever its elements are.
@usableFromInline
class CombinedSide {
  @usableFromInline final let backlog: Backlog
  @exclusivity(unchecked) @usableFromInline final var hasCompleted = false

  @usableFromInline
  init(downstream: Subscription, bound: Int, name: StaticString) {
    backlog = Backlog(Subscription(downstream: downstream), bound: bound, name: name)
  }

  @inlinable
  final var link: Subscription { backlog.link }

  /// How many elements wait here.
  @usableFromInline var count: Int { 0 }

  /// Drops them.
  @usableFromInline
  func drop() {}
}

/// What operators that combine several upstreams have in common: one exit, many links, one pause for all.
///
/// Ownership: Combining ===> exit ===> downstream; Combining ===> sides ===> links ===> upstreams ===> their observers
/// ===> Combining. `stop()` cuts the links.
@usableFromInline
class Combining<Output, Failure: Error>: OperatorState {
  @usableFromInline final let exit: SerializedSubscription<Output, Failure>
  @exclusivity(unchecked) @usableFromInline final var sides: [CombinedSide] = []
  @exclusivity(unchecked) @usableFromInline final var isHeld = false

  @inlinable
  init(_ exit: SerializedSubscription<Output, Failure>) {
    self.exit = exit
    exit.attach(self)
  }

  @usableFromInline
  final var isOver: Bool { sides.allSatisfy { $0.link.isOver } }

  @usableFromInline
  func dispose() {
    let all = sides
    sides = []
    for side in all { side.link.dispose() }
    // When nothing more arrives: disposing of what waits may run anything.
    for side in all { side.drop() }
  }

  @usableFromInline
  final func pause() {
    isHeld = true
    for side in sides { side.backlog.hold() }
  }

  @usableFromInline
  final func resume() {
    isHeld = false
    // Resuming may deliver, and a delivery may pause again.
    for side in sides where !isHeld { side.backlog.release() }
  }
}
