public import Properties
public import Streams

/// A pure function that returns the next state for an action. It must not dispatch.
///
/// The state is nil if the store begins without one.
public typealias Reducer<State, Action> = (_ action: Action, _ state: State?) -> State

/// A state that only actions change, one action after the other.
///
/// ```swift
/// let store = Store<Int, Step>(reducer: { step, count in (count ?? 0) + step.size }, state: 0)
/// store.observeNext { print($0) }.dispose(in: bag)
/// store.dispatch(Step(size: 1))
/// ```
///
/// - `dispatch` passes the action through the middleware to the reducer. When it returns, the state is set and every subscriber has been
///   notified, in the order in which they subscribed.
/// - A subscriber can dispatch: the state is set immediately, and is delivered after the current one. A reducer that dispatches traps.
/// - As a property, the store delivers its state immediately, then each new state, and completes when it is deallocated. Its observers do
///   not retain it.
///
/// A store is confined to one domain. Other threads dispatch through `remote()`.
public final class Store<State, Action>: PropertyProtocol {
  /// The state.
  public typealias Value = State

  let property: Property<State>
  private let reducer: Reducer<State, Action>
  private let isRepeat: ((State, State) -> Bool)?
  /// Whether subscribers skip a state that equals the previous one, if their states can be compared.
  let skipsRepeats: Bool
  private var isReducing = false
  private var chain: ((Action) -> Void)?
  private var isMakingChain = false
  var subscribers: [ObjectIdentifier: StoreEntry] = [:]
  /// The number of entries at which those of deallocated subscribers are removed.
  var subscriberLimit = 16
  /// Called with an action and the state after it, before subscribers are notified.
  var didReduce: ((Action, State) -> Void)?

  /// The middleware that actions pass, in this order. A change takes effect with the next action.
  public var middleware: [Middleware<State, Action>] { didSet { chain = nil } }

  init(
    _ state: State, _ reducer: @escaping Reducer<State, Action>, _ middleware: [Middleware<State, Action>],
    isRepeat: ((State, State) -> Bool)?, skipsRepeats: Bool = true
  ) {
    self.skipsRepeats = skipsRepeats
    property = Property(state)
    self.reducer = reducer
    self.middleware = middleware
    self.isRepeat = isRepeat
  }

  /// Creates a store with a state. Each action notifies subscribers, even if the state does not change.
  @_disfavoredOverload
  public convenience init(
    reducer: @escaping Reducer<State, Action>, state: State, middleware: [Middleware<State, Action>] = []
  ) { self.init(state, reducer, middleware, isRepeat: nil) }

  /// Creates a store whose first state the reducer returns for `initialAction` and nil. That action does not pass the middleware.
  @_disfavoredOverload
  public convenience init(
    reducer: @escaping Reducer<State, Action>, initialAction: Action, middleware: [Middleware<State, Action>] = []
  ) { self.init(reducer(initialAction, nil), reducer, middleware, isRepeat: nil) }

  /// The state.
  public var state: State { property.value }

  /// The state.
  public var value: State { property.value }

  /// The state as a property. It does not retain the store.
  public var readOnlyView: AnyProperty<State> { property.readOnlyView }

  /// Adds an observer, and returns its subscription.
  public func subscribe(_ observer: Observer<State, Never>) -> any Disposable { property.subscribe(observer) }

  /// Passes an action through the middleware to the reducer.
  ///
  /// When it returns, the state is set and every subscriber has been notified. If a subscriber dispatches during a notification, the new state
  /// is delivered after the current one.
  public func dispatch(_ action: Action) {
    if isReducing {
      misuse(
        """
        A reducer has dispatched \(action). Reducers are pure: dispatch from a subscriber or from middleware, which run when \
        the reducer has returned.
        """)
    }
    let chain = self.chain ?? makeChain()
    chain(action)
  }

  /// Builds the chain of the middleware. Actions that middleware dispatches after the store's deallocation are dropped.
  private func makeChain() -> (Action) -> Void {
    if isMakingChain {
      misuse(
        """
        Middleware has dispatched while it was being put together. Dispatch from its innermost closure, which receives the \
        action.
        """)
    }
    isMakingChain = true
    defer { isMakingChain = false }
    var next: (Action) -> Void = { [weak self] in self?.reduce($0) }
    for middleware in middleware.reversed() {
      next = middleware({ [weak self] in self?.dispatch($0) }, { [weak self] in self?.state })(next)
    }
    chain = next
    return next
  }

  private func reduce(_ action: Action) {
    if isReducing { misuse("A reducer has passed \(action) on through middleware. Reducers are pure.") }
    isReducing = true
    let old = property.value
    let new = reducer(action, old)
    isReducing = false
    didReduce?(action, new)
    setState(new)
  }

  /// Sets the state without the reducer, for time travel.
  func setState(_ new: State) {
    if isReducing { misuse("A reducer has gone to another state by TimeTravel. Reducers are pure.") }
    if let isRepeat, isRepeat(property.value, new) {
      property.silentUpdate(new)
    } else {
      property.value = new
    }
  }
}

extension Store where State: Equatable {
  /// Creates a store with a state. By default, a state that equals the previous one does not notify subscribers.
  public convenience init(
    reducer: @escaping Reducer<State, Action>, state: State, middleware: [Middleware<State, Action>] = [],
    automaticallySkipsRepeats: Bool = true
  ) {
    self.init(
      state, reducer, middleware, isRepeat: automaticallySkipsRepeats ? { $0 == $1 } : nil,
      skipsRepeats: automaticallySkipsRepeats)
  }

  /// Creates a store whose first state the reducer returns for `initialAction` and nil. By default, a state that equals the previous one does
  /// not notify subscribers.
  public convenience init(
    reducer: @escaping Reducer<State, Action>, initialAction: Action, middleware: [Middleware<State, Action>] = [],
    automaticallySkipsRepeats: Bool = true
  ) {
    self.init(
      reducer(initialAction, nil), reducer, middleware, isRepeat: automaticallySkipsRepeats ? { $0 == $1 } : nil,
      skipsRepeats: automaticallySkipsRepeats)
  }
}

extension Store: LifetimeProviding {
  /// The lifetime of the store.
  public var lifetime: Lifetime { property.lifetime }
}

extension Store {
  /// A target that dispatches each value until the store is deallocated: `clicks.bind(to: store.dispatchTarget)`.
  public var dispatchTarget: BindingTarget<Action> { Binder(self) { $0.dispatch($1) }.bindingTarget }
}

@available(*, unavailable)
extension Store: Sendable {}
