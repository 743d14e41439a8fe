import EventLoops
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// Properties and other threads: they are changed through `Confined`, and end at home.
@Suite("Properties and threads", .noLiveResources, .timeLimit(.minutes(15))) struct PropertyThreadTests {
  @Test func `another thread changes a property through Confined, in order, and the observers run at home`() throws {
    let queue = Queue(label: "home")
    let log = Log()
    let number = try queue.sync {
      let number = Property(0)
      _ = number.changes.observeNext { log.add(Queue.current === queue ? "\($0)" : "elsewhere") }
      return Confined(number)
    }
    for value in 1...1000 { number.async { $0.value = value } }
    try queue.sync {}
    #expect(log.entries == (1...1000).map { "\($0)" })
    withExtendedLifetime(number) {}
    queue.shutdown()
  }

  /// An object that is made on one queue and used on another.
  // Sendable, because it is passed as a whole, and one queue uses it after the other.
  private final class Composed: @unchecked Sendable {
    let (first, second) = (Property(1), Property(2))
    let list = CollectionProperty([3, 1, 2])
    let sum: AnyProperty<Int>
    let sorted: AnyCollectionProperty<[Int]>

    init() {
      sum = first.combineLatest(with: second).map { $0 + $1 }
      sorted = list.readOnlyView.sorted(by: <)
    }
  }

  @Test func `what is composed on one thread lives where it is observed, and is released anywhere`() throws {
    let (maker, home) = (Queue(label: "maker"), Queue(label: "home"))
    for isObserved in [true, false] {
      let composed = try maker.sync { Composed() }
      let result = try home.sync {
        var sums: [Int] = []
        let subscription = isObserved ? composed.sum.observeNext { sums.append($0) } : nil
        composed.first.value = 10
        composed.second.value = 20
        composed.list.append(0)
        subscription?.dispose()
        return (sums, composed.sum.value, composed.sorted.collection)
      }
      #expect(result == (isObserved ? [3, 12, 30] : [], 30, [0, 1, 2, 3]))
    }
    maker.shutdown()
    home.shutdown()
  }

  @Test func `several threads modify one property and lose nothing`() async throws {
    let queue = Queue(label: "home")
    let count = try queue.sync { Confined(Property(0)) }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<500 { count.async { property in property.modify { $0 += 1 } } } }
      }
    }
    let total = Lock(0)
    count.async { property in total.withLock { $0 = property.value } }
    try queue.sync {}
    #expect(total.withLock { $0 } == 2000)
    queue.shutdown()
  }

  @MainActor private final class Owner {
    let number = Property(0)
    lazy var doubled = number.map { $0 * 2 }

    init(_ ended: AsyncStream<Void>.Continuation) {
      // The stream completes by itself.
      _ = doubled.observe { event in
        // Traps if it runs elsewhere.
        MainActor.assumeIsolated { if event.isCompletion { ended.yield() } }
      }
    }
  }

  @Test func `a property of a main-actor object that dies on another thread completes on the main actor`() async throws
  {
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<50 {
      let box = Lock<Owner?>(nil)
      await MainActor.run {
        let owner = Owner(continuation)
        owner.number.value = 3
        #expect(owner.doubled.value == 6)
        box.withLock { $0 = owner }
      }
      try await onOwnThread {
        let last = box.withLock { $0.take() }
        #expect(last != nil)
      }
      #expect(await ends.first { true } != nil)
    }
  }

  private actor Meter {
    private let number = Property(0)
    private let bag = DisposeBag()
    private(set) var seen: [Int] = []

    func start() {
      number.observeNext(with: self) { meter, value in meter.seen.append(value) }.dispose(in: bag)
    }

    func set(_ value: Int) { number.value = value }
  }

  @Test func `an actor owns a property and may die anywhere`() async throws {
    for _ in 0..<50 {
      let meter = Meter()
      await meter.start()
      await meter.set(1)
      #expect(await meter.seen == [0, 1])
      let box = Lock<Meter?>(meter)
      _ = consume meter
      try await onOwnThread { _ = box.withLock { $0.take() } }
    }
  }

  @Test func `a property that dies elsewhere ends its observers, views and bindings at home`() throws {
    let queue = Queue(label: "home")
    let log = Log()
    let box = Lock<Property<Int>?>(nil)
    let push = try queue.sync {
      let number = Property(1)
      let push = PushStream<Int>()
      push.bind(to: number)
      _ = number.filter(initial: 0) { $0 > 0 }.observe { event in
        log.add("\(event) \(Queue.current === queue)")
      }
      // Passed to the thread that releases it.
      nonisolated(unsafe) let last = number
      box.withLock { $0 = last }
      return Confined(push)
    }
    box.withLock { $0 = nil }
    try queue.sync {}
    #expect(log.entries == ["next(1) true", "completed true"])
    push.async { log.add("\($0.observerCount)") }
    try queue.sync {}
    #expect(log.entries.last == "0")
    queue.shutdown()
  }

  @Test func `a property that is set in another home traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Used in another home on purpose: this is the programmer error that traps.
      nonisolated(unsafe) let number = Property(1)
      // The thread of the home is still alive, or another one could have its number.
      await MainActor.run { _ = number.observeNext { _ in } }
      try await onOwnThread { number.value = 2 }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("change values there with a Confined"))
  }

  @Test func `a live collection that is changed in another home traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Used in another home on purpose: this is the programmer error that traps.
      nonisolated(unsafe) let list = CollectionProperty([1])
      // The thread of the home is still alive, or another one could have its number.
      await MainActor.run { _ = list.observeNext { _ in } }
      try await onOwnThread { list.append(2) }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("change values there with a Confined"))
  }
}
