public import Properties
public import Streams

extension ProxySlot {
  /// Has `handler` answer the method from now on, until what this returns is disposed of or the proxy goes. It need not be
  /// kept.
  ///
  /// Throws where there is a handler already: two that both think they answer are a mistake.
  @discardableResult
  public func answer(
    isolation: (any Actor)? = #isolation, _ handler: @escaping (repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceAnswer(isolation: isolation, handler)
  }

  /// The same, instead of the handler that may be there, which is let go.
  @discardableResult
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
  @discardableResult
  public func feed<Value>(
    _ property: some PropertyProtocol<Value>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Value, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceFeed(property, isolation: isolation, transform)
  }

  /// The same, instead of the handler that may be there.
  @discardableResult
  public func replaceFeed<Value>(
    _ property: some PropertyProtocol<Value>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Value, repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    let view = property.readOnlyView
    return replaceAnswer(isolation: isolation) { (argument: repeat each Argument) throws(Failure) -> Output in
      try transform(view.value, repeat each argument)
    }
  }

  /// Has a live collection answer, as it is at the moment of the call.
  @discardableResult
  public func feed<Items: PositionedCollection>(
    _ list: some CollectionPropertyProtocol<Items>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Items, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> any Disposable {
    if hasHandler { throw SlotOccupied(slot: name) }
    return replaceFeed(list, isolation: isolation, transform)
  }

  /// The same, instead of the handler that may be there.
  @discardableResult
  public func replaceFeed<Items: PositionedCollection>(
    _ list: some CollectionPropertyProtocol<Items>, isolation: (any Actor)? = #isolation,
    _ transform: @escaping (Items, repeat each Argument) throws(Failure) -> Output
  ) -> any Disposable {
    let view = list.readOnlyView
    return replaceAnswer(isolation: isolation) { (argument: repeat each Argument) throws(Failure) -> Output in
      try transform(view.collection, repeat each argument)
    }
  }
}

extension TupleSlot {
  /// Puts a handler in place; `onEnd` runs, once and at home, when it is removed, replaced, or goes with the slot.
  final func install(
    _ new: SlotHandler<Failure, Output, Arguments>, _ isolation: (any Actor)?,
    onEnd: @escaping () -> Void
  ) -> any Disposable {
    let before = place
    place = nil
    before?.dispose()
    let place = HandlerPlace(
      remove: { [weak self] place in self?.remove(place) }, end: { withExtendedLifetime(new) { onEnd() } })
    places.add(place, isolation: isolation)
    handler = new
    self.place = place
    set(Self.handlerBit, true)
    return place
  }

  private final func remove(_ place: HandlerPlace) {
    guard place === self.place else { return }
    // Released when the slot is whole again.
    let old = handler
    self.place = nil
    handler = nil
    set(Self.handlerBit, false)
    _ = consume old
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
