public import Properties
public import Streams

/// What connects a component to a store: its *props*, which are made of the state, and its *actions*, closures that dispatch.
///
/// The props are there from the beginning, but follow the store only between `connect()` and `disconnect()`. A component
/// connects when it starts and disconnects when it stops; a connection that goes is disconnected.
///
/// Confined, like the store.
public final class Connection<State, Action, Props, Actions> {
  /// The props now, as a property. Tests may set them.
  public let props: Property<Props>
  /// What the component calls. Tests may set them.
  public var actions: Actions
  private let mapStateToProps: (State) -> Props
  private let mapDispatchToActions: (@escaping (Action) -> Void) -> Actions
  private var subscription: SerialDisposable?
  private let bag = DisposeBag()

  /// The store. Setting another makes the actions anew, and moves a connection that is connected to it.
  public var store: Store<State, Action> {
    didSet {
      actions = mapDispatchToActions(Self.dispatch(to: store))
      guard subscription != nil else { return }
      disconnect()
      connect()
    }
  }

  /// Computes props and actions, without subscribing.
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

  /// Starts to follow the store. Idempotent.
  public func connect(isolation: (any Actor)? = #isolation) {
    if subscription != nil { return }
    // The first props are told before `observeNext` returns: whoever observes them may disconnect then.
    let subscription = SerialDisposable()
    self.subscription = subscription
    subscription.inner = store.observeNext(isolation: isolation) { [weak self] state in self?.newState(state: state) }
    bag.add(subscription, isolation: isolation)
  }

  /// Stops following the store. Idempotent.
  public func disconnect() { subscription.take()?.dispose() }

  /// Whether the props follow the store.
  public var isConnected: Bool { subscription != nil }

  /// Makes the props of a state, as `connect()` has it done.
  public func newState(state: State) { props.value = mapStateToProps(state) }

  /// One entry of the props: its value now, then each that `isEqual` says is another one.
  public func propsEntry<Entry>(
    at keyPath: KeyPath<Props, Entry>, isEqual: @escaping (Entry, Entry) -> Bool
  ) -> Stream<Entry> { props.toStream().map { $0[keyPath: keyPath] }.distinct { !isEqual($0, $1) } }

  /// Calls `action` with an entry of the props, now and when that entry changes, as long as the connection lives.
  public func subscribe<Entry: Equatable>(
    _ keyPath: KeyPath<Props, Entry>, isolation: (any Actor)? = #isolation, _ action: @escaping (Entry) -> Void
  ) {
    propsEntry(at: keyPath, isEqual: ==).observeNext(isolation: isolation, action).dispose(
      in: bag, isolation: isolation)
  }

  /// Binds an entry of the props to a target, as long as both live.
  public func bind<Entry: Equatable, Target: BindingTargetProvider>(
    _ keyPath: KeyPath<Props, Entry>, to target: Target, isolation: (any Actor)? = #isolation
  ) where Target.Value == Entry { bind(keyPath, to: target, isolation: isolation) { $0 } }

  /// Binds an entry of the props to a target that takes optional values.
  public func bind<Entry: Equatable, Target: BindingTargetProvider>(
    _ keyPath: KeyPath<Props, Entry>, to target: Target, isolation: (any Actor)? = #isolation
  ) where Target.Value == Entry? { bind(keyPath, to: target, isolation: isolation) { Optional($0) } }

  /// Binds what `mapping` makes of an entry of the props to a target, as long as both live.
  public func bind<Entry: Equatable, Target: BindingTargetProvider>(
    _ keyPath: KeyPath<Props, Entry>, to target: Target, isolation: (any Actor)? = #isolation,
    mapping: @escaping (Entry) -> Target.Value
  ) {
    propsEntry(at: keyPath, isEqual: ==).map(mapping).bind(to: target, isolation: isolation)
      .dispose(in: bag, isolation: isolation)
  }

  /// Hands the stream of an entry to a function that binds it, and ends what that returns with the connection.
  public func bind<Entry: Equatable>(
    _ keyPath: KeyPath<Props, Entry>, isolation: (any Actor)? = #isolation,
    with binder: (Stream<Entry>) -> any Disposable
  ) { binder(propsEntry(at: keyPath, isEqual: ==)).dispose(in: bag, isolation: isolation) }
}

@available(*, unavailable)
extension Connection: Sendable {}

/// A component that is connected to a store: it has a connection, and takes its props and actions from there.
public protocol Connectable {
  /// The state of the store.
  associatedtype StoreState
  /// The actions of the store.
  associatedtype StoreAction
  /// What the component shows.
  associatedtype Props
  /// What the component can do: a struct of closures.
  associatedtype Actions

  /// Keep one.
  var connection: Connection<StoreState, StoreAction, Props, Actions> { get }
}

extension Connectable {
  /// The props now. Setting them is for tests.
  public var props: Props {
    get { connection.props.value }
    nonmutating set { connection.props.value = newValue }
  }

  /// What the component calls. Setting them is for tests.
  public var actions: Actions {
    get { connection.actions }
    nonmutating set { connection.actions = newValue }
  }
}
