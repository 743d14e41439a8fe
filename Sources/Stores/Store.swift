public import Properties
public import Streams

/// Makes the state that follows from an action. Pure: it may not dispatch.
///
/// The state is nil when the store begins without one.
public typealias Reducer<State, Action> = (_ action: Action, _ state: State?) -> State

/// A state that changes by actions alone, one after the other.
///
/// ```swift
/// let store = Store<Int, Step>(reducer: { step, count in (count ?? 0) + step.size }, state: 0)
/// store.observeNext { print($0) }.dispose(in: bag)
/// store.dispatch(Step(size: 1))
/// ```
///
/// - `dispatch` passes the action through the middleware to the reducer, then sets the state and tells the subscribers, in the
///   order in which they subscribed, before it returns.
/// - A subscriber may dispatch: the state is set at once, and told after the current one. A reducer that dispatches traps.
/// - As a property the store gives its state at once, then each new one, and completes when it goes. Nothing that observes it
///   keeps it.
///
/// Confined. Other threads dispatch through `remote()`.
public final class Store<State, Action>: PropertyProtocol {
  /// The state.
  public typealias Value = State

  let property: Property<State>
  private let reducer: Reducer<State, Action>
  private let isRepeat: ((State, State) -> Bool)?
  /// Whether subscribers receive no state that equals the one before, if theirs can be compared.
  let skipsRepeats: Bool
  private var isReducing = false
  private var chain: ((Action) -> Void)?
  private var isMakingChain = false
  var subscribers: [StoreEntry] = []
  /// Hears of an action and the state it leads to, before anybody is told.
  var didReduce: ((Action, State) -> Void)?

  /// What actions pass through, in this order. Changing it takes effect with the next action.
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

  /// A store with a state. Each action is told, also where the state stays equal.
  @_disfavoredOverload
  public convenience init(
    reducer: @escaping Reducer<State, Action>, state: State, middleware: [Middleware<State, Action>] = []
  ) { self.init(state, reducer, middleware, isRepeat: nil) }

  /// A store whose first state the reducer makes of `initialAction` and nil. That action does not pass the middleware.
  @_disfavoredOverload
  public convenience init(
    reducer: @escaping Reducer<State, Action>, initialAction: Action, middleware: [Middleware<State, Action>] = []
  ) { self.init(reducer(initialAction, nil), reducer, middleware, isRepeat: nil) }

  /// The state.
  public var state: State { property.value }

  /// The state.
  public var value: State { property.value }

  /// The state as a property. It does not keep the store.
  public var readOnlyView: AnyProperty<State> { property.readOnlyView }

  /// See `StreamProtocol`.
  public func subscribe(_ observer: Observer<State, Never>) -> any Disposable { property.subscribe(observer) }

  /// Passes an action through the middleware to the reducer. When this returns the state has been set, and told unless the
  /// caller is a subscriber that is being told of another one.
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

  /// After the store has gone, what middleware still dispatches is dropped.
  private func makeChain() -> (Action) -> Void {
    if isMakingChain {
      misuse(
        """
        Middleware has dispatched while it was being put together: dispatch from its innermost closure, which gets the \
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

  /// Sets the state past the reducer: for time travel.
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
  /// A store with a state. By default a state that equals the one before is not told.
  public convenience init(
    reducer: @escaping Reducer<State, Action>, state: State, middleware: [Middleware<State, Action>] = [],
    automaticallySkipsRepeats: Bool = true
  ) {
    self.init(
      state, reducer, middleware, isRepeat: automaticallySkipsRepeats ? { $0 == $1 } : nil,
      skipsRepeats: automaticallySkipsRepeats)
  }

  /// A store whose first state the reducer makes of `initialAction` and nil. By default a state that equals the one before is
  /// not told.
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
  /// Ends when the store goes.
  public var lifetime: Lifetime { property.lifetime }
}

extension Store {
  /// Dispatches what is bound to it, until the store goes: `clicks.bind(to: store.dispatchTarget)`.
  public var dispatchTarget: BindingTarget<Action> { Binder(self) { $0.dispatch($1) }.bindingTarget }
}

@available(*, unavailable)
extension Store: Sendable {}
