/// How long something lives: it ends when its token does.
///
/// The owner keeps the token, others get the lifetime; it does not keep the token alive.
///
/// ```swift
/// final class Model {
///   private let token = Lifetime.Token()
///   var lifetime: Lifetime { Lifetime(token) }
/// }
/// ticks.take(during: model.lifetime)
/// ```
///
/// Confined. A token that dies on a foreign thread ends the lifetime at home.
public struct Lifetime {
  /// What ends a lifetime: keep it in the one whose life it tells, and let it go with it.
  public final class Token {
    let push = PushStream<Never>()

    /// Makes a token; its lifetime begins.
    public init() {}

    deinit {
      push.completeAtHome()
    }
  }

  private let table: ObserverTable<Never, Never>

  /// The lifetime of `token`.
  public init(_ token: Token) { table = token.push.table }

  /// A lifetime and the token that ends it.
  public static func make() -> (lifetime: Lifetime, token: Token) {
    let token = Token()
    return (Lifetime(token), token)
  }

  /// A lifetime that has ended.
  public static var empty: Lifetime { Lifetime(Token()) }

  /// True once the token has gone.
  public var hasEnded: Bool { table.termination != nil }

  /// Completes when the lifetime ends, at once if it has ended. It never emits.
  public var ended: Stream<Never> {
    let table = table
    return Operation(unguarded: { observer in table.subscribe(observer) })
  }

  /// Runs `action` when the lifetime ends, at once if it has ended; what it returns takes that back.
  @discardableResult
  public func observeEnded(_ action: @escaping () -> Void) -> Subscription { ended.observeCompleted(action) }

  /// Disposes of `disposable` when the lifetime ends, at once if it has ended.
  public static func += (lifetime: Lifetime, disposable: any Disposable) {
    lifetime.observeEnded { disposable.dispose() }
  }
}

@available(*, unavailable)
extension Lifetime: Sendable {}
@available(*, unavailable)
extension Lifetime.Token: Sendable {}

extension StreamProtocol {
  /// The elements until `lifetime` ends, then completed; the source is disposed of. Without observing the source where it
  /// has ended. Nothing here keeps the token alive, nor what holds it.
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
