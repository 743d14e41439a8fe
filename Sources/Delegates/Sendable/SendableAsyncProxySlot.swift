public import Streams

/// The slot of an asynchronous requirement of a `SendableProxy`. It works as `SendableProxySlot` does; handlers may wait.
///
/// ```swift
/// let token = SendableAsyncProxyMethod<String, Int>()
/// func session(tokenFor user: Int) async -> String { await call(token, user) { await $0.session(tokenFor: $1) } }
/// ```
public final class SendableAsyncProxySlot<Failure: Error, Output: Sendable, each Argument: Sendable>:
  SendableAsyncTupleSlot<Failure, Output, (repeat each Argument)>, @unchecked Sendable
{
  // Sendable: it adds nothing to its superclass.

  /// Makes a slot that nobody listens to. Errors name it: `shouldRetry` of the class that declares it.
  public override init(_ name: String? = nil, of owner: StaticString = #function) { super.init(name, of: owner) }
}

/// The slot of an asynchronous method that cannot throw: the type of its result, then those of its arguments.
public typealias SendableAsyncProxyMethod<Output: Sendable, each Argument: Sendable> = SendableAsyncProxySlot<
  Never, Output, repeat each Argument
>

/// The slot of an asynchronous method that throws any error.
public typealias SendableAsyncThrowingProxyMethod<Output: Sendable, each Argument: Sendable> = SendableAsyncProxySlot<
  any Error, Output, repeat each Argument
>

/// A slot whose handler is an asynchronous function of the arguments as one tuple.
public class SendableAsyncTupleSlot<Failure: Error, Output: Sendable, Arguments: Sendable>: @unchecked Sendable {
  // Sendable: a constant that is.
  let hub: SlotHub<Arguments, @Sendable (Arguments) async throws(Failure) -> Output>

  init(_ name: String?, of owner: StaticString) { hub = SlotHub(name, of: owner) }

  deinit { hub.finish() }

  /// The arguments of each call, which are one element, at home, when the call begins. See
  /// `SendableTupleSlot.stream(capacity:whenFull:)`.
  public final func stream(capacity: Int, whenFull policy: OverflowPolicy) -> Stream<Arguments> {
    hub.stream(capacity, policy)
  }

  /// Has `handler` answer the method from now on, until what this returns is disposed of or the proxy goes. It need not be
  /// kept. The arguments are one tuple, which a closure may take apart. Calls may overlap.
  ///
  /// Throws if there is a handler already.
  @discardableResult
  public final func answer(
    _ handler: @escaping @Sendable (Arguments) async throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    try hub.install(handler, replacing: false)
  }

  /// The same, instead of the handler that may be there. Calls that it has begun go on.
  @discardableResult
  public final func replaceAnswer(
    _ handler: @escaping @Sendable (Arguments) async throws(Failure) -> Output
  ) -> any Disposable {
    hub.replace(handler)
  }
}
