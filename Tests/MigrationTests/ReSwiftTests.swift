import Headwater
import StreamsTesting
import Testing

@Suite(.noLiveResources) struct ReSwiftTests {
  struct State: Equatable {
    var count = 0
    var name = "a"
  }

  enum Change: Equatable {
    case reset
    case add(Int)
    case rename(String)
  }

  typealias AppStore = Store<State, Change>

  static func reduce(_ change: Change, _ state: State?) -> State {
    var state = state ?? State()
    switch change {
    case .reset: state = State()
    case .add(let number): state.count += number
    case .rename(let name): state.name = name
    }
    return state
  }

  private final class Screen<Part>: StoreSubscriber {
    var states: [Part] = []
    func newState(state: Part) { states.append(state) }
  }

  @Test func `ReSwift: Store<State>`() {
    let store = AppStore(reducer: Self.reduce, state: State())
    let counts: AnyProperty<Int> = store.map(\.count)
    store.dispatch(.add(2))
    #expect(store.state.count == 2 && counts.value == 2)
  }

  @Test func `ReSwift: Action`() {
    let store = Store<Int, Int>(reducer: { $0 + ($1 ?? 0) }, state: 1)
    store.dispatch(2)
    #expect(store.state == 3)
  }

  @Test func `ReSwift: ReSwiftInit`() {
    let store = AppStore(reducer: Self.reduce, initialAction: .add(5))
    #expect(store.state.count == 5)
  }

  @Test func `ReSwift: Reducer`() {
    let reducer: Reducer<State, Change> = Self.reduce
    #expect(reducer(.add(1), nil).count == 1)
  }

  @Test func `ReSwift: dispatch(_:)`() {
    let store = AppStore(reducer: Self.reduce, state: State())
    var log: [String] = []
    let first = store.map(\.count).observeNext { [unowned store] count in
      log.append("first \(count)")
      if count == 1 { store.dispatch(.add(1)) }
    }
    let second = store.map(\.count).observeNext { log.append("second \($0)") }
    store.dispatch(.add(1))
    #expect(log == ["first 0", "second 0", "first 1", "second 1", "first 2", "second 2"])
    first.dispose()
    second.dispose()
  }

