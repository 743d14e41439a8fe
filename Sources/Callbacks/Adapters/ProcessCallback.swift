/// A callback for the life of the process: what can be registered and never taken back, such as a library's log function.
/// (E9.)
///
/// ```swift
/// let callback = ProcessCallback<Int32, String, Void> { code, message in log.send((code, message)) }
/// library_set_log({ ProcessCallback<Int32, String, Void>.call($0, $1, String(cString: $2!)) }, callback.context)
/// ```
///
/// The box is never released and is not counted as a live resource. Nobody knows which thread will call: the closure is
/// `@Sendable`, and several calls may run at once. Make it once, where the library is set up.
///
/// Cost of a call: two atomic additions, about 20 ns, and no allocation.
public struct ProcessCallback<each Argument, Result>: Sendable {
  @usableFromInline let id: ContextID

  /// Makes a box around `body` that stays.
  @inlinable
  public init(_ body: @escaping @Sendable (repeat each Argument) -> Result) {
    id = CallbackSlots.add(CallbackBox<repeat each Argument, Result>(.any, isCounted: false, body))
  }

  /// The pointer to hand to C.
  public var context: UnsafeMutableRawPointer { id.pointer }

  /// What C calls, from any thread: runs the closure and returns its answer. `otherwise` is for a context that is none.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(context, repeat each argument, otherwise: otherwise)
  }
}

extension ProcessCallback where Result == Void {
  /// What C calls, from any thread: runs the closure.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, otherwise: {})
  }
}
