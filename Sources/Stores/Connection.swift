public import Properties
public import Streams

/// The connection of a component to a store: its *props*, which are computed from the state, and its *actions*, closures that dispatch.
///
/// The props have a value from the beginning, but change with the store only between `connect()` and `disconnect()`. A component connects
/// when it starts and disconnects when it stops. Deallocation disconnects.
///
/// A connection is confined to the domain of its store.
public final class Connection<State, Action, Props, Actions> {
  /// The current props. Tests can set them.
  public let props: Property<Props>
  /// The actions of the component. Tests can set them.
  public var actions: Actions
  private let mapStateToProps: (State) -> Props
  private let mapDispatchToActions: (@escaping (Action) -> Void) -> Actions
  private var subscription: SerialDisposable?
  private let bag = DisposeBag()

  /// The store. Setting another store computes the actions again. If the connection is connected, it connects to the
  /// new store.
  public var store: Store<State, Action> {
    didSet {
      actions = mapDispatchToActions(Self.dispatch(to: store))
      guard subscription != nil else { return }
      disconnect()
      connect()
    }
  }

  /// Creates a connection and computes the props and actions, without subscribing.
  public init(
    store: Store<State, Action>, mapStateToProps: @escaping (State) -> Props,
    mapDispatchToActions: @escaping (_ dispatch: @escaping (Action) -> Void) -> Actions
  ) {
    self.store = store
    self.mapStateToProps = mapStateToProps
    self.mapDispatchToActions = mapDispatchToActions
    props = Property(mapStateToProps(store.state))
    actions = mapDispatchToActions(Self.dispatch(to: store))
  }

  private static func dispatch(to store: Store<State, Action>) -> (Action) -> Void {
    { [weak store] in store?.dispatch($0) }
  }

  /// Starts to update the props with each state of the store. A second call does nothing. The compiler passes `file` and `line`, which
  /// name the subscription in recordings and in reports of leaks, here and in `subscribe` and `bind`.
  public func connect(
    isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) {
    if subscription != nil { return }
    // The first props are delivered before `observeNext` returns, and an observer can disconnect then.
    let subscription = SerialDisposable()
    self.subscription = subscription
    subscription.inner = store.observeNext(isolation: isolation, file: file, line: line) { [weak self] state in
      self?.newState(state: state)
    }
    bag.add(subscription, isolation: isolation)
  }

  /// Stops updating the props. A second call does nothing.
  public func disconnect() { subscription.take()?.dispose() }

  /// True while the props change with the store.
  public var isConnected: Bool { subscription != nil }

  /// Computes the props from a state.
  public func newState(state: State) { props.value = mapStateToProps(state) }

  /// Returns a stream of one entry of the props: its current value, then each value for which `isEqual` returns false. The closure receives
  /// the previous value and the new one.
  public func propsEntry<Entry>(
    at keyPath: KeyPath<Props, Entry>, isEqual: @escaping (Entry, Entry) -> Bool
  ) -> Stream<Entry> { props.toStream().map { $0[keyPath: keyPath] }.distinct { !isEqual($0, $1) } }

  /// Calls `action` with an entry of the props, now and when the entry changes, until the connection is deallocated.
  public func subscribe<Entry: Equatable>(
    _ keyPath: KeyPath<Props, Entry>, isolation: (any Actor)? = #isolation, file: StaticString = #fileID,
    line: UInt = #line, _ action: @escaping (Entry) -> Void
  ) {
    propsEntry(at: keyPath, isEqual: ==).observeNext(isolation: isolation, file: file, line: line, action).dispose(
      in: bag, isolation: isolation)
  }

  /// Binds an entry of the props to a target, until the connection or the target is deallocated.
  public func bind<Entry: Equatable, Target: BindingTargetProvider>(
    _ keyPath: KeyPath<Props, Entry>, to target: Target, isolation: (any Actor)? = #isolation,
    file: StaticString = #fileID,
    line: UInt = #line
  ) where Target.Value == Entry { bind(keyPath, to: target, isolation: isolation, file: file, line: line) { $0 } }

  /// Binds an entry of the props to a target that takes optional values.
  public func bind<Entry: Equatable, Target: BindingTargetProvider>(
    _ keyPath: KeyPath<Props, Entry>, to target: Target, isolation: (any Actor)? = #isolation,
    file: StaticString = #fileID,
    line: UInt = #line
  ) where Target.Value == Entry? {
    bind(keyPath, to: target, isolation: isolation, file: file, line: line) { Optional($0) }
  }

  /// Binds the result of `mapping` for an entry of the props to a target, until the connection or the target is deallocated.
  public func bind<Entry: Equatable, Target: BindingTargetProvider>(
    _ keyPath: KeyPath<Props, Entry>, to target: Target, isolation: (any Actor)? = #isolation,
    file: StaticString = #fileID,
    line: UInt = #line, mapping: @escaping (Entry) -> Target.Value
  ) {
    propsEntry(at: keyPath, isEqual: ==).map(mapping).bind(to: target, isolation: isolation, file: file, line: line)
      .dispose(in: bag, isolation: isolation)
  }

  /// Passes the stream of an entry to a function that binds it. The result is disposed when the connection is deallocated.
  public func bind<Entry: Equatable>(
    _ keyPath: KeyPath<Props, Entry>, isolation: (any Actor)? = #isolation,
    with binder: (Stream<Entry>) -> any Disposable
  ) { binder(propsEntry(at: keyPath, isEqual: ==)).dispose(in: bag, isolation: isolation) }
}

@available(*, unavailable)
extension Connection: Sendable {}

/// A component with a connection to a store, which provides its props and actions.
public protocol Connectable {
  /// The state of the store.
  associatedtype StoreState
  /// The actions of the store.
  associatedtype StoreAction
  /// The values that the component shows.
  associatedtype Props
  /// The actions of the component: a struct of closures.
  associatedtype Actions

  /// The connection. Store it in a property.
  var connection: Connection<StoreState, StoreAction, Props, Actions> { get }
}

extension Connectable {
  /// The current props. Tests can set them.
  public var props: Props {
    get { connection.props.value }
    nonmutating set { connection.props.value = newValue }
  }

  /// The actions of the component. Tests can set them.
  public var actions: Actions {
    get { connection.actions }
    nonmutating set { connection.actions = newValue }
  }
}
