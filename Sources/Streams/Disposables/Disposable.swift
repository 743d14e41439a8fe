/// An object that can be ended: a subscription, a timer, or a handle.
///
/// ```swift
/// final class Door: Disposable {
///   private(set) var isDisposed = false
///   func dispose() { isDisposed = true }
/// }
/// Door().dispose(in: bag)
/// ```
///
/// A second `dispose()` does nothing. A disposable is confined to the domain that creates it.
public protocol Disposable: AnyObject {
  /// True after `dispose()`, or if the disposable has ended by itself.
  var isDisposed: Bool { get }

  /// Ends the subscription, or releases the resource. A second call does nothing.
  func dispose()

  /// Asks the source to stop sending. The default does nothing, for a source that cannot wait.
  func pause()

  /// Ends a pause. The default does nothing.
  func resume()
}

extension Disposable {
  /// Does nothing, because the source cannot wait.
  @inlinable
  public func pause() {}

  /// Does nothing, because the source cannot wait.
  @inlinable
  public func resume() {}
}
