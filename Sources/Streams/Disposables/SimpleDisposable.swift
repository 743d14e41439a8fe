/// A flag: it does nothing but remember that it has been disposed of.
///
/// For a producer that asks now and then whether it is still wanted.
public final class SimpleDisposable: Disposable {
  /// True after `dispose()`.
  public private(set) var isDisposed: Bool

  /// Makes one, disposed of already where `isDisposed` says so.
  public init(isDisposed: Bool = false) { self.isDisposed = isDisposed }

  /// Sets the flag. Idempotent.
  public func dispose() { isDisposed = true }
}

@available(*, unavailable)
extension SimpleDisposable: Sendable {}
