public import Properties
public import Streams

/// The slot of an asynchronous requirement. Handlers can suspend.
///
/// ```swift
/// let login = AsyncThrowingProxyMethod<Token, String>()
/// func session(tokenFor user: String) async throws -> Token { try await call(login, user) { try await $0.session(tokenFor: user) } }
/// ```
///
/// A call runs on the executor of its caller, and the streams send there. `willInvoke` sends when a call begins; `results`,
/// `outcomes`, and `didInvoke` send when it ends. Calls can overlap.
public final class AsyncProxySlot<Failure: Error, Output, each Argument>:
  AsyncTupleSlot<Failure, Output, (repeat each Argument)>
{
  /// Creates a slot without a handler.
  public override init() {}
}

/// The slot of an asynchronous method that cannot throw. The first generic argument is the result type, followed by the types
/// of the arguments.
public typealias AsyncProxyMethod<Output, each Argument> = AsyncProxySlot<Never, Output, repeat each Argument>

/// The slot of an asynchronous method that throws any error.
public typealias AsyncThrowingProxyMethod<Output, each Argument> = AsyncProxySlot<
  any Error, Output, repeat each Argument
>

/// The part of an asynchronous slot whose arguments are one tuple.
public class AsyncTupleSlot<Failure: Error, Output, Arguments>: ObservedSlot<Failure, Output, Arguments> {
  struct Handler {
    let call: (Arguments) async throws(Failure) -> Output
  }

  final var handler: Handler?

  override init() {}

  /// Sets the handler, which answers the method until the result is disposed or the proxy is deallocated.
  ///
  /// You need not retain the result. The arguments are one tuple, which a closure can destructure: `{ session, user in … }`.
  ///
  /// Throws if the slot has a handler.
  @discardableResult
  public final func answer(
    isolation: (any Actor)? = #isolation, _ handler: @escaping (Arguments) async throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceAnswer(isolation: isolation, handler)
  }

  /// Sets the handler, and replaces an existing one. Calls that the old handler has begun continue.
  @discardableResult
  public final func replaceAnswer(
    isolation: (any Actor)? = #isolation, _ handler: @escaping (Arguments) async throws(Failure) -> Output
  ) -> any Disposable {
    install(handler, isolation, onEnd: {})
  }

  private final func install(
    _ handler: @escaping (Arguments) async throws(Failure) -> Output, _ isolation: (any Actor)?,
    onEnd: @escaping () -> Void
  ) -> any Disposable {
    let new = Handler(call: handler)
    return occupy(
      isolation, put: { self.handler = new },
      remove: { [weak self] in
        let old = self?.handler
        self?.handler = nil
        return old as Any
      }, end: { withExtendedLifetime(new) { onEnd() } })
  }

  /// Answers with the current value of a property. `transform` receives the value and the arguments, which are one tuple,
  /// and returns the result.
  ///
  /// The slot does not retain the property. After the property is deallocated, its last value is used. Throws if the slot
  /// has a handler.
  @discardableResult
  public final func feed<Value>(
    _ property: some PropertyProtocol<Value>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Value, Arguments) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceFeed(property, isolation: isolation, transform)
  }

  /// Answers with the current value of a property, and replaces an existing handler. Calls that the old handler has begun
  /// continue.
  @discardableResult
  public final func replaceFeed<Value>(
    _ property: some PropertyProtocol<Value>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Value, Arguments) throws(Failure) -> Output
  ) -> any Disposable {
    let view = property.readOnlyView
    return replaceAnswer(isolation: isolation) { (arguments: Arguments) async throws(Failure) -> Output in
      try transform(view.value, arguments)
    }
  }

  /// Answers the method with a closure that also sends to the returned stream.
  ///
  /// `dispatch` receives the subject to send to and the arguments, which are one tuple. It can suspend before it returns
  /// the result of the method. Throws if the slot has a handler.
  public final func stream<Element>(
    isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, Arguments) async throws(Failure) -> Output
  ) throws(SlotOccupied) -> Stream<Element> {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceStream(isolation: isolation, dispatch)
  }

  /// Answers the method with a closure that also sends to the returned stream, and replaces an existing handler. The
  /// stream of the old handler completes.
  public final func replaceStream<Element>(
    isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, Arguments) async throws(Failure) -> Output
  ) -> Stream<Element> {
    let push = PushStream<Element>()
    let place = install(
      { (arguments: Arguments) async throws(Failure) -> Output in try await dispatch(push, arguments) }, isolation,
      onEnd: { push.completed() })
    return holding(place, push, isolation)
  }
}

extension AsyncProxySlot {
  /// The arguments and the result of each call that returned, as one flat tuple.
  @inlinable
  public var results: Stream<(repeat each Argument, Output)> {
    pairs.spread(Flattening<repeat each Argument, Output>())
  }

  /// The arguments and the outcome of each call, as one flat tuple. The outcome is a `Result`.
  @inlinable
  public var outcomes: Stream<(repeat each Argument, Result<Output, Failure>)> {
    endings.spread(Flattening<repeat each Argument, Result<Output, Failure>>())
  }
}
