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

extension ObservedSlot {
  /// Puts a handler in place of the one that may be there: `put` stores it, `remove` takes it out and returns it. `end` runs,
  /// once and at home, when it is removed or replaced, or goes with the slot.
  final func occupy(
    _ isolation: (any Actor)?, put: () -> Void, remove: @escaping () -> Any, end: @escaping () -> Void
  ) -> any Disposable {
    // Nobody will ask: the end of what has not begun.
    if isFinished {
      let ended = BlockDisposable(end)
      ended.dispose()
      return ended
    }
    let before = place
    place = nil
    before?.dispose()
    let place = HandlerPlace(
      remove: { [weak self] place in
        guard let self, self.place === place else { return }
        self.place = nil
        let old = remove()
        set(Self.handlerBit, false)
        withExtendedLifetime(old) {}
      }, end: end)
    places.add(place, isolation: isolation)
    put()
    self.place = place
    set(Self.handlerBit, true)
    return place
  }
}

/// A handler's stay in its slot.
///
/// Ownership: proxy ===> bag ===> place ===> handler; slot ===> handler. The bag takes its places home to end them there,
/// wherever the proxy dies.
final class HandlerPlace: Disposable {
  private var remove: ((HandlerPlace) -> Void)?
  private var end: (() -> Void)?

  init(remove: @escaping (HandlerPlace) -> Void, end: @escaping () -> Void) {
    self.remove = remove
    self.end = end
  }

  var isDisposed: Bool { remove == nil }

  func dispose() {
    remove.take()?(self)
    end.take()?()
  }
}