  @Test func `a reducer that dispatches traps`() async {
    await #expect(processExitsWith: .failure) {
      nonisolated(unsafe) var store: Store<Int, Int>?
      store = Store(
        reducer: { action, state in
          if action == 1 { store?.dispatch(2) }
          return (state ?? 0) + action
        }, state: 0)
      store?.dispatch(1)
    }
  }

  @Test func `ReSwift: Middleware`() {
    let doubling: Middleware<State, Change> = { _, _ in
      { next in { change in if case .add(let number) = change { next(.add(number * 2)) } else { next(change) } } }
    }
    let store = AppStore(reducer: Self.reduce, state: State(), middleware: [doubling])
    store.dispatch(.add(2))
    store.middleware = []
    store.dispatch(.add(2))
    #expect(store.state.count == 6)
  }

  @Test func `ReSwift: StoreSubscriber, newState(state:)`() {
    let store = AppStore(reducer: Self.reduce, state: State())
    let screen = Screen<State>()
    store.subscribe(screen)
    store.dispatch(.add(1))
    #expect(screen.states.map(\.count) == [0, 1])
    store.unsubscribe(screen)
  }

  @Test func `ReSwift: subscribe(_:), unsubscribe(_:)`() {
    let store = AppStore(reducer: Self.reduce, state: State())
    var log: [String] = []
    final class Named: StoreSubscriber {
      let tell: (Int) -> Void
      init(_ tell: @escaping (Int) -> Void) { self.tell = tell }
      func newState(state: State) { tell(state.count) }
    }
    let (one, other) = (Named { log.append("one \($0)") }, Named { log.append("other \($0)") })
    store.subscribe(one)
    store.subscribe(other)
    store.dispatch(.add(1))
    #expect(log == ["one 0", "other 0", "one 1", "other 1"])
    store.unsubscribe(one)
    store.dispatch(.add(1))
    #expect(log.suffix(1) == ["other 2"] && log.count == 5)
    store.unsubscribe(other)
  }

  @Test func `ReSwift: subscribe(_:transform:)`() {
    let store = AppStore(reducer: Self.reduce, state: State())
    let screen = Screen<String>()
    store.subscribe(screen) { $0.map { "\($0.count)" }.filter { $0 != "1" } }
    store.dispatch(.add(1))
    store.dispatch(.add(1))
    #expect(screen.states == ["0", "2"])
    store.unsubscribe(screen)
  }

  @Test func `ReSwift: select, skipRepeats, skip(when:), only(when:)`() {
    let store = AppStore(reducer: Self.reduce, state: State())
    let screen = Screen<Int>()
    store.subscribe(screen) { $0.select(\.count) }
    let counts = store.toStream().select(\.count)
    let recorders = [
      counts.skipRepeats().record(), counts.skip { $0 == 0 && $1 == 1 }.record(), counts.only { $1 > $0 + 1 }.record(),
    ]
    store.dispatch(.rename("b"))
    store.dispatch(.add(1))
    store.dispatch(.add(2))
    #expect(screen.states == [0, 1, 3], "an equal part is skipped, as in ReSwift")
    #expect(recorders.map { marks($0) } == ["0 1 3", "0 0 3", "0 3"])
    store.unsubscribe(screen)
  }

  @Test func `ReSwift: automaticallySkipsRepeats`() {
    func states(_ skips: Bool) -> Int {
      let store = AppStore(reducer: Self.reduce, state: State(), automaticallySkipsRepeats: skips)
      let recorder = store.record()
      store.dispatch(.add(0))
      return recorder.elements.count
    }
    #expect(states(true) == 1 && states(false) == 2)
  }

  @Test @MainActor func `ReSwift: StoreType, dispatchFunction`() async throws {
    let store = AppStore(reducer: Self.reduce, state: State())
    let bag = DisposeBag()
    Stream.just(Change.add(1)).bind(to: store.dispatchTarget).dispose(in: bag)
    #expect(store.state.count == 1)
    let remote = store.remote()
    Task.detached { remote.dispatch(.add(1)) }
    _ = try await store.filter { $0.count == 2 }.value
    #expect(store.state.count == 2)
  }

  @Test func `ReSwift: ReSwift-Recorder`() {
    let store = AppStore(reducer: Self.reduce, state: State())
    let travel = TimeTravel(store)
    store.dispatch(.add(1))
    store.dispatch(.add(1))
    travel.back()
    #expect(store.state.count == 1 && travel.count == 3)
    travel.forward()
    #expect(store.state.count == 2)
  }

  @MainActor private static let mainStore = AppStore(reducer: reduce, state: State())

  @Test @MainActor func `ReSwift: a global let store`() {
    Self.mainStore.dispatch(.add(1))
    #expect(Self.mainStore.state.count == 1)
    Self.mainStore.dispatch(.reset)
  }

  private final class Field: Connectable {
    let connection: Connection<State, Change, String, (Int) -> Void>
    init(_ store: AppStore) {
      connection = Connection(
        store: store, mapStateToProps: \.name, mapDispatchToActions: { dispatch in { dispatch(.add($0)) } })
    }
  }

  @Test func `ReSwift: ReRxSwift Connection`() {
    let store = AppStore(reducer: Self.reduce, state: State())
    let field = Field(store)
    var names: [String] = []
    field.connection.connect()
    field.connection.subscribe(\.self) { names.append($0) }
    store.dispatch(.rename("b"))
    field.actions(3)
    #expect(names == ["a", "b"] && field.props == "b" && store.state.count == 3)
    field.connection.disconnect()
  }
}
