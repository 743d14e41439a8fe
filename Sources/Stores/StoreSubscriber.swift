public import Properties
public import Streams

/// An object that receives the states of a store.
public protocol StoreSubscriber<State>: AnyObject {
  /// The type of the state, or of a part of it.
  associatedtype State

  /// Receives the current state when the object subscribes, then each new state.
  func newState(state: State)
}

/// The entry of a subscriber in a store.
struct StoreEntry {
  let subscriber: WeakObject
  let subscription: any Disposable
}

final class WeakObject {
  weak let object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}

extension Store {
  /// Subscribes an object, which is held weakly, to the current state and each new one. Objects are notified in the order of subscription.
  /// Subscribing an object again replaces its subscription.
  @discardableResult
  public func subscribe<Subscriber: StoreSubscriber>(
    _ subscriber: Subscriber, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Subscriber.State == State {
    subscribe(subscriber, isolation: isolation) { $0.toStream() }
  }

  /// Subscribes an object to the transformed state: `{ $0.select(\.picture) }`.
  @discardableResult
  public func subscribe<Subscriber: StoreSubscriber>(
    _ subscriber: Subscriber, isolation: (any Actor)? = #isolation,
    transform: (AnyProperty<State>) -> some StreamProtocol<Subscriber.State, Never>
  ) -> any Disposable {
    subscribe(subscriber, to: transform(readOnlyView), isolation)
  }

  /// Subscribes an object to the transformed state: `{ $0.select(\.name) }`. Skips a value that equals the previous one, as ReSwift does,
  /// unless the store was created with `automaticallySkipsRepeats: false`.
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
    // The first state is delivered before `bind` returns, and the subscriber can unsubscribe or subscribe again then.
    let subscription = SerialDisposable()
    if subscribers.count >= subscriberLimit {
      // Released last, because a deinit may use the store.
      let old = subscribers
      subscribers = old.filter { $0.value.subscriber.object != nil && !$0.value.subscription.isDisposed }
      withExtendedLifetime(old) {}
      // Doubled, so that subscribing stays constant on average.
      subscriberLimit = max(16, 2 * subscribers.count)
    }
    subscribers[ObjectIdentifier(subscriber)] = StoreEntry(
      subscriber: WeakObject(subscriber), subscription: subscription)
    subscription.inner = states.bind(
      to: Binder(subscriber) { subscriber, state in
        if !subscription.isDisposed { subscriber.newState(state: state) }
      }, isolation: isolation)
    return subscription
  }

  /// Ends the notifications of an object. An object that is unsubscribed during a delivery does not receive that state.
  public func unsubscribe(_ subscriber: AnyObject) {
    // Removed first, because the disposal can subscribe the object again.
    subscribers.removeValue(forKey: ObjectIdentifier(subscriber))?.subscription.dispose()
  }
}

extension StreamProtocol {
  /// Emits a part of each state.
  public func select<Part>(_ select: @escaping (Element) -> Part) -> Operation<Part, Failure> { map(select) }

  /// Emits the first state, then the states for which `isSkipped` returns false. The closure receives the previous
  /// state of the source and the new one.
  public func skip(when isSkipped: @escaping (_ old: Element, _ new: Element) -> Bool) -> Operation<Element, Failure> {
    distinct { !isSkipped($0, $1) }
  }

  /// Emits the first state, then the states for which `isShown` returns true. The closure receives the previous state
  /// of the source and the new one.
  public func only(when isShown: @escaping (_ old: Element, _ new: Element) -> Bool) -> Operation<Element, Failure> {
    distinct(isShown)
  }

  /// Emits the first state, then the states for which `isRepeat` returns false. The closure receives the previous state
  /// of the source and the new one.
  public func skipRepeats(_ isRepeat: @escaping (_ old: Element, _ new: Element) -> Bool) -> Operation<Element, Failure>
  {
    skip(when: isRepeat)
  }
}

extension StreamProtocol where Element: Equatable {
  /// Emits the first state, then the states that differ from the previous one.
  public func skipRepeats() -> Operation<Element, Failure> { skipRepeats { $0 == $1 } }
}
