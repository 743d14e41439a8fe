/// A disposable that does nothing, for a producer without resources.
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

  /// Creates a disposable. `.none` returns a shared one.
  public init() {}

  /// Always false.
  public var isDisposed: Bool { false }

  /// Does nothing.
  public func dispose() {}
}

extension Disposable where Self == NonDisposable {
  /// A shared disposable that does nothing.
  @inlinable
  public static var none: NonDisposable { NonDisposable.instance }
}
