public import Properties
public import Streams

extension ProxySlot {
  /// Has `handler` answer the method from now on, until what this returns is disposed of or the proxy goes. It need not be
  /// kept.
  ///
  /// Throws where there is a handler already: two that both think they answer are a mistake.
  @inlinable @discardableResult
  public func answer(
    isolation: (any Actor)? = #isolation, _ handler: @escaping (repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceAnswer(isolation: isolation, handler)
  }

  /// The same, instead of the handler that may be there, which is let go.
  @inlinable @discardableResult
  public func replaceAnswer(
    isolation: (any Actor)? = #isolation, _ handler: @escaping (repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    install(SpreadHandler(handler), isolation, onEnd: {})
  }

  /// Has the current value of a property answer: `transform` makes the result of it and of the arguments.
  ///
  /// ```swift
  /// try proxy.shouldRetry.feed(maximum) { maximum, _, attempt in attempt < maximum }
  /// ```
  ///
  /// Does not keep the property; when that has gone its last value answers.
  @inlinable @discardableResult
  public func feed<Value>(
    _ property: some PropertyProtocol<Value>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Value, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceFeed(property, isolation: isolation, transform)
  }

  /// The same, instead of the handler that may be there.
  @inlinable @discardableResult
  public func replaceFeed<Value>(
    _ property: some PropertyProtocol<Value>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Value, repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    let view = property.readOnlyView
    return install(PrefixedHandler({ view.value }, transform), isolation, onEnd: {})
  }

  /// Has a live collection answer, as it is at the moment of the call.
  @inlinable @discardableResult
  public func feed<Items: PositionedCollection>(
    _ list: some CollectionPropertyProtocol<Items>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Items, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceFeed(list, isolation: isolation, transform)
  }

  /// The same, instead of the handler that may be there.
  @inlinable @discardableResult
  public func replaceFeed<Items: PositionedCollection>(
    _ list: some CollectionPropertyProtocol<Items>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Items, repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    let view = list.readOnlyView
    return install(PrefixedHandler({ view.collection }, transform), isolation, onEnd: {})
  }
}
