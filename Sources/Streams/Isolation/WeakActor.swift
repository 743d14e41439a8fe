/// A weak reference to an actor.
///
/// The main actor is never deallocated, and LeakSanitizer would report a weak reference to it as a leak.
@usableFromInline
struct WeakActor: Sendable {
  private weak let other: (any Actor)?
  private let isMain: Bool

  @usableFromInline
  init(_ actor: any Actor) {
    isMain = actor === MainActor.shared
    other = isMain ? nil : actor
  }

  /// The actor, or nil if it was deallocated.
  @usableFromInline var actor: (any Actor)? { isMain ? MainActor.shared : other }
}
