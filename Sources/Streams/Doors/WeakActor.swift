/// A reference to an actor that does not keep it.
///
/// The main actor never dies; a weak reference to it would look like a leak to LeakSanitizer.
@usableFromInline
struct WeakActor: Sendable {
  private weak let other: (any Actor)?
  private let isMain: Bool

  @usableFromInline
  init(_ actor: any Actor) {
    isMain = actor === MainActor.shared
    other = isMain ? nil : actor
  }

  /// The actor, or nil when it has died.
  @usableFromInline var actor: (any Actor)? { isMain ? MainActor.shared : other }
}
