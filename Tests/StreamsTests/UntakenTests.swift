import Streams
import StreamsTesting
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Elements that own a resource and that no observer takes.
@Suite("Untaken elements", .noLiveResources, .timeLimit(.minutes(15))) @MainActor
struct UntakenTests {
  private let counter = ResourceCounter()

  private func send<Failure>(_ count: Int, to stream: PushOperation<Resource, Failure>) {
    for _ in 0..<count { stream.next(Resource(counter)) }
  }

  @Test(arguments: [AsyncBuffering.pausing, .unbounded, .latest, .bounded(2, .dropOldest), .bounded(2, .dropNewest)])
  func `values() disposes of what it drops: for want of room, and when its iterator goes`(_ policy: AsyncBuffering)
    async
  {
    let stream = PushStream<Resource>()
    var taken: [Resource] = []
    do {
      var iterator = stream.values(policy).makeAsyncIterator()
      send(5, to: stream)
      if let first = await iterator.next() { taken.append(first) }
    }
    #expect(taken.count == 1)
    await eventually { counter.count == 1 }
    taken.first?.dispose()
  }

  @Test func `an element that several observers share is not disposed under the one that has taken it`() async {
    let stream = PushStream<Resource>()
    var taken: Resource?
    do {
      var one = stream.values().makeAsyncIterator()
      let other = stream.values().makeAsyncIterator()
      send(2, to: stream)
      taken = await one.next()
      withExtendedLifetime(other) {}
    }
    await eventually { counter.count == 1 }
    #expect(taken?.isDisposed == false)
    taken?.dispose()
  }

  @Test func `a cancelled value, whenever the task is cancelled`() async {
    var random = SeededGenerator(1)
    for _ in 0..<min(Effort.cases, 2_000) {
      let counter = counter
      let yields = (Int.random(in: 0..<4, using: &random), Int.random(in: 0..<6, using: &random))
      let stream = PushStream<Resource>()
      let task = Task { @MainActor in if let resource = try? await stream.toOperation().value { resource.dispose() } }
      for _ in 0..<yields.0 { await Task.yield() }
      if stream.observerCount > 0 { stream.next(Resource(counter)) }
      for _ in 0..<yields.1 { await Task.yield() }
      task.cancel()
      await task.value
      #expect(counter.count == 0)
    }
  }

  @Test func `elements that were sent inside of a delivery, and whose observers leave before their turn`() {
    let stream = PushStream<Resource>()
    var subscription: Subscription?
    var taken: [Resource] = []
    subscription = stream.observeNext { resource in
      taken.append(resource)
      self.send(3, to: stream)
      subscription?.dispose()
    }
    send(1, to: stream)
    #expect(taken.count == 1 && counter.count == 1)
    taken[0].dispose()
    // The same with a custom producer.
    taken = []
    var sender: Observer<Resource, Never>?
    subscription = Stream<Resource> { observer in
      sender = observer
      return .none
    }.observeNext { resource in
      taken.append(resource)
      for _ in 0..<3 { sender?.next(Resource(self.counter)) }
      subscription?.dispose()
    }
    sender?.next(Resource(counter))
    #expect(taken.count == 1 && counter.count == 1)
    taken[0].dispose()
  }

  @Test func `an inlet disposes of what it displaces, what its observers leave behind, and what nobody has observed`()
    async
  {
    do {
      let inlet = Inlet<Resource>(capacity: 2, whenFull: .dropOldest)
      for _ in 0..<5 { inlet.send(Resource(counter)) }
      #expect(counter.count == 2 && inlet.dropped == 3)
    }
    #expect(counter.count == 0)
    let inlet = Inlet<Resource>(capacity: 10, whenFull: .dropNewest)
    var taken: [Resource] = []
    var subscription: Subscription?
    subscription = inlet.stream.observeNext { resource in
      taken.append(resource)
      subscription?.dispose()
    }
    for _ in 0..<5 { inlet.send(Resource(counter)) }
    await eventually { counter.count == 1 }
    #expect(taken.count == 1)
    taken[0].dispose()
  }

  @Test func `an element that is displaced while its sender refers to it is checked again at home`() async throws {
    /// The inlet and the element of the other thread.
    final class Order: Sendable {
      let inlet: Inlet<Resource>
      let resource: Resource
      init(_ inlet: Inlet<Resource>, _ resource: Resource) { (self.inlet, self.resource) = (inlet, resource) }
      func send() { inlet.send(resource) }
    }
    let inlet = Inlet<Resource>(capacity: 1, whenFull: .dropOldest)
    let subscription = inlet.stream.observeNext { $0.dispose() }
    subscription.pause()
    var first: Resource? = Resource(counter)
    if let first { inlet.send(first) }
    var thread = pthread_t()
    let order = Unmanaged.passRetained(Order(inlet, Resource(counter)))
    let status = pthread_create(
      &thread, nil,
      { @Sendable order in
        if let order { Unmanaged<Order>.fromOpaque(order).takeUnretainedValue().send() }
        return nil
      }, order.toOpaque())
    try #require(status == 0)
    pthread_join(thread, nil)
    order.release()
    #expect(first?.isDisposed == false)
    first = nil
    await eventually { counter.count == 1 }
    subscription.dispose()
    await eventually { counter.count == 0 }
  }

