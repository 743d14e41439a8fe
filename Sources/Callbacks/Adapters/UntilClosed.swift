/// An object that C retains through a context pointer, until the library reports that it has closed.
///
/// ```swift
/// handle.pointee.data = UntilClosed<Timer>.lend(timer)
/// uv_timer_start(handle, { UntilClosed<Timer>.borrow($0!.pointee.data).fire() }, 10, 0)
/// …
/// uv_close(handle) { UntilClosed<Timer>.take($0!.pointee.data).didClose() }
/// ```
///
/// The object lives at least from `lend` to `take`. Name the concrete type in each closure, because a C function pointer
/// cannot capture a generic parameter.
public enum UntilClosed<Object: AnyObject> {
  /// Retains the object until `take`, and returns the pointer to pass to C.
  public static func lend(_ object: Object) -> UnsafeMutableRawPointer { Unmanaged.passRetained(object).toOpaque() }

  /// Returns the object of a pointer that C has passed back. C still retains the object.
  @inlinable @inline(__always)
  public static func borrow(_ context: UnsafeMutableRawPointer?) -> Object {
    guard let context else { noContext() }
    return Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
  }

  /// Returns the object of a pointer that C no longer uses, and ends the retain of `lend`.
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
