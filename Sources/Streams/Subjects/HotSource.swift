/// What a subscription to a hot stream needs to know of it, whatever its types are.
@usableFromInline
class HotSource {
  @inlinable
  init() {}

  /// Takes the observer of this subscription out. Does nothing if it is out already.
  @usableFromInline
  func remove(_ subscription: Subscription) {}
}
