public import Properties
public import Streams

/// The slot of one requirement of a `SendableProxy`: calls on any thread are observed in the home domain and answered on the
/// caller's thread.
///
/// ```swift
/// let shouldRetry = SendableProxyMethod<Bool, Int>()
/// ```
///
/// The generic arguments are the result type, followed by the types of the arguments, which are Sendable. `SendableProxyMethod`
/// is the slot of a method that cannot throw, `SendableThrowingProxyMethod` of one that throws any error. For typed throws,
/// name the error: `SendableProxySlot<ParseError, Int, String>`.
public final class SendableProxySlot<Failure: Error, Output, each Argument: Sendable>:
  // Sendable: it adds no state to its superclass.
  SendableTupleSlot<Failure, Output, (repeat each Argument)>, @unchecked Sendable
{
  /// Creates a slot without a handler. Errors show `name`, for example the property's name.
  public override init(_ name: String? = nil, of owner: StaticString = #function) { super.init(name, of: owner) }

  /// Sets the handler, which answers the method on the caller's thread until the result is disposed or the proxy is
  /// deallocated. You need not retain the result. Calls can overlap.
  ///
  /// Throws if the slot has a handler, because only one handler can answer.
  @discardableResult
  public func answer(
    _ handler: @escaping @Sendable (repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    try install(SendableSpreadHandler(handler), replacing: false)
  }

  /// Sets the handler, and replaces an existing one. Calls that the old handler has begun continue.
  @discardableResult
  public func replaceAnswer(
    _ handler: @escaping @Sendable (repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    replace(SendableSpreadHandler(handler))
  }

  /// Answers with the current value of a property. `transform` receives the value and the arguments on the caller's thread,
  /// and returns the result.
  ///
  /// The property is observed in the domain that calls this method. Calls use a new value from the moment at which this observation
  /// receives it, after the observers that the property had before. Throws if the slot has a handler.
  ///
  /// The observation ends with the handler: when the result is disposed, another handler replaces it, or the proxy is deallocated.
  @discardableResult
  public func feed<Value: Sendable>(
    _ property: some PropertyProtocol<Value>, isolation: isolated (any Actor)? = #isolation,
    _ transform: @escaping @Sendable (Value, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    let fed = FedValue(property.value)
    let place = try install(SendablePrefixedHandler({ fed.latest.withLock { $0 } }, transform), replacing: false)
    let latest = fed.latest
    fed.observation.add(property.observeNext { value in latest.withLock { $0 = value } }, isolation: isolation)
    return place
  }
}

/// The value of a property for callers on any thread. The handler that reads it retains it, and it retains the observation.
private final class FedValue<Value: Sendable>: Sendable {
  let latest: Lock<Value>
  /// Used only by `feed`. Its deinit disposes the observation in the domain of `feed`.
  nonisolated(unsafe) let observation = DisposeBag()

  init(_ value: Value) { latest = Lock(value) }
}

/// The slot of a method that cannot throw. The first generic argument is the result type, followed by the types of the
/// arguments.
public typealias SendableProxyMethod<Output, each Argument: Sendable> = SendableProxySlot<
  Never, Output, repeat each Argument
>

/// The slot of a method that throws any error. The first generic argument is the result type, followed by the types of the
/// arguments.
public typealias SendableThrowingProxyMethod<Output, each Argument: Sendable> = SendableProxySlot<
  any Error, Output, repeat each Argument
>

/// The part of `SendableProxySlot` whose arguments are one tuple.
public class SendableTupleSlot<Failure: Error, Output, Arguments: Sendable>: @unchecked Sendable {
  // Sendable: its only property is a Sendable constant.
  let hub: SlotHub<Arguments, @Sendable (Arguments) throws(Failure) -> Output>

  init(_ name: String?, of owner: StaticString) { hub = SlotHub(name, of: owner) }

  deinit { hub.finish() }

  /// Returns a stream of the arguments of each call as one element, sent before the method is answered and delivered in
  /// the home domain of the observer.
  ///
  /// Each observer has an `Inlet` with room for `capacity` elements, at least one. `policy` decides which element is dropped if
  /// it is full. An observer keeps its loop alive. The stream is hot and replays nothing. It retains neither
  /// the proxy nor the slot. It completes when the slot is deallocated: with the proxy, unless your code retains the slot.
  public final func stream(capacity: Int, whenFull policy: OverflowPolicy) -> Stream<Arguments> {
    hub.stream(capacity, policy)
  }

  final func install<Step: SendableSpreading>(
    _ handler: Step, replacing: Bool
  ) throws(SlotOccupied) -> any Disposable
  where Step.Arguments == Arguments, Step.Output == Output, Step.Failure == Failure {
    try hub.install(
      { (arguments: Arguments) throws(Failure) in try handler.call(arguments) }, replacing: replacing)
  }

  final func replace<Step: SendableSpreading>(_ handler: Step) -> any Disposable
  where Step.Arguments == Arguments, Step.Output == Output, Step.Failure == Failure {
    hub.replace { (arguments: Arguments) throws(Failure) in try handler.call(arguments) }
  }
}

/// The slots of a property requirement of a `SendableProxy`: one for the getter, one for the setter.
public struct SendableProxyProperty<Value: Sendable>: Sendable {
  /// The slot of the getter.
  public let getter: SendableProxyMethod<Value>
  /// The slot of the setter.
  public let setter: SendableProxyMethod<Void, Value>

  /// Creates the slots without handlers. Errors show `name`, for example the property's name.
  public init(_ name: String? = nil, of owner: StaticString = #function) {
    getter = SendableProxyMethod(name.map { "\($0).getter" }, of: owner)
    setter = SendableProxyMethod(name.map { "\($0).setter" }, of: owner)
  }
}
