/// Holds one disposable at a time; setting another disposes of the one before.
///
/// ```swift
/// let current = SerialDisposable()
/// current.inner = Stream.interval(.seconds(1)).observeNext { print("slow", $0) }
/// // The one before is disposed of.
/// current.inner = Stream.interval(.milliseconds(1)).observeNext { print("fast", $0) }
/// current.dispose()
/// ```
///
/// After `dispose()` whatever is set is disposed at once.
public final class SerialDisposable: Disposable {
  @exclusivity(unchecked) private var current: (any Disposable)?
  /// True after `dispose()`.
  public private(set) var isDisposed = false
  private var isPaused = false
  private var isWatched = false

  /// Makes one that holds `inner`.
  public init(_ inner: (any Disposable)? = nil) { current = inner }

  /// What it holds. The previous one is disposed when a new one is set.
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

  /// Disposes of what it holds and of all that will be set.
  public func dispose() {
    isDisposed = true
    current.take()?.dispose()
  }

  /// Pauses what it holds and what will be set.
  public func pause() {
    isPaused = true
    current?.pause()
  }

  /// Resumes what it holds.
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
