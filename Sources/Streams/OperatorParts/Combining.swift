/// One source of an operator that combines several, without the type of its elements.
@usableFromInline
class CombinedSide {
  @usableFromInline final let backlog: Backlog
  @exclusivity(unchecked) @usableFromInline final var hasCompleted = false

  @usableFromInline
  init(downstream: Subscription, _ marks: Watermarks, name: StaticString) {
    backlog = Backlog(Subscription(downstream: downstream), marks, name: name)
  }

  @inlinable
  final var link: Subscription { backlog.link }

  /// The number of pending elements.
  @usableFromInline var count: Int { 0 }

  /// Drops the pending elements.
  @usableFromInline
  func drop() {}
}

/// The state of an operator that combines several sources: one exit, a link to each source, and one pause for all.
///
/// Ownership: Combining ===> exit ===> downstream; Combining ===> sides ===> links ===> upstreams ===> their observers ===>
/// Combining. `dispose()` cuts the links.
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
  var isOver: Bool { sides.allSatisfy { $0.link.isOver } }

  @usableFromInline
  func dispose() {
    let all = sides
    sides = []
    for side in all { side.link.dispose() }
    // Last, because disposing the pending elements can run any code.
    for side in all { side.drop() }
  }

  @usableFromInline
  func pause() {
    isHeld = true
    for side in sides { side.backlog.hold() }
  }

  @usableFromInline
  func resume() {
    isHeld = false
    // Resuming can deliver, and a delivery can pause again.
    for side in sides where !isHeld { side.backlog.release() }
  }
}
