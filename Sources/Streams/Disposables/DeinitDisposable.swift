/// A disposable that disposes another one on deallocation, for a subscription that lives as long as an object retains it.
///
/// If the last reference is released on another thread, the other disposable is disposed in the home domain.
///
/// ```swift
/// final class Clock {
///   private var ticking: DeinitDisposable?
///   func start(_ ticks: Stream<Int>) { ticking = DeinitDisposable(ticks.observeNext { print($0) }) }
/// }
/// ```
public final class DeinitDisposable: Disposable {
  // A bag disposes its members at home.
  private let bag = DisposeBag()

  /// Creates a disposable that owns `disposable`.
  public init(_ disposable: any Disposable, isolation: (any Actor)? = #isolation) {
    bag.add(disposable, isolation: isolation)
  }

  /// True if the owned disposable has ended.
  public var isDisposed: Bool { bag.isDisposed }

  /// Disposes the owned disposable now. A second call does nothing.
  public func dispose() { bag.dispose() }

  /// Forwards to the owned disposable.
  public func pause() { bag.pause() }

  /// Forwards to the owned disposable.
  public func resume() { bag.resume() }
}

@available(*, unavailable)
extension DeinitDisposable: Sendable {}
