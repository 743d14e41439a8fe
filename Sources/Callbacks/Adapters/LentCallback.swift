/// A callback that is C's until C gives it back: through a destroy notify (E2), a close callback (E3), as the return value of
/// the next registration (E4), or with a terminal call (E5).
///
/// ```swift
/// // E2: the library calls a second function when it lets go.
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
/// The types are those of the arguments, as the closure gets them, and last that of the result.
///
/// Who asks for `context` gives the box to C: it lives until C gives it back, whatever becomes of this object. Given back
/// from inside of a call it goes when that returns; given back twice it goes once. Later calls are dropped and counted.
/// Where the registration fails call `disarm()`, also if the library has given the box back by itself.
///
/// Calls belong to the thread that made the callback, where a loop or the main actor owns that; made elsewhere (in an
/// actor, for instance) it serves any thread, one at a time. Other calls are dropped and counted. A library with threads of
/// its own wants a `ForeignCallback`.
///
/// Cost of a call: about 7 ns more than through a pointer, and no allocation.
public final class LentCallback<each Argument, Result>: CallbackAdapter {
  @usableFromInline let id: ContextID
  private var isLent = false

  /// Makes a box around `body`. `onEnd` runs once when C has given it back, after the last call: there a stream completes.
  /// It does not run after `disarm()`.
  @inlinable
  public init(_ body: @escaping (repeat each Argument) -> Result, onEnd: (() -> Void)? = nil) {
    id = CallbackSlots.add(
      CallbackBox<repeat each Argument, Result>(AnyCallbackBox.confined, onEnd: onEnd, body))
  }

  deinit { if !isLent { CallbackSlots.release(id) } }

  /// True once no call can come any more.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer to hand to C, which owns the box from now on.
  public var context: UnsafeMutableRawPointer {
    isLent = true
    return id.pointer
  }

  /// Takes the box back because the registration has failed. False when C has given it back already. A second time it does
  /// nothing.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// Does nothing: C gives the box back.
  public func didUnregister() {}

  /// What C calls: runs the closure and returns its answer, or `otherwise` where the call is dropped. The call that
  /// `isLast` ends the callback.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, isLast: Bool = false,
    otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(
      context, repeat each argument, isLast: isLast, otherwise: otherwise)
  }

  /// C has let go of the context: the box goes, now or when the call that is under way returns. Does nothing for nil and
  /// for what has been given back before. From any thread; what belongs to a loop's thread goes there.
  public static func giveBack(_ context: UnsafeMutableRawPointer?) { CallbackSlots.giveBack(context) }
}

extension LentCallback where Result == Void {
  /// What C calls: runs the closure. The call that `isLast` ends the callback.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, isLast: Bool = false
  ) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, isLast: isLast, otherwise: {})
  }
}

@available(*, unavailable)
extension LentCallback: Sendable {}
