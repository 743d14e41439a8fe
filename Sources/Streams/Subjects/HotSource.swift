/// A hot stream without its generic types, for its subscriptions.
@usableFromInline
package class HotSource {
  @inlinable
  init() {}

  /// Removes the observer of a subscription. A second call does nothing.
  @usableFromInline
  func remove(_ subscription: Subscription) {}
}
