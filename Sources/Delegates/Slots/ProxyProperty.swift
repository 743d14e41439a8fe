public import Properties
public import Streams

/// The slots of a property requirement: one for reading it, one for setting it.
///
/// ```swift
/// let title = ProxyProperty<String>()
/// var windowTitle: String {
///   get { call(title.getter) { $0.windowTitle } }
///   set { call(title.setter, newValue) { $0.windowTitle = newValue } }
/// }
/// ```
///
/// A requirement that can only be read needs no `ProxyProperty`: a `ProxyMethod<String>` is enough.
public struct ProxyProperty<Value> {
  /// Asked for the value. Observe `getter.results` to see what is read.
  public let getter = ProxyMethod<Value>()
  /// Told the new value. Observe `setter.stream` to see what is set.
  public let setter = ProxyMethod<Void, Value>()

  /// Makes both, with nobody listening.
  public init() {}

  /// Each value that is set, after the forwardee has got it.
  public var stream: Stream<Value> { setter.stream }

  /// Has a property answer: reading gives its value, setting sets it. Throws where a slot has a handler already. Does not keep
  /// the property: when that has gone its last value answers, and setting does nothing.
  @discardableResult
  public func feed(
    _ property: some MutablePropertyProtocol<Value>, isolation: (any Actor)? = #isolation
  ) throws(SlotOccupied) -> any Disposable {
    if setter.hasHandler { throw SlotOccupied(slot: setter.name) }
    let reading = try getter.feed(property, isolation: isolation) { $0 }
    let setting = setter.replaceAnswer(isolation: isolation) { [weak property] in property?.value = $0 }
    return CompositeDisposable([reading, setting])
  }
}

@available(*, unavailable)
extension ProxyProperty: Sendable {}

extension ProxyProperty: SlotMember {
  func memberSlots(named name: String) -> [AnyProxySlot] {
    getter.memberSlots(named: "\(name).get") + setter.memberSlots(named: "\(name).set")
  }
}
