/// A hot stream without its generic types, for its subscriptions.
@usableFromInline
package class HotSource {
  @inlinable
  init() {}
  #if Tracing
  /// The ID in a recording, or 0.
  final var traceID: UInt32 = 0
  #endif

  /// Removes the observer of a subscription. A second call does nothing.
  @usableFromInline
  func remove(_ subscription: Subscription) {}

  /// The memory with the observers, for a test that looks for leaks.
  package var observerMemory: UnsafeRawBufferPointer? { nil }
}
