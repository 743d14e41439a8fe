public import Synchronization

/// A callback for a library that calls from threads of its own, where a call may be under way while I unregister. (E7, T3.)
///
/// ```swift
/// let inlet = Inlet<Message>(capacity: 1024, whenFull: .dropOldest)
/// let callback = ForeignCallback<Message, Void> { inlet.send($0) }
/// set_message_handler(client, callback.context) { ForeignCallback<Message, Void>.call($0, Message(copying: $1)) }
/// ```
///
/// The types are those of the arguments, as the closure gets them, and last that of the result.
///
/// The closure is `@Sendable`: it runs on any thread, on several at once, and hands what it gets to an `Inlet`. What C
/// borrows out is copied before, in the C closure.
///
/// The callback ends with `cancel()`, or when the last reference to this object goes. No call begins after that; calls that
/// are under way end undisturbed, and the last of them releases the closure. Later calls are dropped and counted. With
/// a destroy notify hand `lend()` to C: then C owns the box until `giveBack`.
///
/// Cost of a call: two atomic additions, about 20 ns, and no allocation.
public final class ForeignCallback<each Argument, Result>: CallbackAdapter, Sendable {
  @usableFromInline let id: ContextID
  @usableFromInline let isLent = Atomic<Bool>(false)

  /// Makes a box around `body`. `onEnd` runs once when C has given it back, after the last call, on the thread of either.
  @inlinable
  public init(
    _ body: @escaping @Sendable (repeat each Argument) -> Result, onEnd: (@Sendable () -> Void)? = nil
  ) {
    id = CallbackSlots.add(CallbackBox<repeat each Argument, Result>(.any, onEnd: onEnd, body))
  }

  deinit { if !isLent.load(ordering: .relaxed) { CallbackSlots.release(id) } }

  /// True once no call can come any more.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer to hand to C. It does not keep the box alive.
  public var context: UnsafeMutableRawPointer { id.pointer }

  /// The pointer to hand to C, which owns the box from now on: it lives until C gives it back with `giveBack`, or until
  /// `cancel()`.
  public func lend() -> UnsafeMutableRawPointer {
    isLent.store(true, ordering: .relaxed)
    return id.pointer
  }

  /// Ends it. No call begins after this one has returned. From any thread, also from inside of a call; a second time it
  /// does nothing.
  public func cancel() { CallbackSlots.close(id) }

  /// The same as `cancel()`.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// The same as `cancel()`, unless it has been lent.
  public func didUnregister() { if !isLent.load(ordering: .relaxed) { CallbackSlots.close(id) } }

  /// What C calls, from any thread: runs the closure and returns its answer, or `otherwise` where the call is dropped.
  @inlinable
  public static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, otherwise: @autoclosure () -> Result
  ) -> Result {
    CallbackBox<repeat each Argument, Result>.call(context, repeat each argument, otherwise: otherwise)
  }

  /// C has let go of the context, on any thread: ends it. For libraries with a destroy notify.
  public static func giveBack(_ context: UnsafeMutableRawPointer?) { CallbackSlots.giveBack(context) }
}

extension ForeignCallback where Result == Void {
  /// What C calls, from any thread: runs the closure.
  @inlinable
  public static func call(_ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument) {
    CallbackBox<repeat each Argument, Void>.call(context, repeat each argument, otherwise: {})
  }
}
