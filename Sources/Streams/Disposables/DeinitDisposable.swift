/// Disposes of another one when it goes: for a subscription that lives as long as something holds it.
///
/// Where it dies on a foreign thread, the other one is disposed of at home.
///
/// ```swift
/// final class Clock {
///   private var ticking: DeinitDisposable?
///   func start(_ ticks: Stream<Int>) { ticking = DeinitDisposable(ticks.observeNext { print($0) }) }
/// }
/// ```
public final class DeinitDisposable: Disposable {
  // What dies with a bag is disposed of at home.
  private let bag = DisposeBag()

  /// Makes one that disposes of `disposable`.
  public init(_ disposable: any Disposable, isolation: (any Actor)? = #isolation) {
    bag.add(disposable, isolation: isolation)
  }

  /// True when the other one is.
  public var isDisposed: Bool { bag.isDisposed }

  /// Disposes of it now. Idempotent.
  public func dispose() { bag.dispose() }

  /// Passes the request on.
  public func pause() { bag.pause() }

  /// Passes the request on.
  public func resume() { bag.resume() }
}

@available(*, unavailable)
extension DeinitDisposable: Sendable {}
