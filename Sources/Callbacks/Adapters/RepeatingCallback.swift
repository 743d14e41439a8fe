/// A callback that is mine: C may call it any number of times until I have unregistered it, and not afterwards. (E6, and
/// every library that is used on one thread and has no destroy notify.)
///
/// ```swift
/// let callback = RepeatingCallback<Int32, Void> { value in print(value) }
/// set_handler(callback.context) { RepeatingCallback<Int32, Void>.call($0, $1) }
/// …
/// set_handler(nil, nil)
/// callback.cancel()
/// ```
///
/// The types are those of the arguments, as the closure gets them, and last that of the result.
///
/// The callback ends with `cancel()`, or when the last reference to this object goes; what the closure captured is released
/// then, at home, or when the call that is under way has returned. Later calls are dropped and counted.
///
/// Calls belong to the thread that made the callback, where a loop or the main actor owns that; made elsewhere (in an
/// actor, for instance) it serves any thread, one at a time. Other calls are dropped and counted. A library with threads of
/// its own wants a `ForeignCallback`.
///
/// Cost of a call: about 7 ns more than through a pointer, and no allocation.
public final class RepeatingCallback<each Argument, Result>: CallbackAdapter {
  @usableFromInline let id: ContextID

  /// Makes a box around `body`.
  @inlinable
  public init(_ body: @escaping (repeat each Argument) -> Result) {
    id = CallbackSlots.add(CallbackBox<repeat each Argument, Result>(AnyCallbackBox.confined, body))
  }

  deinit { CallbackSlots.release(id) }

  /// True once no call can come any more.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer to hand to C. It does not keep the box alive.
  public var context: UnsafeMutableRawPointer { id.pointer }

  /// Ends it: calls that come later are dropped. The closure is released, from inside of a call of its own when that
  /// returns. A second time it does nothing.
  public func cancel() { CallbackSlots.close(id) }

  /// The same as `cancel()`.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// The same as `cancel()`.
  public func didUnregister() { CallbackSlots.close(id) }

  /// What C calls: runs the closure and returns its answer, or `otherwise` where the call is dropped.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(context, repeat each argument, otherwise: otherwise)
  }
}

extension RepeatingCallback where Result == Void {
  /// What C calls: runs the closure.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, otherwise: {})
  }
}

@available(*, unavailable)
extension RepeatingCallback: Sendable {}
