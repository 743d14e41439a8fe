/// A disposable with nothing to dispose of: what a producer returns that has already said everything.
///
/// ```swift
/// let nothing = Operation<Int, Never> { observer in
///   observer.completed()
///   return .none
/// }
/// nothing.observeCompleted { print("done") }.dispose(in: bag)
/// ```
@frozen
public struct NonDisposable: Disposable {
  /// Makes one. All are alike.
  @inlinable
  public init() {}

  /// Always false.
  @inlinable
  public var isDisposed: Bool { false }

  /// Does nothing.
  @inlinable
  public func dispose() {}
}

@available(*, unavailable)
extension NonDisposable: Sendable {}

extension Disposable where Self == NonDisposable {
  /// A disposable with nothing to dispose of.
  @inlinable
  public static var none: NonDisposable { NonDisposable() }
}
