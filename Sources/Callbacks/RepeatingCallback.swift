import Streams

/// A callback that C may call any number of times until it has been unregistered.
///
/// ```swift
/// let callback = RepeatingCallback<Int32> { value in print(value) }
/// set_handler(callback.context) { context, value in
///   RepeatingCallback<Int32>.borrow(context)(value)
/// }
/// …
/// set_handler(nil, nil)
/// callback.cancel()
/// ```
///
/// The owner keeps the box alive for as long as C may call: from the registration to the unregistration. After `cancel()`
/// calls do nothing. Where C tells when it has let go (a destroy notify, a close callback) use `UntilClosed` instead.
///
/// The call runs on whatever thread C calls from; the closure must not be used elsewhere at the same time.
public final class RepeatingCallback<each Argument> {
  private struct Body {
    let call: (repeat each Argument) -> Void
  }

  private var body: Body?
  #if DEBUG
    private let token = LiveResources.register("callback")
  #endif

  /// Makes a box around `body`.
  public init(_ body: @escaping (repeat each Argument) -> Void) { self.body = Body(call: body) }

  /// The pointer to hand to C. It does not keep the box alive.
  public var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The box behind a pointer that came back from C.
  public static func borrow(_ context: UnsafeMutableRawPointer?) -> RepeatingCallback {
    guard let context else {
      fatalError("C has called back without the context it was given: pass `context` with the registration.")
    }
    return Unmanaged<RepeatingCallback>.fromOpaque(context).takeUnretainedValue()
  }

  /// Runs the closure, unless cancelled. It may cancel itself.
  public func callAsFunction(_ argument: repeat each Argument) {
    guard let body else { return }
    body.call(repeat each argument)
  }

  /// Releases the closure; later calls do nothing.
  public func cancel() { body = nil }
}

@available(*, unavailable)
extension RepeatingCallback: Sendable {}
