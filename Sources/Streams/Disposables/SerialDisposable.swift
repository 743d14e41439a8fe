/// A disposable that owns one disposable at a time. Setting another one disposes the previous one.
///
/// ```swift
/// let current = SerialDisposable()
/// current.inner = Stream.interval(.seconds(1)).observeNext { print("slow", $0) }
/// // The previous one is disposed.
/// current.inner = Stream.interval(.milliseconds(1)).observeNext { print("fast", $0) }
/// current.dispose()
/// ```
///
/// After `dispose()`, a disposable that you set is disposed immediately.
public final class SerialDisposable: Disposable {
  @exclusivity(unchecked) private var current: (any Disposable)?
  /// True after `dispose()`.
  public private(set) var isDisposed = false
  private var isPaused = false
  private var isWatched = false

  /// Creates a disposable that owns `inner`.
  public init(_ inner: (any Disposable)? = nil) { current = inner }

  /// The owned disposable. Setting another one disposes the previous one.
  public var inner: (any Disposable)? {
    get { current }
    set {
      let previous = current
      current = isDisposed ? nil : newValue
      previous?.dispose()
      if isDisposed {
        newValue?.dispose()
      } else if isPaused {
        newValue?.pause()
      }
      if isWatched, let newValue { EndWatch.watch(newValue) }
    }
  }

  /// Disposes the owned disposable, and all disposables that are set later.
  public func dispose() {
    isDisposed = true
    current.take()?.dispose()
  }

  /// Pauses the owned disposable, and those that are set until `resume()`.
  public func pause() {
    isPaused = true
    current?.pause()
  }

  /// Resumes the owned disposable.
  public func resume() {
    isPaused = false
    current?.resume()
  }
}

extension SerialDisposable: EndNotifying {
  @usableFromInline package var hasEnded: Bool { current.map(EndWatch.hasEnded) ?? true }

  @usableFromInline
  package func watch() {
    isWatched = true
    if let current { EndWatch.watch(current) }
  }
}

@available(*, unavailable)
extension SerialDisposable: Sendable {}
