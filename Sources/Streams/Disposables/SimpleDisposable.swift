/// A disposable with only a flag for its disposal.
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
/// Use it in a producer that checks regularly whether to continue.
public final class SimpleDisposable: Disposable {
  /// True after `dispose()`.
  public private(set) var isDisposed: Bool

  /// Creates a disposable, which is disposed if `isDisposed` is true.
  public init(isDisposed: Bool = false) { self.isDisposed = isDisposed }

  /// Sets the flag.
  public func dispose() { isDisposed = true }
}

@available(*, unavailable)
extension SimpleDisposable: Sendable {}
