/// A callback that C calls at most once: the completion of a request, or the entry of a thread. (End of life E1.)
///
/// ```swift
/// let callback = OnceCallback<Int32, Void> { status in print(status) }
/// let status = start_request(callback.context) { OnceCallback<Int32, Void>.call($0, $1) }
/// if status != 0 { callback.disarm() }
/// ```
///
/// The generic arguments are the types of the closure's parameters, followed by the type of its result.
///
/// Reading `context` gives the closure to C. The closure lives until its call has returned, even if this object is
/// deallocated before. A second call is dropped and counted, even if two threads call simultaneously. If the registration
/// fails, call `disarm()` to release the closure. `disarm()` is safe if the library has called the callback or destroyed
/// its context before it failed.
///
/// The closure runs on the thread from which C calls. Do not use the captured values on another thread until the call has
/// returned.
public final class OnceCallback<each Argument, Result>: CallbackAdapter {
  @usableFromInline let id: ContextID
  private var isLent = false

  /// Creates a callback that runs `body`.
  @inlinable
  public init(_ body: @escaping (repeat each Argument) -> Result) {
    id = CallbackSlots.add(CallbackBox<repeat each Argument, Result>(.any, body))
  }

  deinit { if !isLent { CallbackSlots.release(id) } }

  /// True if the call has begun or the callback was disarmed.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer to pass to C. From then on C owns the closure.
  public var context: UnsafeMutableRawPointer {
    isLent = true
    return id.pointer
  }

  /// Releases the closure because C will not call. If C calls later, the call is dropped.
  ///
  /// Returns false if the callback had already ended.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// Does nothing. The library must still call once, usually with its code for a cancellation.
  public func didUnregister() {}

  /// Runs the closure and releases it. Call this from the C function. Returns `otherwise` if the call is dropped.
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
  /// Runs the closure and releases it. Call this from the C function. A second call is dropped.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    call(context, repeat each argument, otherwise: ())
  }
}

@available(*, unavailable)
extension OnceCallback: Sendable {}
