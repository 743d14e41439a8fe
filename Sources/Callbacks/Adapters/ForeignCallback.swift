public import Synchronization

/// A callback for a library that calls from its own threads, even while you unregister it. (End of life E7, threads T3.)
///
/// ```swift
/// let inlet = Inlet<Message>(capacity: 1024, whenFull: .dropOldest)
/// let callback = ForeignCallback<Message, Void> { inlet.send($0) }
/// set_message_handler(client, callback.context) { ForeignCallback<Message, Void>.call($0, Message(copying: $1)) }
/// ```
///
/// The generic arguments are the types of the closure's parameters, followed by the type of its result.
///
/// The closure is `@Sendable`, because it runs on any thread and on several threads simultaneously. Let it send to an
/// `Inlet`. Copy memory that C only lends in the C function, before you call the adapter.
///
/// The callback ends with `cancel()`, or when this object is deallocated. No call begins after that. Running calls continue,
/// and the last of them releases the closure. Later calls are dropped and counted. If the library has a destroy
/// notification, pass `lend()` to C instead of `context`: then C owns the closure until it calls `giveBack`.
///
/// - Complexity: A call takes two atomic additions, about 20 ns, and allocates nothing.
public final class ForeignCallback<each Argument, Result>: CallbackAdapter, Sendable {
  @usableFromInline let id: ContextID
  @usableFromInline let isLent = Atomic<Bool>(false)

  /// Creates a callback that runs `body`.
  ///
  /// `onEnd` runs once after C has given the context back and the last call has returned, on the thread of the later of
  /// these two events. It does not run if `cancel()` or `disarm()` ended the callback before.
  @inlinable
  public init(
    _ body: @escaping @Sendable (repeat each Argument) -> Result, onEnd: (@Sendable () -> Void)? = nil
  ) {
    id = CallbackSlots.add(CallbackBox<repeat each Argument, Result>(.any, onEnd: onEnd, body))
  }

  deinit { if !isLent.load(ordering: .relaxed) { CallbackSlots.release(id) } }

  /// True if the callback was canceled or given back.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer to pass to C. It does not retain the closure.
  public var context: UnsafeMutableRawPointer { id.pointer }

  /// Returns the pointer to pass to C, and makes C the owner of the closure until `giveBack` or `cancel()`.
  public func lend() -> UnsafeMutableRawPointer {
    isLent.store(true, ordering: .relaxed)
    return id.pointer
  }

  /// Ends the callback. No call begins after `cancel()` has returned.
  ///
  /// Call it from any thread, even from inside the closure. A second call does nothing.
  public func cancel() { CallbackSlots.close(id) }

  /// Ends the callback. Returns false if it had already ended.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// Ends the callback unless it was lent.
  public func didUnregister() { if !isLent.load(ordering: .relaxed) { CallbackSlots.close(id) } }

  /// Runs the closure on the calling thread and returns its result. Call this from the C function. Returns `otherwise` if the
  /// call is dropped.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(context, repeat each argument, otherwise: otherwise)
  }

  /// Ends the callback because C has released its context. Call this from the library's destroy notification, on any thread.
  public static func giveBack(_ context: UnsafeMutableRawPointer?) { CallbackSlots.giveBack(context) }
}

extension ForeignCallback where Result == Void {
  /// Runs the closure on the calling thread. Call this from the C function.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, otherwise: {})
  }
}
