/// A flag: it does nothing but remember that it has been disposed of.
///
/// ```swift
/// let source = Operation<Int, Never> { observer in
///   let flag = SimpleDisposable()
///   for number in 0..<100 where !flag.isDisposed && !observer.isDisposed { observer.next(number) }
///   return flag
/// }
/// source.take(2).observeNext { print($0) }.dispose(in: bag)
/// ```
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
