public import Properties
public import Streams

extension ProxySlot {
  /// Sets the handler, which answers the method until the result is disposed or the proxy is deallocated. You need not
  /// retain the result.
  ///
  /// Throws if the slot has a handler, because only one handler can answer.
  @inlinable @discardableResult
  public func answer(
    isolation: (any Actor)? = #isolation, _ handler: @escaping (repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceAnswer(isolation: isolation, handler)
  }

  /// Sets the handler, and releases an existing one.
  @inlinable @discardableResult
  public func replaceAnswer(
    isolation: (any Actor)? = #isolation, _ handler: @escaping (repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    install(SpreadHandler(handler), isolation, onEnd: {})
  }

  /// Answers with the current value of a property. `transform` receives the value and the arguments, and returns the
  /// result.
  ///
  /// ```swift
  /// try proxy.shouldRetry.feed(maximum) { maximum, _, attempt in attempt < maximum }
  /// ```
  ///
  /// The slot does not retain the property. After the property is deallocated, its last value is used. Throws if the slot
  /// has a handler.
  @inlinable @discardableResult
  public func feed<Value>(
    _ property: some PropertyProtocol<Value>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Value, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceFeed(property, isolation: isolation, transform)
  }

  /// Answers with the current value of a property, and replaces an existing handler.
  @inlinable @discardableResult
  public func replaceFeed<Value>(
    _ property: some PropertyProtocol<Value>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Value, repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    let view = property.readOnlyView
    return install(PrefixedHandler({ view.value }, transform), isolation, onEnd: {})
  }

  /// Answers with the content that a live collection has at the time of the call. Throws if the slot has a handler.
  @inlinable @discardableResult
  public func feed<Items: PositionedCollection>(
    _ list: some CollectionPropertyProtocol<Items>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Items, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceFeed(list, isolation: isolation, transform)
  }

  /// Answers with the content of a live collection, and replaces an existing handler.
  @inlinable @discardableResult
  public func replaceFeed<Items: PositionedCollection>(
    _ list: some CollectionPropertyProtocol<Items>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Items, repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    let view = list.readOnlyView
    return install(PrefixedHandler({ view.collection }, transform), isolation, onEnd: {})
  }
}
