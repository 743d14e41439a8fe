/// A disposable that runs a closure, once.
///
/// ```swift
/// let source = Operation<Int, Never> { observer in
///   observer.next(1)
///   return BlockDisposable { print("stopped") }
/// }
/// source.observeNext { print($0) }.dispose()
/// ```
///
/// The closure is taken out before it runs, so a reentrant `dispose()` does nothing. Deallocation does not run the closure.
public final class BlockDisposable: Disposable {
  @exclusivity(unchecked) private var block: (() -> Void)?
  private let onPause: (() -> Void)?
  private let onResume: (() -> Void)?

  /// Creates a disposable that runs `block` when it is disposed. Pass `pause` and `resume` for a producer that can wait.
  public init(_ block: @escaping () -> Void, pause: (() -> Void)? = nil, resume: (() -> Void)? = nil) {
    self.block = block
    onPause = pause
    onResume = resume
  }

  /// True after `dispose()`.
  public var isDisposed: Bool { block == nil }

  /// Runs the closure. A second call does nothing.
  public func dispose() { block.take()?() }

  /// Runs the closure that was passed for the call, unless the disposable is disposed.
  public func pause() { if block != nil { onPause?() } }

  /// Runs the closure that was passed for the call, unless the disposable is disposed.
  public func resume() { if block != nil { onResume?() } }
}

@available(*, unavailable)
extension BlockDisposable: Sendable {}
