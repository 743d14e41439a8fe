/// An object that C holds, as its context pointer, until it tells that it has closed.
///
/// ```swift
/// handle.pointee.data = UntilClosed<Timer>.lend(timer)
/// uv_timer_start(handle, { UntilClosed<Timer>.borrow($0!.pointee.data).fire() }, 10, 0)
/// …
/// uv_close(handle) { UntilClosed<Timer>.take($0!.pointee.data).didClose() }
/// ```
///
/// From `lend` to `take` the object lives, whatever else lets go of it. The closures are literals that name the concrete
/// type: a C function pointer cannot capture a generic parameter.
public enum UntilClosed<Object: AnyObject> {
  /// The pointer to hand to C. Keeps the object alive until `take`.
  public static func lend(_ object: Object) -> UnsafeMutableRawPointer { Unmanaged.passRetained(object).toOpaque() }

  /// The object behind a pointer that came back from C, which keeps it.
  @inlinable @inline(__always)
  public static func borrow(_ context: UnsafeMutableRawPointer?) -> Object {
    guard let context else { noContext() }
    return Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
  }

  /// The object behind a pointer that C has let go of.
  public static func take(_ context: UnsafeMutableRawPointer?) -> Object {
    guard let context else { noContext() }
    return Unmanaged<Object>.fromOpaque(context).takeRetainedValue()
  }

  @usableFromInline
  static func noContext() -> Never {
    fatalError(
      "C has called back without the context it was given: store what `lend` returned before the registration.")
  }
}
