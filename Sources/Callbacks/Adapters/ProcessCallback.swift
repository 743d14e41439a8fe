/// A callback that lives as long as the process, for a registration that cannot be undone, such as a library's log function.
/// (End of life E9.)
///
/// ```swift
/// let callback = ProcessCallback<Int32, String, Void> { code, message in log.send((code, message)) }
/// library_set_log({ ProcessCallback<Int32, String, Void>.call($0, $1, String(cString: $2!)) }, callback.context)
/// ```
///
/// The closure is never released, and is not counted as a live resource. It is `@Sendable`, because C can call from any
/// thread, and from several threads simultaneously. Create the callback once, where you set up the library.
///
/// - Complexity: A call takes two atomic additions, about 20 ns, and allocates nothing.
public struct ProcessCallback<each Argument, Result>: Sendable {
  @usableFromInline let id: ContextID

  /// Creates a callback that runs `body` and is never released.
  @inlinable
  public init(_ body: @escaping @Sendable (repeat each Argument) -> Result) {
    id = CallbackSlots.add(CallbackBox<repeat each Argument, Result>(.any, isCounted: false, body))
  }

  /// The pointer to pass to C.
  public var context: UnsafeMutableRawPointer { id.pointer }

  /// Runs the closure on the calling thread and returns its result. Call this from the C function. Returns `otherwise` if
  /// `context` is not the context of a callback.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(context, repeat each argument, otherwise: otherwise)
  }
}

extension ProcessCallback where Result == Void {
  /// Runs the closure on the calling thread. Call this from the C function.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, otherwise: {})
  }
}
