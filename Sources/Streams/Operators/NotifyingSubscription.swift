/// A subscription that runs a closure when its source goes without an end.
@usableFromInline
final class NotifyingSubscription: Subscription {
  /// May retain what subscribes: the end and disposal release it.
  @usableFromInline var onVanish: (() -> Void)?

  @usableFromInline
  init(downstream: Subscription?, onVanish: (() -> Void)? = nil) {
    self.onVanish = onVanish
    super.init(downstream: downstream)
  }

  @usableFromInline
  override func release() { onVanish = nil }

  @usableFromInline
  override func sourceDidVanish() {
    if isOver { return }
    let onVanish = onVanish
    super.sourceDidVanish()
    onVanish?()
  }
}
