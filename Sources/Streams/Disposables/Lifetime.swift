/// The lifetime of an object. It ends when its token is deallocated.
///
/// The object retains the token, and passes the lifetime to others. A lifetime does not retain its token.
///
/// ```swift
/// final class Model {
///   private let token = Lifetime.Token()
///   var lifetime: Lifetime { Lifetime(token) }
/// }
/// ticks.take(during: model.lifetime)
/// ```
///
/// A lifetime is confined to one domain. If its token is deallocated on another thread, it ends in the home domain.
public struct Lifetime {
  /// The token that ends a lifetime on deallocation. Store it in the object whose lifetime it is.
  public final class Token {
    let push = PushStream<Never>()
    /// The bag of `+=`, made at its first call.
    let bag = Cell<DisposeBag?>(nil)

    /// Creates a token, whose lifetime begins.
    public init() {}

    deinit {
      push.completeAtHome()
    }
  }

  private let table: ObserverTable<Never, Never>
  private let bag: Cell<DisposeBag?>

  /// The lifetime of `token`.
  public init(_ token: Token) {
    table = token.push.table
    bag = token.bag
  }

  /// Returns a lifetime and the token that ends it.
  public static func make() -> (lifetime: Lifetime, token: Token) {
    let token = Token()
    return (Lifetime(token), token)
  }

  /// A lifetime that has ended.
  public static var empty: Lifetime { Lifetime(Token()) }

  /// True after the token is deallocated.
  public var hasEnded: Bool { table.termination != nil }

  /// Completes when the lifetime ends, or immediately if it has ended. Emits nothing.
  public var ended: Stream<Never> {
    let table = table
    return Operation(unguarded: { observer in table.subscribe(observer) })
  }

  /// Runs `action` when the lifetime ends, or immediately if it has ended. Disposing the result cancels the call. The
  /// compiler passes `file` and `line`, which name the subscription in recordings and in reports of leaks.
  @discardableResult
  public func observeEnded(
    file: StaticString = #fileID, line: UInt = #line, _ action: @escaping () -> Void
  ) -> Subscription { ended.observeCompleted(file: file, line: line, action) }

  /// Disposes `disposable` when the lifetime ends, or immediately if it has ended. Releases disposables that have ended
  /// earlier, as `DisposeBag` does.
  public static func += (lifetime: Lifetime, disposable: any Disposable) {
    if lifetime.hasEnded { return disposable.dispose() }
    if let bag = lifetime.bag.value { return bag.add(disposable) }
    let bag = DisposeBag()
    lifetime.bag.value = bag
    bag.add(disposable)
    lifetime.observeEnded { bag.dispose() }
  }
}

@available(*, unavailable)
extension Lifetime: Sendable {}
@available(*, unavailable)
extension Lifetime.Token: Sendable {}

extension StreamProtocol {
  /// Emits the elements until `lifetime` ends, then completes and disposes the source.
  ///
  /// If the lifetime has ended, completes without observing the source. Retains neither the token nor its object.
  public func take(during lifetime: Lifetime) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let state = Until(observer)
      state.trigger.connect(lifetime.ended, next: { _ in }, termination: { _ in state.finish(.completed) })
      if state.exit.isDisposed { return state.exit }
      state.link.connect(self, next: { state.exit.next($0) }, termination: { state.finish($0) })
      return state.exit
    })
  }
}
