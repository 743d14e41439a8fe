/// What all adapters have in common: the pointer for C, and the two ways in which C is done with it before its time.
///
/// `Operation.registering` makes a stream of any of them.
public protocol CallbackAdapter: AnyObject {
  /// The `void *` to hand to C. It is a number with a generation, not an address: whatever C does with it, an ended
  /// callback is not found.
  var context: UnsafeMutableRawPointer { get }

  /// True once no call can come any more: it has been cancelled or given back, or the one call has begun.
  var isEnded: Bool { get }

  /// The registration has failed: the box is taken back, unless the library has destroyed it by itself. True when it was
  /// there to be taken back.
  @discardableResult
  func disarm() -> Bool

  /// The function that unregisters has returned. A callback that is mine until then ends; one that is C's stays until C
  /// gives it back.
  func didUnregister()
}

/// Several adapters of one registration: a library that takes a table of functions, or one context for each of its events.
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
/// `Operation.registering` takes it as it takes one adapter: all of them end together.
public protocol CallbackGroup: CallbackAdapter {
  /// All of them, at least one, in the order in which they end.
  var adapters: [any CallbackAdapter] { get }
}

extension CallbackGroup {
  /// The context of the first adapter. Hand each adapter's own to C.
  public var context: UnsafeMutableRawPointer { adapters[0].context }

  /// True once no call of any of them can come any more.
  public var isEnded: Bool { adapters.allSatisfy(\.isEnded) }

  /// Takes all of them back. True if one of them was there to be taken back.
  @discardableResult
  public func disarm() -> Bool { adapters.reduce(false) { $1.disarm() || $0 } }

  /// Tells all of them.
  public func didUnregister() { for adapter in adapters { adapter.didUnregister() } }
}
