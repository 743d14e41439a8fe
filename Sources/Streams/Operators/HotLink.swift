/// The link from a source to an observer table that it feeds. If the source goes without an end, so do the observers.
@usableFromInline
final class HotLink: Link {
  private let release: () -> Void

  /// - Parameter release: Releases the observers. It retains the table, which does not retain the link.
  @usableFromInline
  init(_ release: @escaping () -> Void) {
    self.release = release
    super.init(downstream: nil)
  }

  @usableFromInline
  override func sourceDidVanish() {
    if isOver { return }
    super.sourceDidVanish()
    release()
  }
}
