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
/// The closure is released before it runs, so a re-entrant `dispose()` finds nothing to do. Letting go of a block
/// disposable does not run it.
public final class BlockDisposable: Disposable {
  @exclusivity(unchecked) private var block: (() -> Void)?
  private let onPause: (() -> Void)?
  private let onResume: (() -> Void)?

  /// Makes a disposable that runs `block` when it is disposed. `pause` and `resume` are for producers that can wait.
  public init(_ block: @escaping () -> Void, pause: (() -> Void)? = nil, resume: (() -> Void)? = nil) {
    self.block = block
    onPause = pause
    onResume = resume
  }

  /// True once `dispose()` has been called.
  public var isDisposed: Bool { block == nil }

  /// Runs the closure, the first time.
  public func dispose() { block.take()?() }

  /// Calls the closure given for it, unless disposed.
  public func pause() { if block != nil { onPause?() } }

  /// Calls the closure given for it, unless disposed.
  public func resume() { if block != nil { onResume?() } }
}

@available(*, unavailable)
extension BlockDisposable: Sendable {}
