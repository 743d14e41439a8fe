/// An object whose methods C calls through a table of function pointers that share one data pointer: `fopencookie`, a
/// parser with twenty handlers, a stream with read, write and close. (C6; C2 and C4 where the context is an object.)
///
/// ```swift
/// let table = CallbackTable(MyFile())
/// let file = fopencookie(table.context, "r", cookie_io_functions_t(
///   read: { context, buffer, size in CallbackTable<MyFile>.with(context, otherwise: -1) { $0.read(buffer, size) } },
///   write: nil, seek: nil,
///   close: { CallbackTable<MyFile>.giveBack($0); return 0 }))
/// ```
///
/// The table ends with `cancel()`, when C gives the context back, or when the last reference to this object goes; `lend()`
/// instead of `context` makes it C's alone until it is given back. The object is let go of then, or when the call that is
/// under way returns. Later calls are dropped and counted.
///
/// Calls belong to the thread that made the table, where a loop or the main actor owns that; made elsewhere it serves any
/// thread, one at a time.
public final class CallbackTable<Object>: CallbackAdapter {
  private let id: ContextID
  private var isLent = false

  /// Makes a context for `object`. `onEnd` runs once when C has given it back, after the last call.
  public init(_ object: Object, onEnd: (() -> Void)? = nil) {
    id = CallbackSlots.add(ObjectBox(AnyCallbackBox.confined, onEnd: onEnd, object))
  }

  deinit { if !isLent { CallbackSlots.release(id) } }

  /// True once no call can come any more.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer that all functions of the table share.
  public var context: UnsafeMutableRawPointer { id.pointer }

  /// The same, and the object is C's from now on: it lives until `giveBack`, whatever becomes of this one.
  public func lend() -> UnsafeMutableRawPointer {
    isLent = true
    return id.pointer
  }

  /// Ends it: calls that come later are dropped. A second time it does nothing.
  public func cancel() { CallbackSlots.close(id) }

  /// The same as `cancel()`.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// The same as `cancel()`, unless the table has been lent.
  public func didUnregister() { if !isLent { CallbackSlots.close(id) } }

  /// What each of C's functions does: finds the object and runs `body` with it. Returns `otherwise` where the call is
  /// dropped.
  @inlinable
  public static func with<Result>(
    _ context: UnsafeMutableRawPointer?, otherwise: @autoclosure () -> Result, _ body: (Object) -> Result
  ) -> Result {
    switch CallbackSlots.enter(ContextID(context)) {
    case .success(let entry):
      defer { CallbackSlots.leave(entry) }
      return entry.box._withUnsafeGuaranteedRef { box in
        if type(of: box) != ObjectBox<Object>.self { wrongType(box, "\(Self.self)") }
        return body(unsafeDowncast(box, to: ObjectBox<Object>.self).object)
      }
    case .failure(let reason):
      DroppedCalls.add(reason, context, Self.self, "\(Self.self)")
      return otherwise()
    }
  }

  /// The same for functions without a result.
  @inlinable
  public static func with(_ context: UnsafeMutableRawPointer?, _ body: (Object) -> Void) {
    with(context, otherwise: (), body)
  }

  /// C has let go of the context: the object goes, now or when the call that is under way returns.
  public static func giveBack(_ context: UnsafeMutableRawPointer?) {
    CallbackSlots.giveBack(context)
  }
}

@available(*, unavailable)
extension CallbackTable: Sendable {}

/// An object in the table of slots.
@usableFromInline
final class ObjectBox<Object>: AnyCallbackBox {
  @usableFromInline let object: Object

  init(_ threads: CallingThreads, onEnd: (() -> Void)?, _ object: Object) {
    self.object = object
    super.init(threads, onEnd: onEnd)
  }
}
