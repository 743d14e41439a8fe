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
/// For a requirement without a setter, use a `ProxyMethod<String>`.
public struct ProxyProperty<Value> {
  /// The slot of the getter. Observe `getter.results` for the values that were read.
  public let getter = ProxyMethod<Value>()
  /// The slot of the setter. Observe `setter.stream` for the values that were set.
  public let setter = ProxyMethod<Void, Value>()

  /// Creates the slots without handlers.
  public init() {}

  /// Each value that is set, sent after the forwardee's setter.
  public var stream: Stream<Value> { setter.stream }

  /// Answers with a property: the getter returns its value, and the setter sets it. Throws if a slot has a handler.
  ///
  /// The slots do not retain the property. After the property is deallocated, the getter returns its last value and the
  /// setter does nothing.
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
