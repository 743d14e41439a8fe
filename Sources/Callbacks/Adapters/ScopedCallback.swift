/// A callback that C calls only while one C function runs: `qsort_r`, `sqlite3_exec`, a parser's `parse`. (E8.)
///
/// ```swift
/// var rows = 0
/// ScopedCallback<Int32, Int32>.with({ columns in rows += 1; return 0 }) { context in
///   execute(db, sql, { ScopedCallback<Int32, Int32>.call($0, $1, otherwise: 1) }, context)
/// }
/// ```
///
/// The types are those of the arguments, as the closure gets them, and last that of the result.
///
/// The closure need not escape: it may use `inout` parameters and what cannot be kept. Calls that come after the C function
/// has returned, or on another thread, are dropped and counted.
///
/// Cost: about 150 ns for `with`, 7 ns for a call more than through a pointer.
public struct ScopedCallback<each Argument, Result> {
  /// Runs `body` with the context to hand to C, and calls `handler` meanwhile. Returns and throws what `body` does.
  public static func with<Returned, Failure: Error>(
    _ handler: (repeat each Argument) -> Result,
    _ body: (_ context: UnsafeMutableRawPointer) throws(Failure) -> Returned
  ) throws(Failure) -> Returned {
    try withoutActuallyEscaping(handler) { handler throws(Failure) in
      let id = CallbackSlots.add(CallbackBox<repeat each Argument, Result>(.one, handler))
      defer { CallbackSlots.close(id) }
      return try body(id.pointer)
    }
  }

  /// What C calls: runs the handler and returns its answer, or `otherwise` where the call is dropped.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(context, repeat each argument, otherwise: otherwise)
  }
}

extension ScopedCallback where Result == Void {
  /// What C calls: runs the handler.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, otherwise: {})
  }
}

@available(*, unavailable)
extension ScopedCallback: Sendable {}
