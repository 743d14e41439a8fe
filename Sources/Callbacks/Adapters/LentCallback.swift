/// A callback that C owns until it gives the context back: through a destroy notification (E2), a close callback (E3), the
/// return value of the next registration (E4), or a terminal call (E5).
///
/// ```swift
/// // E2: the library calls a second function when it releases the context.
/// create_function(
///   db, callback.context,
///   { LentCallback<Int32, Void>.call($0, $1) },
///   { LentCallback<Int32, Void>.giveBack($0) })
///
/// // E4: the library returns the context that was registered before.
/// LentCallback<Int32, Void>.giveBack(set_hook(db, { LentCallback<Int32, Void>.call($0, $1) }, callback.context))
///
/// // E5: one call is the last.
/// set_reader(callback.context) { LentCallback<String?, Void>.call($0, $1.map(String.init(cString:)), isLast: $1 == nil) }
/// ```
///
/// The generic arguments are the types of the closure's parameters, followed by the type of its result.
///
/// Reading `context` gives the closure to C. The closure lives until C gives the context back, even if this object is
/// deallocated before. If C gives it back during a call, the closure is released when the call returns. Giving it back twice
/// has no effect. Later calls are dropped and counted. If the registration fails, call `disarm()`, even if the library has
/// given the context back itself.
///
/// If you create it on the thread of a loop or on the main actor, calls from other threads are dropped and counted. If you
/// create it elsewhere, for example in an actor, it accepts calls from any thread, one at a time. Use a
/// `ForeignCallback` for a library that calls from its own threads.
///
/// - Complexity: A call takes about 7 ns longer than a call through a pointer, and allocates nothing.
public final class LentCallback<each Argument, Result>: CallbackAdapter {
  @usableFromInline let id: ContextID
  private var isLent = false

  /// Creates a callback that runs `body`.
  ///
  /// `onEnd` runs once after C has given the context back and the last call has returned, for example to complete a stream.
  /// It does not run after `disarm()`.
  @inlinable
  public init(_ body: @escaping (repeat each Argument) -> Result, onEnd: (() -> Void)? = nil) {
    id = CallbackSlots.add(
      CallbackBox<repeat each Argument, Result>(AnyCallbackBox.confined, onEnd: onEnd, body))
  }

  deinit { if !isLent { CallbackSlots.release(id) } }

  /// True if C has given the context back or the callback was disarmed.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer to pass to C. From then on C owns the closure.
  public var context: UnsafeMutableRawPointer {
    isLent = true
    return id.pointer
  }

  /// Releases the closure because the registration has failed. Returns false if the callback had already ended.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// Does nothing, because C gives the context back.
  public func didUnregister() {}

  /// Runs the closure and returns its result. Call this from the C function.
  ///
  /// A call with `isLast` ends the callback. Returns `otherwise` if the call is dropped.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, isLast: Bool = false,
    otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(
      context, repeat each argument, isLast: isLast, otherwise: otherwise)
  }

  /// Ends the callback because C has released its context. Call this from the library's destroy notification.
  ///
  /// The closure is released immediately, or when the running call returns. Does nothing for nil and for a context that was
  /// given back before. Call it from any thread: a closure that belongs to a loop's thread is released there.
  public static func giveBack(_ context: UnsafeMutableRawPointer?) { CallbackSlots.giveBack(context) }
}

extension LentCallback where Result == Void {
  /// Runs the closure. Call this from the C function. A call with `isLast` ends the callback.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, isLast: Bool = false
  ) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, isLast: isLast, otherwise: {})
  }
}

@available(*, unavailable)
extension LentCallback: Sendable {}
