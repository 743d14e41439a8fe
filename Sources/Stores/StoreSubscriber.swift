public import Properties
public import Streams

/// An object that is told of a store's states.
public protocol StoreSubscriber<State>: AnyObject {
  /// The state it wants, or the part of it.
  associatedtype State

  /// Called at once, then for each new state.
  func newState(state: State)
}

/// A subscriber that a store tells.
struct StoreEntry {
  let subscriber: WeakObject
  let subscription: any Disposable
}

final class WeakObject {
  weak let object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}

extension Store {
  /// Tells an object, which is held weakly, of the state now and of each new one, in the order of subscription. An object that
  /// subscribes again replaces what it had.
  @discardableResult
  public func subscribe<Subscriber: StoreSubscriber>(
    _ subscriber: Subscriber, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Subscriber.State == State {
    subscribe(subscriber, isolation: isolation) { $0.toStream() }
  }

  /// Notifies an object of what `transform` makes of the state: `{ $0.select(\.picture) }`.
  @discardableResult
  public func subscribe<Subscriber: StoreSubscriber>(
    _ subscriber: Subscriber, isolation: (any Actor)? = #isolation,
    transform: (AnyProperty<State>) -> some StreamProtocol<Subscriber.State, Never>
  ) -> any Disposable {
    subscribe(subscriber, to: transform(readOnlyView), isolation)
  }

  /// Notifies an object of what `transform` makes of the state: `{ $0.select(\.name) }`. Leaves out what equals the one before, as
  /// ReSwift does, unless the store was made with `automaticallySkipsRepeats: false`.
  @discardableResult
  public func subscribe<Subscriber: StoreSubscriber>(
    _ subscriber: Subscriber, isolation: (any Actor)? = #isolation,
    transform: (AnyProperty<State>) -> some StreamProtocol<Subscriber.State, Never>
  ) -> any Disposable where Subscriber.State: Equatable {
    let skipsRepeats = skipsRepeats
    return subscribe(
      subscriber, to: transform(readOnlyView).skipRepeats { skipsRepeats && $0 == $1 }, isolation)
  }

  private func subscribe<Subscriber: StoreSubscriber>(
    _ subscriber: Subscriber, to states: some StreamProtocol<Subscriber.State, Never>, _ isolation: (any Actor)?
  ) -> any Disposable {
    unsubscribe(subscriber)
    // The first state is told before `bind` returns: the subscriber may unsubscribe, or subscribe again, then.
    let subscription = SerialDisposable()
    subscribers.append(StoreEntry(subscriber: WeakObject(subscriber), subscription: subscription))
    subscription.inner = states.bind(
      to: Binder(subscriber) { subscriber, state in
        if !subscription.isDisposed { subscriber.newState(state: state) }
      }, isolation: isolation)
    return subscription
  }

  /// Tells an object no more. One that is unsubscribed while a state is being told does not get that state.
  public func unsubscribe(_ subscriber: AnyObject) {
    for entry in subscribers where entry.subscriber.object === subscriber { entry.subscription.dispose() }
    subscribers.removeAll { $0.subscriber.object == nil || $0.subscriber.object === subscriber }
  }
}

extension StreamProtocol {
  /// A part of each state.
  public func select<Part>(_ select: @escaping (Element) -> Part) -> Operation<Part, Failure> { map(select) }

  /// Leaves out states of which `isSkipped` says true, given its predecessor and the state. The first passes.
  public func skip(when isSkipped: @escaping (_ old: Element, _ new: Element) -> Bool) -> Operation<Element, Failure> {
    distinct { !isSkipped($0, $1) }
  }

  /// Lets through the states of which `isShown` says true, given its predecessor and the state. The first passes.
  public func only(when isShown: @escaping (_ old: Element, _ new: Element) -> Bool) -> Operation<Element, Failure> {
    distinct(isShown)
  }

  /// Leaves out states that `isRepeat` says are the same as the one before.
  public func skipRepeats(_ isRepeat: @escaping (_ old: Element, _ new: Element) -> Bool) -> Operation<Element, Failure>
  {
    skip(when: isRepeat)
  }
}

extension StreamProtocol where Element: Equatable {
  /// Leaves out states that equal the one before.
  public func skipRepeats() -> Operation<Element, Failure> { skipRepeats { $0 == $1 } }
}
