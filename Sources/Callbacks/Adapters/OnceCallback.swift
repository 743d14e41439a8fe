/// A callback that C calls once, or not at all: requests, completions, thread entries. (End of life E1.)
///
/// ```swift
/// let callback = OnceCallback<Int32, Void> { status in print(status) }
/// let status = start_request(callback.context) { OnceCallback<Int32, Void>.call($0, $1) }
/// if status != 0 { callback.disarm() }
/// ```
///
/// The types are those of the arguments, as the closure gets them, and last that of the result.
///
/// Who asks for `context` gives the box to C: it lives until the call has returned, whatever becomes of this object. What
/// the closure captured goes with it. A second call is dropped and counted, also when two threads call at once. Where the
/// registration fails `disarm()` takes the box back; it may have been called before it failed, or have been destroyed by
/// the library, it makes no difference.
///
/// The call runs on whatever thread C calls from; the closure must not be used elsewhere at the same time.
public final class OnceCallback<each Argument, Result>: CallbackAdapter {
  @usableFromInline let id: ContextID
  private var isLent = false

  /// Makes a box around `body`.
  @inlinable
  public init(_ body: @escaping (repeat each Argument) -> Result) {
    id = CallbackSlots.add(CallbackBox<repeat each Argument, Result>(.any, body))
  }

  deinit { if !isLent { CallbackSlots.release(id) } }

  /// True once no call can come any more.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer to hand to C, which owns the box from now on.
  public var context: UnsafeMutableRawPointer {
    isLent = true
    return id.pointer
  }

  /// Takes the box back because C will not call. False when it has called; true when a call that comes nevertheless is
  /// dropped. A second time it does nothing.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// Does nothing: the library still makes the one call it owes, with its word for "cancelled".
  public func didUnregister() {}

  /// What C calls: runs the closure, the first time, and releases it. Returns `otherwise` where the call is dropped.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, otherwise: @autoclosure () -> Result
  ) -> Result {
    guard let box = CallbackSlots.take(ContextID(context)) else {
      typealias Box = CallbackBox<repeat each Argument, Result>
      DroppedCalls.add(.late, context, Box.self, Box.signature)
      return otherwise()
    }
    if type(of: box) != CallbackBox<repeat each Argument, Result>.self {
      wrongType(box, CallbackBox<repeat each Argument, Result>.signature)
    }
    return unsafeDowncast(box, to: CallbackBox<repeat each Argument, Result>.self).body.call(repeat each argument)
  }
}

extension OnceCallback where Result == Void {
  /// What C calls: runs the closure, the first time, and releases it.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    call(context, repeat each argument, otherwise: ())
  }
}

@available(*, unavailable)
extension OnceCallback: Sendable {}
