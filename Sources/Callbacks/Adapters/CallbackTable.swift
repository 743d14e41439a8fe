/// An object whose methods C calls through a table of function pointers that share one data pointer: `fopencookie`, a
/// parser with twenty handlers, a stream with read, write, and close. (C6; C2 and C4 if the context is an object.)
///
/// ```swift
/// let table = CallbackTable(MyFile())
/// let file = fopencookie(table.context, "r", cookie_io_functions_t(
///   read: { context, buffer, size in CallbackTable<MyFile>.with(context, otherwise: -1) { $0.read(buffer, size) } },
///   write: nil, seek: nil,
///   close: { CallbackTable<MyFile>.giveBack($0); return 0 }))
/// ```
///
/// The table ends with `cancel()`, when C gives the context back, or when this object is deallocated. If you pass `lend()`
/// to C instead of `context`, C owns the table until it gives the context back. When the table ends, the object is released
/// immediately, or when the running call returns. Later calls are dropped and counted.
///
/// If you create it on the thread of a loop or on the main actor, calls from other threads are dropped and counted. If you
/// create it elsewhere, for example in an actor, it accepts calls from any thread, one at a time.
public final class CallbackTable<Object>: CallbackAdapter {
  private let id: ContextID
  private var isLent = false

  /// Creates a context for `object`. `onEnd` runs once after C has given the context back and the last call has returned.
  public init(_ object: Object, onEnd: (() -> Void)? = nil) {
    id = CallbackSlots.add(ObjectBox(AnyCallbackBox.confined, onEnd: onEnd, object))
  }

  deinit { if !isLent { CallbackSlots.release(id) } }

  /// True if the table was canceled or given back.
  public var isEnded: Bool { CallbackSlots.isClosed(id) }

  /// The pointer that all functions of the table share.
  public var context: UnsafeMutableRawPointer { id.pointer }

  /// Returns the pointer that all functions of the table share, and makes C the owner of the object until `giveBack`.
  public func lend() -> UnsafeMutableRawPointer {
    isLent = true
    return id.pointer
  }

  /// Ends the table: later calls are dropped. A second call of `cancel()` does nothing.
  public func cancel() { CallbackSlots.close(id) }

  /// Ends the table. Returns false if it had already ended.
  @discardableResult
  public func disarm() -> Bool { CallbackSlots.close(id) }

  /// Ends the table unless it was lent.
  public func didUnregister() { if !isLent { CallbackSlots.close(id) } }

  /// Runs `body` with the object and returns its result. Call this from each C function of the table. Returns `otherwise` if
  /// the call is dropped.
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

  /// Runs `body` with the object. Call this from a C function that returns nothing.
  @inlinable
  public static func with(_ context: UnsafeMutableRawPointer?, _ body: (Object) -> Void) {
    with(context, otherwise: (), body)
  }

  /// Ends the table because C has released its context. The object is released immediately, or when the running call returns.
  public static func giveBack(_ context: UnsafeMutableRawPointer?) {
    CallbackSlots.giveBack(context)
  }
}

@available(*, unavailable)
extension CallbackTable: Sendable {}

/// A slot's entry that holds an object.
@usableFromInline
final class ObjectBox<Object>: AnyCallbackBox {
  @usableFromInline let object: Object

  init(_ threads: CallingThreads, onEnd: (() -> Void)?, _ object: Object) {
    self.object = object
    super.init(threads, onEnd: onEnd)
  }
}
