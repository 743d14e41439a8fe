/// A callback that C calls only while one C function runs: `qsort_r`, `sqlite3_exec`, a parser's `parse`. (End of life E8.)
///
/// ```swift
/// var rows = 0
/// ScopedCallback<Int32, Int32>.with({ columns in rows += 1; return 0 }) { context in
///   execute(db, sql, { ScopedCallback<Int32, Int32>.call($0, $1, otherwise: 1) }, context)
/// }
/// ```
///
/// The generic arguments are the types of the closure's parameters, followed by the type of its result.
///
/// The closure does not escape, so it can use `inout` parameters and other nonescaping values. A call after the C function
/// has returned, or on another thread, is dropped and counted.
///
/// - Complexity: `with` takes about 150 ns. A call takes about 7 ns longer than a call through a pointer.
public struct ScopedCallback<each Argument, Result> {
  /// Runs `body` with a context to pass to C. C's calls run `handler` until `body` returns.
  ///
  /// Returns the result of `body`, and rethrows its error.
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

  /// Runs the handler and returns its result. Call this from the C function. Returns `otherwise` if the call is dropped.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(context, repeat each argument, otherwise: otherwise)
  }
}

extension ScopedCallback where Result == Void {
  /// Runs the handler. Call this from the C function.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, otherwise: {})
  }
}

@available(*, unavailable)
extension ScopedCallback: Sendable {}
