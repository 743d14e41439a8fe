import Streams

/// A callback that C calls exactly once: requests, completions, thread entries.
///
/// ```swift
/// let callback = OnceCallback<Int32> { status in print(status) }
/// let status = start_request(callback.arm()) { context, status in
///   OnceCallback<Int32>.take(context)(status)
/// }
/// if status != 0 { callback.disarm() }
/// ```
///
/// `arm()` gives C a reference, which `take` takes back; after that the box is gone, and what its closure captured with it.
/// When the registration fails without having called back, `disarm()` takes the reference back instead.
///
/// The call runs on whatever thread C calls from; the closure must not be used elsewhere at the same time.
public final class OnceCallback<each Argument> {
  // A struct around the closure: this compiler cannot keep a bare variadic function in an optional.
  private struct Body {
    let call: (repeat each Argument) -> Void
  }

  private var body: Body?
  #if DEBUG
    private let token = LiveResources.register("callback")
  #endif

  /// Makes a box around `body`.
  public init(_ body: @escaping (repeat each Argument) -> Void) { self.body = Body(call: body) }

  /// The pointer to hand to C. Keeps the box alive until `take` or `disarm`.
  public func arm() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  /// Takes back the reference that `arm()` gave away, because C will not call.
  public func disarm() {
    body = nil
    Unmanaged.passUnretained(self).release()
  }

  /// The box behind a pointer that came back from C. C must not use the pointer again.
  public static func take(_ context: UnsafeMutableRawPointer?) -> OnceCallback {
    guard let context else {
      fatalError("C has called back without the context it was given: pass `arm()` as the context of the registration.")
    }
    return Unmanaged<OnceCallback>.fromOpaque(context).takeRetainedValue()
  }

  /// Runs the closure, the first time. The closure is released before it has returned.
  public func callAsFunction(_ argument: repeat each Argument) {
    guard let body = body.take() else {
      Diagnostics.report("A callback that comes once was called again, and the call dropped.")
      return
    }
    body.call(repeat each argument)
  }
}

@available(*, unavailable)
extension OnceCallback: Sendable {}
