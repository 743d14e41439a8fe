import Properties
import Stores
import Streams
import StreamsTesting
import Testing

/// Stores and connections that are used from inside the code that they call.
@Suite("Store, from inside", .noLiveResources) struct StoreReentryTests {
  private func makeStore() -> Store<Int, Int> { Store(reducer: { ($1 ?? 0) + $0 }, state: 0) }

  private func makeConnection(_ store: Store<Int, Int>) -> Connection<Int, Int, Int, (Int) -> Void> {
    Connection(store: store, mapStateToProps: { $0 }, mapDispatchToActions: { $0 })
  }

  private final class Subscriber: StoreSubscriber {
    var seen: [Int] = []
    var onFirst: ((Subscriber) -> Void)?
    func newState(state: Int) {
      seen.append(state)
      onFirst.take()?(self)
    }
  }

  // MARK: Subscribers

  @Test func `a subscriber that unsubscribes in its first state gets no more`() {
    let store = makeStore()
    let subscriber = Subscriber()
    subscriber.onFirst = { [unowned store] in store.unsubscribe($0) }
    store.subscribe(subscriber) { $0.start(with: 5) }
    store.dispatch(1)
    #expect(subscriber.seen == [5])
  }

  @Test func `a subscriber that subscribes again in its first state has the new subscription alone`() {
    let store = makeStore()
    let subscriber = Subscriber()
    subscriber.onFirst = { [unowned store] in store.subscribe($0) { $0.map { $0 * 10 } } }
    store.subscribe(subscriber)
    store.dispatch(1)
    #expect(subscriber.seen == [0, 0, 10])
  }

  @Test func `subscribers come, go and dispatch while a state is told`() {
    let store = makeStore()
    let (first, second, third) = (Subscriber(), Subscriber(), Subscriber())
    let log = store.record()
    first.onFirst = { _ in }
    store.subscribe(first)
    first.onFirst = { [unowned store] _ in
      store.unsubscribe(second)
      store.subscribe(third)
      store.dispatch(10)
    }
    store.subscribe(second)
    store.dispatch(1)
    #expect(first.seen == [0, 1, 11])
    #expect(second.seen == [0])
    #expect(third.seen == [1, 11])
    #expect(log.elements == [0, 1, 11])
  }

  // MARK: Middleware

  @Test func `middleware that dispatches on the way, before and after, keeps the order`() {
    var log: [String] = []
    let echo: Middleware<Int, Int> = { dispatch, state in
      { next in
        { action in
          log.append("\(action) at \(state() ?? -1)")
          if action == 1 { dispatch(100) }
          next(action)
          if action == 1 { dispatch(1000) }
        }
      }
    }
    let store = Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0, middleware: [echo])
    let record = store.record()
    store.dispatch(1)
    #expect(log == ["1 at 0", "100 at 0", "1000 at 101"])
    #expect(record.elements == [0, 100, 101, 1101])
  }

  @Test func `middleware that replaces the middleware works on the next action`() {
    var change: (() -> Void)?
    let swallowing: Middleware<Int, Int> = { _, _ in { _ in { _ in } } }
    let passing: Middleware<Int, Int> = { _, _ in
      { next in
        { action in
          change.take()?()
          next(action)
        }
      }
    }
    let store = Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0, middleware: [passing])
    change = { [unowned store] in store.middleware = [swallowing] }
    store.dispatch(1)
    #expect(store.state == 1)
    store.dispatch(1)
    #expect(store.state == 1)
  }

  @Test func `middleware that dispatches while it is put together traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let eager: Middleware<Int, Int> = { dispatch, _ in
        dispatch(1)
        return { $0 }
      }
      Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0, middleware: [eager]).dispatch(2)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Dispatch from its innermost closure"))
  }

  // MARK: Time travel

  @Test func `time travel that has gone holds no states`() {
    final class State {}
    let store = Store<State, Int>(reducer: { _, _ in State() }, state: State())
    var travel: TimeTravel<State, Int>? = TimeTravel(store)
    let other = TimeTravel(store, limit: 1)
    weak let old = store.state
    store.dispatch(1)
    #expect(old != nil && travel?.count == 2)
    travel = nil
    #expect(old == nil)
    store.dispatch(1)
    #expect(other.count == 1)
  }

  @Test func `time travel from a subscriber is told after the current state`() {
    let store = makeStore()
    let travel = TimeTravel(store)
    let bag = DisposeBag()
    var seen: [Int] = []
    store.observeNext { state in
      if state == 3 { travel.back() }
      seen.append(state)
    }.dispose(in: bag)
    let record = store.record()
    store.dispatch(1)
    store.dispatch(2)
    #expect(seen == [0, 1, 3, 1])
    #expect(record.elements == [0, 1, 3, 1])
    #expect((store.state, travel.position) == (1, 1))
    bag.dispose()
  }

  @Test func `a reducer that travels traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var travel: TimeTravel<Int, Int>?
      let store = Store<Int, Int>(
        reducer: { action, state in
          travel?.back()
          return (state ?? 0) + action
        }, state: 0)
      travel = TimeTravel(store)
      store.dispatch(1)
      store.dispatch(1)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Reducers are pure"))
  }

  // MARK: Connections

  @Test func `a connection that is disconnected by its first props follows no more`() {
    let store = makeStore()
    let connection = makeConnection(store)
    let bag = DisposeBag()
    connection.props.changes.observeNext { [unowned connection] _ in connection.disconnect() }.dispose(in: bag)
    connection.connect()
    #expect(!connection.isConnected)
    store.dispatch(1)
    #expect(connection.props.value == 0)
    bag.dispose()
  }

  @Test func `a connection that is connected again by its first props follows once`() {
    let store = makeStore()
    let connection = makeConnection(store)
    let bag = DisposeBag()
    var count = 0
    connection.props.changes.observeNext { [unowned connection] _ in
      count += 1
      connection.connect()
    }.dispose(in: bag)
    connection.connect()
    store.dispatch(1)
    #expect(count == 2)
    connection.disconnect()
    store.dispatch(1)
    #expect(count == 2)
    bag.dispose()
  }

  @Test func `a connection may let go of itself, and of its store, in its own callbacks`() {
    var store: Store<Int, Int>? = makeStore()
    var connection: Connection<Int, Int, Int, (Int) -> Void>? = makeConnection(store!)
    var seen: [Int] = []
    connection?.subscribe(\.self) { props in
      seen.append(props)
      if props == 1 { connection = nil }
    }
    connection?.connect()
    let actions = connection?.actions
    store?.dispatch(1)
    store?.dispatch(1)
    #expect(seen == [0, 1])
    store = nil
    actions?(5)
    #expect(seen == [0, 1])
  }

  private actor Owner {
    let (one, two) = (
      Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0), Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 5)
    )
    lazy var connection = Connection<Int, Int, Int, Void>(
      store: one, mapStateToProps: { $0 }, mapDispatchToActions: { _ in })

    func move() -> [Int] {
      connection.connect()
      one.dispatch(1)
      let first = connection.props.value
      connection.store = two
      return [first, connection.props.value]
    }

    func go() -> Int {
      two.dispatch(2)
      return connection.props.value
    }
  }

  @Test func `an actor gives its connection another store`() async {
    let owner = Owner()
    #expect(await owner.move() == [1, 5])
    #expect(await owner.go() == 7)
  }
}
