public import Properties
public import Streams

/// The slot of an asynchronous requirement. It works as `ProxySlot` does; handlers may wait.
///
/// ```swift
/// let login = AsyncThrowingProxyMethod<Token, String>()
/// func session(tokenFor user: String) async throws -> Token { try await call(login, user) { try await $0.session(tokenFor: user) } }
/// ```
///
/// A call runs where its caller runs: the streams are sent to there. `willInvoke` hears of a call when it begins; `results`,
/// `outcomes` and `didInvoke` when it ends. Calls may overlap.
public final class AsyncProxySlot<Failure: Error, Output, each Argument>:
  AsyncTupleSlot<Failure, Output, (repeat each Argument)>
{
  /// Makes a slot that nobody listens to.
  public override init() {}
}

/// The slot of an asynchronous method that cannot throw: the type of its result, then those of its arguments.
public typealias AsyncProxyMethod<Output, each Argument> = AsyncProxySlot<Never, Output, repeat each Argument>

/// The slot of an asynchronous method that throws any error.
public typealias AsyncThrowingProxyMethod<Output, each Argument> = AsyncProxySlot<
  any Error, Output, repeat each Argument
>

/// A slot whose handler is an asynchronous function of the arguments as one tuple.
public class AsyncTupleSlot<Failure: Error, Output, Arguments>: ObservedSlot<Failure, Output, Arguments> {
  struct Handler {
    let call: (Arguments) async throws(Failure) -> Output
  }

  final var handler: Handler?

  override init() {}

  /// Has `handler` answer the method from now on, until what this returns is disposed of or the proxy goes. It need not be
  /// kept. The arguments are one tuple, which a closure may take apart: `{ session, user in … }`.
  ///
  /// Throws where there is a handler already.
  @discardableResult
  public final func answer(
    isolation: (any Actor)? = #isolation, _ handler: @escaping (Arguments) async throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceAnswer(isolation: isolation, handler)
  }

  /// The same, instead of the handler that may be there. Calls that it has begun go on.
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

  /// Has the current value of a property answer: `transform` makes the result of it and of the arguments, which are one tuple.
  /// Does not keep the property; when that has gone its last value answers.
  @discardableResult
  public final func feed<Value>(
    _ property: some PropertyProtocol<Value>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Value, Arguments) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceFeed(property, isolation: isolation, transform)
  }

  /// The same, instead of the handler that may be there. Calls that it has begun go on.
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

  /// A stream made of the calls, as `ProxySlot.stream`: `dispatch` gets the sending end and the arguments, which are one tuple;
  /// it may wait before it returns what the method returns.
  public final func stream<Element>(
    isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, Arguments) async throws(Failure) -> Output
  ) throws(SlotOccupied) -> Stream<Element> {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceStream(isolation: isolation, dispatch)
  }

  /// The same, instead of the handler that may be there. The stream of a handler that is replaced completes.
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
  /// The arguments and the result of each call that returned, as one tuple.
  @inlinable
  public var results: Stream<(repeat each Argument, Output)> {
    pairs.spread(Flattening<repeat each Argument, Output>())
  }

  /// The arguments and the outcome of each call, as one tuple: what it returned or what it threw.
  @inlinable
  public var outcomes: Stream<(repeat each Argument, Result<Output, Failure>)> {
    endings.spread(Flattening<repeat each Argument, Result<Output, Failure>>())
  }
}
