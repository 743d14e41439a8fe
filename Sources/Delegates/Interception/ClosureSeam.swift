public import Streams

/// A closure property of an object as a seam: what is called through it is observed, and goes on to the closure that was there.
///
/// ```swift
/// let data = Reactive(connection).seam(at: \.onData)
/// data.stream.observeNext { bytes in print(bytes.count) }.dispose(in: bag)
/// data.dispose(in: bag)
/// ```
///
/// `Reactive.seam(at:)` makes it of `var onData: (Bytes) -> Void` and of `var onData: ((Bytes) -> Void)?`, with up to three
/// arguments; `init(wrapping:of:)` is for others. `slot` has the streams, and takes a handler that answers instead of the closure.
///
/// The object is held weakly. Disposing of the seam, or letting it go, takes it out of the property, which gets the closure back
/// that was there: it should not have been set meanwhile, since closures cannot be told apart.
///
/// Confined.
public final class ClosureSeam<Failure: Error, Output, each Argument>: Disposable {
  /// The streams of the calls, and their handler.
  public let slot: ProxySlot<Failure, Output, repeat each Argument> = .init()
  private let installation = DisposeBag()

  /// Puts a closure in the place of the one at `keyPath`: `wrap` makes it of that one and of the slot, through which it sends the
  /// calls with `intercept`.
  ///
  /// ```swift
  /// let seam = ClosureSeam<Never, Void, Int, Int, Int, Int, Int>(wrapping: \.onMove, of: board) { slot, original in
  ///   { a, b, c, d, e in slot.intercept((a, b, c, d, e)) { original(a, b, c, d, e) } }
  /// }
  /// ```
  public init<Owner: AnyObject, Closure>(
    wrapping keyPath: ReferenceWritableKeyPath<Owner, Closure>, of owner: Owner, isolation: (any Actor)? = #isolation,
    _ wrap: (ProxySlot<Failure, Output, repeat each Argument>, Closure) -> Closure
  ) {
    let original = owner[keyPath: keyPath]
    owner[keyPath: keyPath] = wrap(slot, original)
    installation.add(
      BlockDisposable { [weak owner] in owner?[keyPath: keyPath] = original }, isolation: isolation)
  }

  /// The arguments of each call, after the closure has been called.
  public var stream: Stream<(repeat each Argument)> { calls(of: slot) }

  /// True once the closure that was there is back.
  public var isDisposed: Bool { installation.isDisposed }

  /// Puts the closure back that was there. The streams complete. Idempotent.
  public func dispose() {
    installation.dispose()
    finish(slot)
  }
}

@available(*, unavailable)
extension ClosureSeam: Sendable {}

// The compiler does not see members that a class with a pack inherits, except through generic parameters.
private func calls<Slot: CalledSlot>(of slot: Slot) -> Stream<Slot.Arguments> { slot.didInvoke }
private func finish<Slot: AnyProxySlot>(_ slot: Slot) { slot.finish() }
