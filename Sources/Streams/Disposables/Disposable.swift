/// Something that can be ended: a subscription, a timer, a handle.
///
/// ```swift
/// final class Door: Disposable {
///   private(set) var isDisposed = false
///   func dispose() { isDisposed = true }
/// }
/// Door().dispose(in: bag)
/// ```
///
/// `dispose()` is idempotent. A disposable is an object, confined to the domain in which it was made.
public protocol Disposable: AnyObject {
  /// True when there is nothing left to end: after `dispose()`, and after it ended by itself.
  var isDisposed: Bool { get }

  /// Ends it. A second call does nothing.
  func dispose()

  /// Asks what stands behind it to wait. The default does nothing: what cannot wait goes on.
  func pause()

  /// Takes `pause()` back. The default does nothing.
  func resume()
}

extension Disposable {
  /// Does nothing: this disposable has nothing that could wait.
  @inlinable
  public func pause() {}

  /// Does nothing: this disposable has nothing that could wait.
  @inlinable
  public func resume() {}
}
