public import Properties
public import Streams

/// The slot of one requirement of a `SendableProxy`: calls come on any thread, and are observed at home and answered where they come.
///
/// ```swift
/// let shouldRetry = SendableProxyMethod<Bool, Int>()
/// ```
///
/// The types are those of the result and of the arguments, which are Sendable. `SendableProxyMethod` is the slot of a method that
/// cannot throw, `SendableThrowingProxyMethod` that of one that can; a method with typed throws names the error:
/// `SendableProxySlot<ParseError, Int, String>`.
public final class SendableProxySlot<Failure: Error, Output, each Argument: Sendable>:
  SendableTupleSlot<Failure, Output, (repeat each Argument)>, @unchecked Sendable
{
  // Sendable: it adds nothing to its superclass.

  /// Makes a slot that nobody listens to. Errors name it: `shouldRetry` of the class that declares it.
  public override init(_ name: String? = nil, of owner: StaticString = #function) { super.init(name, of: owner) }

  /// Has `handler` answer the method from now on, on the thread of whoever calls, until what this returns is disposed of or
  /// the proxy goes. It need not be kept. Calls may overlap.
  ///
  /// Throws if there is a handler already: two that both think they answer are a mistake.
  @discardableResult
  public func answer(
    _ handler: @escaping @Sendable (repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    try install(SendableSpreadHandler(handler), replacing: false)
  }

  /// The same, instead of the handler that may be there. Calls that it has begun go on.
  @discardableResult
  public func replaceAnswer(
    _ handler: @escaping @Sendable (repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    replace(SendableSpreadHandler(handler))
  }

  /// Has the current value of a property answer: `transform` makes the result of it and of the arguments, on the thread of whoever
  /// calls. The property is observed where this is called. A value that is set is seen by the next call.
  ///
  /// Throws if there is a handler already. Disposing of what it returns takes the handler away and observes no longer.
  @discardableResult
  public func feed<Value: Sendable>(
    _ property: some PropertyProtocol<Value>, isolation: isolated (any Actor)? = #isolation,
    _ transform: @escaping @Sendable (Value, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    let latest = Lock(property.value)
    let place = try install(SendablePrefixedHandler({ latest.withLock { $0 } }, transform), replacing: false)
    return CompositeDisposable([place, property.observeNext { value in latest.withLock { $0 = value } }])
  }
}

/// The slot of a method that cannot throw: the type of its result, then those of its arguments.
public typealias SendableProxyMethod<Output, each Argument: Sendable> = SendableProxySlot<
  Never, Output, repeat each Argument
>

/// The slot of a method that throws any error: the type of its result, then those of its arguments.
public typealias SendableThrowingProxyMethod<Output, each Argument: Sendable> = SendableProxySlot<
  any Error, Output, repeat each Argument
>

/// A slot whose handler is a function of the arguments as one tuple: `SendableProxySlot` gives it its face.
public class SendableTupleSlot<Failure: Error, Output, Arguments: Sendable>: @unchecked Sendable {
  // Sendable: a constant that is.
  let hub: SlotHub<Arguments, @Sendable (Arguments) throws(Failure) -> Output>

  init(_ name: String?, of owner: StaticString) { hub = SlotHub(name, of: owner) }

  deinit { hub.finish() }

  /// The arguments of each call, which are one element, at home: before the method is answered, and if it throws, too.
  ///
  /// Each observer has an `Inlet` of its own, whose buffer holds `capacity` elements, at least one; `policy` says which one is
  /// dropped if it is full. An observer keeps its loop alive. The stream is hot: it has no memory, and starts with the next call.
  /// It completes when the proxy goes, which it does not keep.
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

/// The slots of a property requirement of a `SendableProxy`: one for reading it, one for setting it. See `ProxyProperty`.
public struct SendableProxyProperty<Value: Sendable>: Sendable {
  /// Asked for the value.
  public let getter: SendableProxyMethod<Value>
  /// Told the new value.
  public let setter: SendableProxyMethod<Void, Value>

  /// Makes both, with nobody listening. Errors name them: `limit` of the class that declares it.
  public init(_ name: String? = nil, of owner: StaticString = #function) {
    getter = SendableProxyMethod(name.map { "\($0).getter" }, of: owner)
    setter = SendableProxyMethod(name.map { "\($0).setter" }, of: owner)
  }
}
