import EventLoops
import Observation
import Properties
import Stores
import Streams
import StreamsTesting
import TestSupport
import Testing

/// An owner of everything that can be observed, released on any thread. Everything that it owns ends at home.
@Suite("Stores and threads", .noLiveResources, .timeLimit(.minutes(15))) struct StoreThreadTests {
  @Observable final class Model {
    var count = 0
  }

  /// Everything in one object: two-way bindings, running work, derived collections, and connections.
  private final class Everything {
    let store = Store<Int, Int>(reducer: { ($1 ?? 0) + $0 }, state: 0, middleware: [actionLogging { _ in }])
    let travel: TimeTravel<Int, Int>
    let connection: Connection<Int, Int, Int, (Int) -> Void>
    let numbers = CollectionProperty([3, 1, 2])
    let shown: AnyCollectionProperty<[String]>
    let (one, two) = (Property(0), Property(0))
    let sum: AnyProperty<Int>
    let work = PushStream<Int>()
    let action: Action<Int, Int, Never>
    let model = Model()
    let bag = DisposeBag()
    var seen = 0

    init(_ log: Log, isolation: isolated (any Actor)? = #isolation) {
      travel = TimeTravel(store)
      connection = Connection(store: store, mapStateToProps: { $0 * 2 }, mapDispatchToActions: { $0 })
      shown = numbers.filter { $0 > 0 }.sorted(by: >).map { "\($0)" }
      sum = one.combineLatest(with: two).map { $0 + $1 }
      action = Action { [work] _ in work.toOperation() }
      one.bidirectionalBind(to: two)
      connection.connect()
      connection.bind(\.self, to: one)
      action.values.bind(to: one)
      action.apply(1).observeNext { _ in }.dispose(in: bag)
      shown.observe { event in if event.isCompletion { log.add("rows") } }.dispose(in: bag)
      _ = sum.observe { event in if event.isCompletion { log.add("sum") } }
      _ = store.observe { event in if event.isCompletion { log.add("store") } }
      _ = action.values.observe { event in if event.isCompletion { log.add("values") } }
      _ = Reactive(model).values(for: \.count).observe { event in if event.isCompletion { log.add("model") } }
    }

    func use() {
      connection.actions(1)
      numbers.batchUpdate { $0.append(4) }
      work.next(5)
      two.value = 7
      model.count += 1
      travel.back()
    }
  }

  private actor Owner {
    private let log: Log
    private var everything: Everything?

    init(_ log: Log) { self.log = log }

    func use() {
      if everything == nil { everything = Everything(log) }
      everything?.use()
    }
  }

  @Test func `an actor that owns everything may die anywhere`() async {
    for _ in 0..<50 {
      let log = Log()
      var owner: Owner? = Owner(log)
      await owner?.use()
      await owner?.use()
      weak let reference = owner
      let last = owner
      owner = nil
      await Task.detached { [last] in _ = last }.value
      _ = consume last
      // The task may retain the object for a moment after it has returned its value.
      for _ in 0..<100_000 where reference != nil { await Task.yield() }
      #expect(reference == nil)
    }
  }

  @Test func `what lives on a queue and dies elsewhere ends on the queue`() throws {
    for _ in 0..<20 {
      let queue = Queue(label: "home")
      let log = Log()
      let box = Lock<Everything?>(nil)
      try queue.sync {
        let everything = Everything(log)
        everything.use()
        // Passed to the thread that releases it.
        nonisolated(unsafe) let last = everything
        box.withLock { $0 = last }
      }
      box.withLock { $0 = nil }
      for _ in 0..<3 { try queue.sync {} }
      #expect(Set(log.entries) == ["rows", "sum", "store", "values", "model"])
      queue.shutdown()
    }
  }
}
