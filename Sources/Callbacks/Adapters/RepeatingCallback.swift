/// A callback that Swift owns: C may call it any number of times until you unregister it. (End of life E6, and every
/// library that is used on one thread and has no destroy notification.)
///
/// ```swift
/// let callback = RepeatingCallback<Int32, Void> { value in print(value) }
/// set_handler(callback.context) { RepeatingCallback<Int32, Void>.call($0, $1) }
/// …
/// set_handler(nil, nil)
/// callback.cancel()
/// ```
///
/// The generic arguments are the types of the closure's parameters, followed by the type of its result.
///
/// The callback ends with `cancel()`, when this object is deallocated, or when another callback replaces it in a
/// `CallbackPlace`. The closure is then released in the home domain,
/// or when the call that is running has returned. Later calls are dropped and counted.
///
/// If you create it on the thread of a loop or on the main actor, calls from other threads are dropped and counted. If you
/// create it elsewhere, for example in an actor, it accepts calls from any thread, one at a time. Use a `ForeignCallback`
/// for a library that calls from its own threads.
///
/// - Complexity: A call takes about 7 ns longer than a call through a pointer, and allocates nothing.
public final class RepeatingCallback<each Argument, Result>: CallbackAdapter {
  @usableFromInline let id: ContextID

  /// Creates a callback that runs `body`.
  ///
  /// `onEnd` runs once after another callback has replaced this one in a `CallbackPlace` and the last call has returned, in
  /// the home domain. If that is an actor that does not run on a loop, it runs where the other one was claimed: claim a place
  /// in one actor only. It does not run if `cancel()` or `disarm()` ended the callback before.
  @inlinable
  public init(_ body: @escaping (repeat each Argument) -> Result, onEnd: (() -> Void)? = nil) {
    id = CallbackSlots.add(CallbackBox<repeat each Argument, Result>(AnyCallbackBox.confined, onEnd: onEnd, body))
  }

  deinit { CallbackSlots.release(id) }

  /// True if the callback was canceled or replaced.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer to pass to C. It does not retain the closure.
  public var context: UnsafeMutableRawPointer { id.pointer }

  /// Ends the callback: later calls are dropped, and the closure is released. If the closure itself calls `cancel()`, it is
  /// released when it returns. A second call of `cancel()` does nothing.
  public func cancel() { CallbackSlots.close(id) }

  /// Ends the callback. Returns false if it had already ended.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// Ends the callback.
  public func didUnregister() { CallbackSlots.close(id) }

  /// Runs the closure and returns its result. Call this from the C function. Returns `otherwise` if the call is dropped.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(context, repeat each argument, otherwise: otherwise)
  }
}

extension RepeatingCallback where Result == Void {
  /// Runs the closure. Call this from the C function.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, otherwise: {})
  }
}

@available(*, unavailable)
extension RepeatingCallback: Sendable {}
