/// A disposable with nothing to dispose of: what a producer returns that has already said everything.
///
/// ```swift
/// let nothing = Operation<Int, Never> { observer in
///   observer.completed()
///   return .none
/// }
/// nothing.observeCompleted { print("done") }.dispose(in: bag)
/// ```
public final class NonDisposable: Disposable, Sendable {
  @usableFromInline static let instance = NonDisposable()

  /// Makes one. `.none` gives the one that all share.
  public init() {}

  /// Always false.
  public var isDisposed: Bool { false }

  /// Does nothing.
  public func dispose() {}
}

extension Disposable where Self == NonDisposable {
  /// A disposable with nothing to dispose of.
  @inlinable
  public static var none: NonDisposable { NonDisposable.instance }
}
