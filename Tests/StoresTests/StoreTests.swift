import EventLoops
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import Stores

/// `Store`: actions, reducers, middleware, and subscribers.
@Suite("Store", .noLiveResources, .timeLimit(.minutes(15))) struct StoreTests {
  private struct State: Equatable {
    var count = 0
    var name = ""
  }

  private enum Step {
    case add(Int)
    case name(String)
    case nothing
  }

  private static func reduce(_ step: Step, _ state: State?) -> State {
    var state = state ?? State(count: 100, name: "new")
    switch step {
    case .add(let number): state.count += number
    case .name(let name): state.name = name
    case .nothing: break
    }
    return state
  }

  private func makeStore(middleware: [Middleware<State, Step>] = []) -> Store<State, Step> {
    Store(reducer: Self.reduce, state: State(), middleware: middleware)
  }

  @Test func `an action has set and told the state when dispatch returns`() {
    let store = makeStore()
    let record = store.map(\.count).record()
    store.dispatch(.add(2))
    #expect(store.state.count == 2)
    store.dispatch(.add(3))
    #expect(record.elements == [0, 2, 5])
  }

  @Test func `without a state the reducer makes the first one`() {
    let store = Store<State, Step>(reducer: Self.reduce, initialAction: .nothing)
    #expect(store.state == State(count: 100, name: "new"))
  }

  @Test func `a state that equals the one before is not told, unless asked for`() {
    let store = makeStore()
    let record = store.record()
    store.dispatch(.nothing)
    #expect(record.elements.count == 1)
    let telling = Store<State, Step>(reducer: Self.reduce, state: State(), automaticallySkipsRepeats: false)
    let all = telling.record()
    telling.dispatch(.nothing)
    #expect(all.elements.count == 2)
  }

  @Test func `a subscriber may dispatch; all see every state in order`() {
    let store = makeStore()
    var log: [String] = []
    let bag = DisposeBag()
    store.changes.observeNext { [unowned store] state in
      log.append("a\(state.count)")
      if state.count == 1 { store.dispatch(.add(1)) }
    }.dispose(in: bag)
    store.changes.observeNext { log.append("b\($0.count)") }.dispose(in: bag)
    store.dispatch(.add(1))
    #expect(log == ["a1", "b1", "a2", "b2"])
  }

  @Test func `a reducer that dispatches traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var dispatch: (Int) -> Void = { _ in }
      let store = Store<Int, Int>(
        reducer: { action, state in
          dispatch(action)
          return (state ?? 0) + action
        }, state: 0)
      dispatch = { [unowned store] in store.dispatch($0) }
      store.dispatch(1)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Reducers are pure: dispatch from a subscriber or from middleware"))
  }

  // MARK: Middleware

  @Test func `middleware runs in order and may change, swallow and dispatch`() {
    var log: [String] = []
    let doubling: Middleware<State, Step> = { _, _ in
      { next in
        { step in
          if case .add(let number) = step { next(.add(number * 2)) } else { next(step) }
        }
      }
    }
    let naming: Middleware<State, Step> = { dispatch, state in
      { next in
        { step in
          log.append("\(step) at \(state()?.count ?? -1)")
          if case .name("drop") = step { return }
          next(step)
          if case .add(2) = step { dispatch(.name("two")) }
        }
      }
    }
    let store = makeStore(middleware: [doubling, naming])
    store.dispatch(.add(1))
    store.dispatch(.name("drop"))
    #expect(store.state == State(count: 2, name: "two"))
    #expect(log == ["add(2) at 0", "name(\"two\") at 2", "name(\"drop\") at 2"])
    store.middleware = []
    store.dispatch(.add(1))
    #expect(store.state.count == 3)
  }

  @Test func `what middleware dispatches after the store has gone is dropped`() {
    var late: (() -> Void)?
    let keeping: Middleware<State, Step> = { dispatch, state in
      { next in
        { step in
          next(step)
          late = {
            dispatch(step)
            #expect(state() == nil)
          }
        }
      }
    }
    var store: Store<State, Step>? = makeStore(middleware: [keeping])
    let record = store!.map(\.count).record()
    store?.dispatch(.add(1))
    store = nil
    late?()
    #expect(record.events == [.next(0), .next(1), .completed])
  }

  @Test func `action logging tells of actions and states`() {
    var lines: [String] = []
    let store = Store<Int, Int>(
      reducer: { ($1 ?? 0) + $0 }, state: 1, middleware: [actionLogging { lines.append($0) }])
    store.dispatch(2)
    #expect(lines == ["action: 2", "state: 3"])
    let reports = captureDiagnostics {
      Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 1, middleware: [actionLogging()]).dispatch(5)
    }
    #expect(reports.contains("action: 5"))
  }

  @Test func `time travel goes back and forth, and an action from the past begins anew`() {
    let store = makeStore()
    let travel = TimeTravel(store, limit: 4)
    let record = store.map(\.count).record()
    for number in 1...3 { store.dispatch(.add(number)) }
    #expect((travel.count, travel.position, store.state.count) == (4, 3, 6))
    #expect(travel.back() && travel.back())
    #expect(store.state.count == 1)
    #expect(travel.forward())
    #expect(store.state.count == 3)
    store.dispatch(.add(10))
    #expect(!travel.forward())
    #expect((travel.count, store.state.count) == (4, 13))
    store.dispatch(.add(1))
    #expect((travel.count, travel.position) == (4, 3))
    #expect(travel.go(to: 0))
    #expect(!travel.back() && !travel.go(to: 9))
    #expect(travel.actions.count == 4)
    #expect(record.elements == [0, 1, 3, 6, 3, 1, 3, 13, 14, 1])
  }

  @Test func `time travel keeps the order in which subscribers dispatch`() {
    let store = Store<[Int], Int>(reducer: { ($1 ?? []) + [$0] }, state: [])
    let travel = TimeTravel(store)
    let subscription = store.observeNext { [unowned store] list in if list == [1] { store.dispatch(2) } }
    store.dispatch(1)
    #expect(travel.actions == [nil, 1, 2])
    subscription.dispose()
    #expect(travel.back())
    #expect(store.state == [1])
  }

  // MARK: Subscribers

  private final class Subscriber: StoreSubscriber {
    var states: [Int] = []
    var onState: (Int) -> Void = { _ in }

    func newState(state: Int) {
      states.append(state)
      onState(state)
    }
  }

  @Test func `subscribers are held weakly, told at once and in order, and replaced when they subscribe again`() {
    let store = Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0)
    var (one, two): (Subscriber?, Subscriber) = (Subscriber(), Subscriber())
    var order: [String] = []
    one?.onState = { order.append("one\($0)") }
    two.onState = { order.append("two\($0)") }
    store.subscribe(one!)
    store.subscribe(two)
    store.dispatch(1)
    #expect(order == ["one0", "two0", "one1", "two1"])
    store.subscribe(two) { $0.select { $0 * 10 }.skipRepeats() }
    store.dispatch(1)
    #expect(two.states == [0, 1, 10, 20])
    weak let reference = one
    one = nil
    #expect(reference == nil)
    store.dispatch(1)
    store.unsubscribe(two)
    store.dispatch(1)
    #expect(two.states == [0, 1, 10, 20, 30])
    two = Subscriber()
  }

  @Test func `one that is unsubscribed while a state is told does not get it; what subscribe returns does the same`() {
    let store = Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0)
    let (one, two) = (Subscriber(), Subscriber())
    let first = store.subscribe(one)
    store.subscribe(two)
    one.onState = { [unowned store] _ in store.unsubscribe(two) }
    store.dispatch(1)
    #expect((one.states, two.states) == ([0, 1], [0]))
    first.dispose()
    store.dispatch(1)
    #expect(one.states == [0, 1])
  }

  @Test func `subscribing and unsubscribing take constant time`() {
    final class Counter: StoreSubscriber {
      var count = 0
      func newState(state: Int) { count += 1 }
    }
    let store = Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0)
    let counters = (0..<20_000).map { _ in Counter() }
    let start = ContinuousClock.now
    for counter in counters { store.subscribe(counter) }
    store.dispatch(1)
    for counter in counters { store.unsubscribe(counter) }
    store.dispatch(1)
    #expect(counters.allSatisfy { $0.count == 2 })
    // If each took time in proportion to the number of subscribers, this would take minutes.
    #expect(ContinuousClock.now - start < .seconds(60))
    let other = Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0)
    for _ in 0..<100 { other.subscribe(Counter()) }
    #expect(other.subscribers.count <= 16)
    other.dispatch(1)
  }

  @Test func `an object receives no state that equals the one before, unless the store repeats states`() {
    // The states of the store cannot be compared, but the part that the subscriber selects can.
    struct State {
      var number = 0
    }
    let parts = Store<State, Int>(reducer: { number, _ in State(number: number) }, state: State())
    let subscriber = Subscriber()
    parts.subscribe(subscriber) { $0.select(\.number) }
    for number in [1, 1, 2] { parts.dispatch(number) }
    #expect(subscriber.states == [0, 1, 2])

    let repeating = Store<Int, Int>(reducer: { action, _ in action }, state: 0, automaticallySkipsRepeats: false)
    let other = Subscriber()
    repeating.subscribe(other) { $0.select { $0 % 2 } }
    for number in [2, 4, 1] { repeating.dispatch(number) }
    #expect(other.states == [0, 0, 0, 1])
  }

  @Test func `skip, only and skipRepeats compare with the state before; the first passes`() {
    let store = Store<Int, Int>(reducer: { action, _ in action }, state: 1)
    let skipped = store.toStream().skip(when: { $0 > $1 }).record()
    let only = store.toStream().only(when: { $0 < $1 }).record()
    let parity = store.toStream().select { $0 % 2 }.skipRepeats().record()
    for number in [3, 2, 4, 4] { store.dispatch(number) }
    #expect(skipped.elements == [1, 3, 4])
    #expect(only.elements == [1, 3, 4])
    #expect(parity.elements == [1, 0])
  }

  @Test func `streams are bound to a store: each element is an action`() {
    let push = PushStream<Int>()
    var store: Store<Int, Int>? = Store(reducer: { ($1 ?? 0) + $0 }, state: 0)
    push.bind(to: store!.dispatchTarget)
    push.next(2)
    #expect(store?.state == 2)
    store = nil
    #expect(push.observerCount == 0)
  }

  @Test func `other threads dispatch in order, and reducers run at home`() throws {
    let queue = Queue(label: "home")
    let log = Log()
    var remote: RemoteStore<[Int], Int>? = try queue.sync {
      let store = Store<[Int], Int>(
        reducer: { number, list in
          if Queue.current !== queue { log.add("elsewhere") }
          return (list ?? []) + [number]
        }, state: [])
      _ = store.map(\.count).observe { log.add("\($0)") }
      return store.remote()
    }
    for number in 1...100 { #expect(remote?.dispatch(number) == true) }
    remote = nil
    try queue.sync {}
    #expect(log.entries == (0...100).map { "next(\($0))" } + ["completed"])
    queue.shutdown()
  }
}
