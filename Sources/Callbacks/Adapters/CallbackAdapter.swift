/// An adapter that gives C a context pointer for a Swift closure.
///
/// `Operation.registering` creates a stream with any adapter.
public protocol CallbackAdapter: AnyObject {
  /// The `void *` to pass to C.
  ///
  /// It is an ID with a generation, not an address. If C uses it after the callback has ended, the call is dropped.
  var context: UnsafeMutableRawPointer { get }

  /// True if no further call can run the closure: the callback was canceled or given back, or its only call has begun.
  var isEnded: Bool { get }

  /// Ends the callback after a registration that failed. Returns false if it had already ended, for example because the
  /// library destroyed its context.
  @discardableResult
  func disarm() -> Bool

  /// Notifies the adapter that the function that unregisters it has returned.
  ///
  /// A callback that Swift owns ends. A callback that C owns stays until C gives its context back.
  func didUnregister()
}

/// Several adapters of one registration, for a library that takes a table of functions or one context for each event.
///
/// ```swift
/// final class Handlers: CallbackGroup {
///   let connected: ForeignCallback<Int32, Void>
///   let received: ForeignCallback<String, Void>
///   var adapters: [any CallbackAdapter] { [connected, received] }
///   …
/// }
/// ```
///
/// `Operation.registering` accepts a group in place of one adapter. All adapters of the group end together.
public protocol CallbackGroup: CallbackAdapter {
  /// The adapters of the group, at least one, in the order in which they end.
  var adapters: [any CallbackAdapter] { get }
}

extension CallbackGroup {
  /// The context of the first adapter. Pass the context of each adapter to C.
  public var context: UnsafeMutableRawPointer { adapters[0].context }

  /// True if no further call can run a closure of the group.
  public var isEnded: Bool { adapters.allSatisfy(\.isEnded) }

  /// Ends all adapters. Returns false if all of them had already ended.
  @discardableResult
  public func disarm() -> Bool { adapters.reduce(false) { $1.disarm() || $0 } }

  /// Notifies all adapters.
  public func didUnregister() { for adapter in adapters { adapter.didUnregister() } }
}
