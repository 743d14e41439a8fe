public import Streams

/// The slot of an asynchronous requirement of a `SendableProxy`. Handlers can suspend.
///
/// ```swift
/// let token = SendableAsyncProxyMethod<String, Int>()
/// func session(tokenFor user: Int) async -> String { await call(token, user) { await $0.session(tokenFor: $1) } }
/// ```
public final class SendableAsyncProxySlot<Failure: Error, Output: Sendable, each Argument: Sendable>:
  // Sendable: it adds no state to its superclass.
  SendableAsyncTupleSlot<Failure, Output, (repeat each Argument)>, @unchecked Sendable
{
  /// Creates a slot without a handler. Errors show `name`, for example the property's name.
  public override init(_ name: String? = nil, of owner: StaticString = #function) { super.init(name, of: owner) }
}

/// The slot of an asynchronous method that cannot throw. The first generic argument is the result type, followed by the types
/// of the arguments.
public typealias SendableAsyncProxyMethod<Output: Sendable, each Argument: Sendable> = SendableAsyncProxySlot<
  Never, Output, repeat each Argument
>

/// The slot of an asynchronous method that throws any error.
public typealias SendableAsyncThrowingProxyMethod<Output: Sendable, each Argument: Sendable> = SendableAsyncProxySlot<
  any Error, Output, repeat each Argument
>

/// The part of an asynchronous slot whose arguments are one tuple.
public class SendableAsyncTupleSlot<Failure: Error, Output: Sendable, Arguments: Sendable>: @unchecked Sendable {
  // Sendable: its only property is a Sendable constant.
  let hub: SlotHub<Arguments, @Sendable (Arguments) async throws(Failure) -> Output>

  init(_ name: String?, of owner: StaticString) { hub = SlotHub(name, of: owner) }

  deinit { hub.finish() }

  /// Returns a stream of the arguments of each call as one element, sent when the call begins and delivered in the home
  /// domain of the observer.
  ///
  /// Each observer has an `Inlet` with room for `capacity` elements, at least one. `policy` decides which element is dropped if
  /// it is full. The stream is hot and replays nothing. It completes when the slot is deallocated: with the proxy, unless your code
  /// retains the slot.
  public final func stream(capacity: Int, whenFull policy: OverflowPolicy) -> Stream<Arguments> {
    hub.stream(capacity, policy)
  }

  /// Sets the handler, which answers the method until the result is disposed or the proxy is deallocated. You need not
  /// retain the result. The arguments are one tuple, which a closure can destructure. Calls can overlap.
  ///
  /// Throws if the slot has a handler.
  @discardableResult
  public final func answer(
    _ handler: @escaping @Sendable (Arguments) async throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    try hub.install(handler, replacing: false)
  }

  /// Sets the handler, and replaces an existing one. Calls that the old handler has begun continue.
  @discardableResult
  public final func replaceAnswer(
    _ handler: @escaping @Sendable (Arguments) async throws(Failure) -> Output
  ) -> any Disposable {
    hub.replace(handler)
  }
}
