/// A subscription that runs a closure if its source vanishes without an end.
@usableFromInline
final class NotifyingSubscription: Subscription {
  /// The closure. The end and a disposal release it, so it can retain the subscriber.
  @usableFromInline var onVanish: (() -> Void)?
  /// True if the closure runs before the upstream is disposed, because it belongs to the observers. Otherwise it runs after that, because
  /// it sends an end.
  private let isBeforeUpstream: Bool

  @usableFromInline
  init(downstream: Subscription?, beforeUpstream isBeforeUpstream: Bool = false, onVanish: (() -> Void)? = nil) {
    self.onVanish = onVanish
    self.isBeforeUpstream = isBeforeUpstream
    super.init(downstream: downstream)
  }

  @usableFromInline
  override func release() { onVanish = nil }

  @usableFromInline
  override func sourceDidVanish() {
    if isOver { return }
    let onVanish = onVanish
    vanish {
      notifyDownstreamOfVanishing()
      if isBeforeUpstream { onVanish?() }
    }
    if !isBeforeUpstream { onVanish?() }
  }
}