  @Test func `work whose result comes too late`() async {
    let counter = counter
    let jobs = Lock<[@Sendable () -> Void]>([])
    let later = ExecutionContext { job in
      // The context gives the job up, and the test runs it once.
      nonisolated(unsafe) let job = job
      jobs.withLock { $0.append { job() } }
    }
    let subscription = Lock<Kept?>(nil)
    let observed = Operation<Resource, Never>.execute(on: later) {
      // Disposed while the job runs.
      subscription.withLock { $0.take() }?.subscription.dispose()
      return Resource(counter)
    }.observeNext { _ in Issue.record("delivered") }
    let kept = Kept(subscription: observed)
    subscription.withLock { $0 = kept }
    jobs.withLock { $0.first }?()
    await eventually { counter.count == 0 }
  }

  /// Moves a subscription into a job that runs in the same isolation.
  private struct Kept: @unchecked Sendable {
    // Sendable, because it is used only on the main actor.
    let subscription: Subscription
  }

  @Test func `a sequence that gives an element to a paused observer, which leaves`() async {
    let counter = counter
    let wasAsked = Lock(false)
    let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    let sequence = AsyncStream<Resource> {
      wasAsked.withLock { $0 = true }
      for await _ in gate { break }
      return Resource(counter)
    }
    let subscription = Operation(sequence).observeNext { _ in Issue.record("delivered") }
    await eventually { wasAsked.withLock { $0 } }
    subscription.pause()
    opener.yield(())
    await eventually { counter.count == 1 }
    for _ in 0..<10 { await Task.yield() }
    #expect(counter.count == 1)
    subscription.dispose()
    await eventually { counter.count == 0 }
  }

  @Test(
    arguments: 0..<14,
    [false, true])
  func `operators that hold elements dispose of those that they drop, at disposal and at a failure`(
    _ number: Int, fails: Bool
  ) {
    let scheduler = VirtualScheduler()
    let stream = PushOperation<Resource, TestError>()
    let other = PushOperation<Resource, TestError>()
    let isRunning = PushStream<Bool>()
    let turns = TurnTests.Turns()
    let operation: Streams.Operation<Void, TestError> =
      switch number {
      case 0: stream.debounce(for: .seconds(1), on: scheduler).map { _ in }
      case 1: stream.throttle(for: .seconds(1), latest: true, on: scheduler).map { $0.dispose() }
      case 2: stream.sample(for: .seconds(1), on: scheduler).map { _ in }
      case 3: stream.delay(for: .seconds(1), on: scheduler).map { _ in }
      case 4: stream.zip(with: other).map { _ in }
      case 5: stream.pausable(by: isRunning, buffering: 10).map { _ in }
      case 6: stream.flatMap(.concat) { _ in Stream<Void>.never() }
      case 7: stream.buffer(10).map { _ in }
      case 8: stream.buffer(for: .seconds(1), on: scheduler).map { _ in }
      case 9: stream.collect().map { _ in }
      case 10: stream.takeLast(2).map { _ in }
      case 11: stream.last().map { _ in }
      case 12: stream.skipLast(2).map { $0.dispose() }
      default: stream.observe(on: turns.context).map { _ in }
      }
    do {
      let subscription = operation.observe { _ in }
      isRunning.next(false)
      send(3, to: stream)
      if fails { stream.failed("end") } else { subscription.dispose() }
    }
    // `flatMap` has passed its first element to the transformation, which takes it.
    #expect(counter.count == (number == 6 ? 1 : 0))
    turns.take()
  }

  @Test func `what an element consists of, and what is sent after a disposal, is not disposed`() {
    let scheduler = VirtualScheduler()
    let stream = PushStream<[Resource]>()
    let subscription = stream.debounce(for: .seconds(1), on: scheduler).observeNext { _ in }
    stream.next([Resource(counter)])
    subscription.dispose()
    #expect(counter.count == 1)
    // The producer owns what its observer refuses.
    var sender: Observer<Resource, Never>?
    Stream<Resource> { observer in
      sender = observer
      return .none
    }.observeNext { $0.dispose() }.dispose()
    let refused = Resource(counter)
    sender?.next(refused)
    #expect(!refused.isDisposed)
  }

  @Test func `throttle keeps nothing that comes when the element before it has had its observer leave`() async {
    let scheduler = VirtualScheduler()
    let stream = PushStream<Resource>()
    var count = 0
    var subscription: Subscription?
    subscription = stream.throttle(for: .seconds(1), latest: true, on: scheduler).observeNext { resource in
      resource.dispose()
      count += 1
      if count == 2 { subscription?.dispose() }
    }
    // Scheduled before the end of the window, so it runs first.
    _ = scheduler.schedule(at: .seconds(1)) { self.send(1, to: stream) }
    send(2, to: stream)
    scheduler.advance(by: .seconds(1))
    #expect(count == 2 && scheduler.pendingCount == 0)
    await eventually { counter.count == 0 }
  }

