/// A subscription that runs a closure if its source vanishes without an end.
@usableFromInline
final class NotifyingSubscription: Subscription {
  /// The closure. The end and a disposal release it, so it can retain the subscriber.
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