  @Test(arguments: 0..<3)
  func `an operator with a clock waits for nothing when what it drops has had its observer leave`(_ number: Int) {
    let scheduler = VirtualScheduler()
    let stream = PushStream<Trap>()
    let operation: Stream<Trap> =
      switch number {
      case 0: stream.debounce(for: .seconds(1), on: scheduler)
      case 1: stream.throttle(for: .seconds(1), latest: true, on: scheduler)
      default: stream.sample(for: .seconds(1), on: scheduler)
      }
    let subscription = operation.observeNext { _ in }
    stream.next(Trap())
    do {
      let dropped = Trap()
      dropped.action = { subscription.dispose() }
      stream.next(dropped)
    }
    stream.next(Trap())
    #expect(subscription.isDisposed && scheduler.pendingCount == 0)
  }

  @Test(arguments: 0..<4, [false, true])
  func `operators that remember an element dispose of it if no output has had it: replaced, at disposal, at a failure`(
    _ number: Int, fails: Bool
  ) {
    let stream = PushOperation<Resource, TestError>()
    let other = PushOperation<Resource, TestError>()
    let ticks = PushOperation<Void, TestError>()
    var taken: [Resource] = []
    let operation: Streams.Operation<Resource, TestError> =
      switch number {
      case 0: stream.combineLatest(with: ticks).map { $0.0 }
      case 1: Operation.combineLatest([stream.toOperation(), other.toOperation()]).map { $0[0] }
      case 2: ticks.withLatest(from: stream).map { $0.1 }
      default: stream.sample(on: ticks)
      }
    do {
      let subscription = operation.observeNext { taken.append($0) }
      send(3, to: stream)
      #expect(counter.count == 1)
      ticks.next(())
      if number == 1 { other.next(Resource(counter)) }
      #expect(taken.count == 1)
      // The observer owns everything that an output has delivered, including the element of `other`.
      send(1, to: stream)
      if number > 1 { send(1, to: stream) }
      if fails { stream.failed("end") } else { subscription.dispose() }
    }
    taken.forEach { $0.dispose() }
    #expect(counter.count == (number == 1 ? 1 : 0))
  }

  /// An object that runs a closure when it is disposed.
  private final class Trap: Disposable {
    var action: () -> Void = {}
    private(set) var isDisposed = false
    func dispose() {
      isDisposed = true
      action()
    }
  }

  @Test(arguments: 0..<9, 0..<6)
  func `disposing of an element may send, complete, fail, resume, and dispose`(_ number: Int, _ action: Int) {
    let scheduler = VirtualScheduler()
    let (stream, other) = (PushOperation<Trap, TestError>(), PushOperation<Trap, TestError>())
    let inner = PushOperation<Int, TestError>()
    let isRunning = PushStream<Bool>()
    let operation: Streams.Operation<Void, TestError> =
      switch number {
      case 0: stream.combineLatest(with: other).map { _ in }
      case 1: Operation.combineLatest([stream.toOperation(), other.toOperation()]).map { _ in }
      case 2: stream.zip(with: other).map { _ in }
      case 3: other.withLatest(from: stream).map { _ in }
      case 4: stream.flatMap(.concat) { _ in inner }.map { _ in }
      case 5: stream.pausable(by: isRunning, buffering: 10).map { _ in }
      case 6: stream.debounce(for: .seconds(1), on: scheduler).map { _ in }
      case 7: stream.sample(on: other).map { _ in }
      default: stream.observe(on: .immediate).map { _ in }
      }
    for ending in 0..<3 {
      var subscription: Subscription?
      subscription = operation.observe { _ in }
      isRunning.next(false)
      subscription?.pause()
      if number != 8 && number != 5 { subscription?.resume() }
      for _ in 0..<3 {
        let trap = Trap()
        trap.action = {
          switch action {
          case 0: other.next(Trap())
          case 1: stream.next(Trap())
          case 2: other.completed()
          case 3: inner.completed()
          case 4: subscription?.resume()
          default: subscription?.dispose()
          }
        }
        stream.next(trap)
      }
      switch ending {
      case 0: subscription?.dispose()
      case 1: other.next(Trap())
      default: stream.failed("end")
      }
      subscription?.dispose()
      scheduler.run()
    }
  }

  @Test func `an element that another one is disposed of for is combined once`() {
    let (left, right) = (PushStream<Trap>(), PushStream<Trap>())
    var count = 0
    let subscription = left.combineLatest(with: right).observeNext { _ in count += 1 }
    do {
      let first = Trap()
      first.action = { right.next(Trap()) }
      left.next(first)
    }
    left.next(Trap())
    #expect(count == 1)
    subscription.dispose()
  }
}
