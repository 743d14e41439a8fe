import Dispatch
import Glibc
import Streams
import StreamsTesting
import Synchronization
import TestSupport
import Testing

@testable import EventLoops

/// An actor whose executor is a queue.
private actor Resident {
  let queue: Queue
  var count = 0

  init(_ queue: Queue) { self.queue = queue }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  func step() -> String {
    count += 1
    return Queue.current?.label ?? "none"
  }

  func observe() -> Int {
    var ticks = 0
    let bag = DisposeBag()
    Stream.sequence(1...4).observeNext { ticks += $0 }.dispose(in: bag)
    return ticks
  }
}

@Suite("Queue", .noLiveResources)
struct QueueTests {
  @Test func `jobs run in order on the queue's thread; posts coalesce on one uv_async`() throws {
    let queue = Queue(label: "order")
    let seen = Lock<[Int]>([])
    let gate = Lock(())
    let signalsBefore = queue.mailbox.signals
    gate.withLock { _ in
      // The first job holds the loop until all the others have been posted.
      queue.async { gate.withLock { _ in } }
      for index in 0..<1000 {
        queue.async {
          if Queue.current === queue { seen.withLock { $0.append(index) } }
        }
      }
    }
    try queue.sync {}
    #expect(seen.withLock { $0 } == Array(0..<1000))
    #expect(queue.mailbox.signals - signalsBefore <= 4, "wake-ups for 1,002 jobs")
    queue.shutdown()
  }

  @Test(.enabled(if: !Effort.isSanitized))
  func `a queue without a thread traps, and says what to do`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // The stacks of many threads do not fit.
      let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
      var limit = rlimit()
      #expect(getrlimit(resource, &limit) == 0)
      limit.rlim_cur = 512 << 20
      #expect(setrlimit(resource, &limit) == 0)
      let queues = (0..<1_000).map { Queue(label: "queue \($0)") }
      for queue in queues { queue.shutdown() }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("No thread can be made for the queue") && text.contains("ulimit -v"))
  }

  @Test func `a queue without descriptors for its loop says so, and runs its jobs when there are some`() async {
    await #expect(processExitsWith: .success) {
      // What libuv opens once.
      Queue(label: "first").shutdown()
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var normal = rlimit()
      #expect(getrlimit(resource, &normal) == 0)
      var limit = rlimit(rlim_cur: 0, rlim_max: normal.rlim_max)
      let (reported, ran) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let messages = Lock<[String]>([])
      _ = Diagnostics.setSink { message in
        messages.withLock { $0.append(message) }
        reported.signal()
      }
      #expect(setrlimit(resource, &limit) == 0)
      let queue = Queue(label: "waits")
      #expect(queue.async { ran.signal() })
      reported.wait()
      #expect(setrlimit(resource, &normal) == 0)
      ran.wait()
      queue.shutdown()
      #expect(messages.withLock { $0.count == 1 && $0[0].contains("EMFILE") })
    }
  }

  @Test(.timeLimit(.minutes(15))) func `shutdown() ends a queue on which a task awaits run()`() async throws {
    let queue = Queue(label: "awaited")
    let (waits, ended) = (DispatchSemaphore(value: 0), Lock(false))
    let task = Task {
      await LoopActor(queue).run { actor in
        _ = Loop.current.scheduler.schedule(after: .seconds(3600)) {}
        queue.async { waits.signal() }
        await Loop.current.run(isolation: actor)
        ended.withLock { $0 = true }
      }
    }
    try await onOwnThread {
      waits.wait()
      queue.shutdown()
    }
    await task.value
    #expect(ended.withLock { $0 })
    #expect(!queue.async {})
  }

  @Test
  func `what lived on a queue that has closed belongs to nobody, also where another queue has its thread's number`()
    throws
  {
    // Threads of other tests may get the number first, so the test makes several attempts.
    for _ in 0..<50 { if try outliveThread() { return } }
    Issue.record("no thread got the number of one that had ended")
  }

  /// Uses the objects that a closed queue has left. Returns true if another queue has the number of its thread by then.
  private func outliveThread() throws -> Bool {
    let first = Queue(label: "first")
    // Used by this thread after the thread of the queue has ended, on purpose.
    nonisolated(unsafe) var subscription: Subscription?
    // Used like `subscription`.
    nonisolated(unsafe) var observer: Observer<Int, Never>?
    // Used like `subscription`.
    nonisolated(unsafe) var received: [Int] = []
    let number = try first.sync {
      let numbers = Stream<Int> {
        observer = $0
        return .none
      }
      subscription = numbers.observeNext { received.append($0) }
      return ThreadIdentity.current
    }
    first.shutdown()
    var others: [Queue] = []
    var isReused = false
    while !isReused, others.count < 100 {
      others.append(Queue(label: "other"))
      isReused = try others[others.count - 1].sync { ThreadIdentity.current } == number
    }
    observer?.next(1)
    subscription?.pause()
    subscription?.resume()
    subscription?.dispose()
    #expect(received == [])
    for other in others { other.shutdown() }
    return isReused
  }

  @Test func `sync gives the result or error, and runs in place on the queue itself`() throws {
    struct Wrong: Error {}
    let queue = Queue(label: "sync")
    #expect(try queue.sync { Queue.current?.label } == "sync")
    #expect(try queue.sync { try queue.sync { 42 } } == 42)
    #expect(throws: Wrong.self) { try queue.sync { throw Wrong() } }
    queue.shutdown()
    #expect(throws: LoopClosed.self) { try queue.sync {} }
  }

  @Test func `after runs jobs in the order in which they are due`() async throws {
    let queue = Queue(label: "after")
    var order: [Int] = []
    var isLate = true
    // A machine that suspends the thread between two of the calls changes the order in which the jobs are due.
    while isLate {
      (order, isLate) = await withCheckedContinuation { continuation in
        queue.async {
          let order = Lock<[Int]>([])
          let isLate = Lock(false)
          let start = ContinuousClock.now
          queue.after(.milliseconds(30)) {
            continuation.resume(returning: (order.withLock { $0 } + [3], isLate.withLock { $0 }))
          }
          queue.after(.milliseconds(20)) { order.withLock { $0.append(2) } }
          queue.after(.milliseconds(-1)) { order.withLock { $0.append(1) } }
          isLate.withLock { $0 = ContinuousClock.now - start > .milliseconds(5) }
        }
      }
    }
    #expect(order == [1, 2, 3])
    queue.shutdown()
  }

  @Test func `what was posted before shutdown runs; what is posted after it is refused and released`() {
    let queue = Queue(label: "shutdown")
    let ran = Lock(0)
    for _ in 0..<100 { queue.async { ran.withLock { $0 += 1 } } }
    queue.shutdown()
    queue.shutdown()
    #expect(ran.withLock { $0 } == 100)
    final class Witness: Sendable {}
    weak let released: Witness?
    do {
      let witness = Witness()
      released = witness
      #expect(!queue.async { _ = witness })
      #expect(!queue.after(.zero) { _ = witness })
    }
    #expect(released == nil)
  }

  @Test func `letting go of the last reference ends the thread after what was posted`() async {
    let weakMailbox: Weak<LoopMailbox>
    let ran: Lock<Bool> = Lock(false)
    do {
      let queue = Queue(label: "let go")
      weakMailbox = Weak(queue.mailbox)
      queue.async { ran.withLock { $0 = true } }
    }
    let deadline = ContinuousClock.now + .seconds(20)
    while weakMailbox.value != nil, ContinuousClock.now < deadline { await Task.yield() }
    #expect(weakMailbox.value == nil)
    #expect(ran.withLock { $0 })
  }

  @Test func `an actor lives on a queue, and so do tasks that prefer it`() async throws {
    let queue = Queue(label: "executor")
    let resident = Resident(queue)
    for _ in 0..<100 { #expect(await resident.step() == "executor") }
    #expect(await resident.count == 100)
    #expect(await resident.observe() == 10)
    let label = await Task(executorPreference: queue) { Queue.current?.label }.value
    #expect(label == "executor")
    try queue.sync { resident.assumeIsolated { #expect($0.count == 100) } }
    queue.shutdown()
  }

  @Test func `assuming an actor's isolation elsewhere than on its queue traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let resident = Resident(Queue(label: "isolated"))
      assumeIsolated(resident)
    }
    expect(result, says: "Incorrect actor executor assumption")
  }

  @Test func `an actor on a queue that has been shut down traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let queue = Queue(label: "gone")
      let resident = Resident(queue)
      queue.shutdown()
      _ = await resident.step()
    }
    expect(result, says: "Shut a queue down after the last task on it has ended")
  }

  @Test func `contexts of one domain are equal, and know whether the caller runs there; of closures, copies are equal`()
    throws
  {
    let queue = Queue(label: "identity")
    defer { queue.shutdown() }
    let other = Queue(label: "other")
    defer { other.shutdown() }
    #expect(queue.context == queue.context)
    #expect(queue.context != other.context)
    #expect(queue.context != .immediate)
    #expect(!queue.context.isCurrent)
    let (own, others, loops) = try queue.sync {
      (queue.context.isCurrent, other.context.isCurrent, Loop.current.context == queue.context)
    }
    #expect(own && !others && loops)
    #expect(ExecutionContext.immediate == .immediate && ExecutionContext.immediate.isCurrent)
    let custom = ExecutionContext { $0() }
    let copy = custom
    #expect(custom == copy && custom != ExecutionContext { $0() } && !custom.isCurrent)
  }

  @Test
  func `the context .immediate(on:) runs in place only where nothing is queued, so jobs never overtake each other`()
    throws
  {
    let queue = Queue(label: "immediate")
    let order = Lock<[Int]>([])
    let context = ExecutionContext.immediate(on: queue)
    try queue.sync {
      context.execute { order.withLock { $0.append(1) } }
      queue.async { order.withLock { $0.append(3) } }
      context.execute { order.withLock { $0.append(4) } }
      order.withLock { $0.append(2) }
    }
    context.execute { order.withLock { $0.append(5) } }
    try queue.sync {}
    #expect(order.withLock { $0 } == [1, 2, 3, 4, 5])
    queue.shutdown()
  }

  @Test func `the context .immediate(on:) does not overtake the jobs that the loop has taken already`() async {
    let queue = Queue(label: "immediate")
    let context = ExecutionContext.immediate(on: queue)
    let order: [Int] = await withCheckedContinuation { continuation in
      // No other thread posts, so the loop takes both jobs at once, and its mailbox is empty then.
      queue.async {
        let order = Lock<[Int]>([])
        @Sendable func note(_ number: Int) {
          let all = order.withLock { order in
            order.append(number)
            return order
          }
          if all.count == 3 { continuation.resume(returning: all) }
        }
        queue.async {
          note(1)
          context.execute { note(3) }
        }
        queue.async { note(2) }
      }
    }
    #expect(order == [1, 2, 3])
    queue.shutdown()
  }

  @Test func `a subscription made on a queue cannot be disposed of elsewhere: the trap names the crossing points`()
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let queue = Queue(label: "home")
      let bag = Lock<Leaked?>(nil)
      try queue.sync {
        let here = DisposeBag()
        Stream<Int>.never().observeNext { _ in }.dispose(in: here)
        bag.withLock { $0 = Leaked(here) }
      }
      bag.withLock { $0?.bag.dispose() }
    }
    expect(result, says: "Inlet")
  }

  @Test func `a bag of an object on a queue that dies on another thread is disposed of on the queue`() async throws {
    let queue = Queue(label: "owner")
    let disposedOn = await withCheckedContinuation { continuation in
      queue.async {
        let bag = DisposeBag()
        bag.add(BlockDisposable { continuation.resume(returning: Queue.current?.label) })
        let leaked = Leaked(bag)
        Task.detached { _ = leaked }
      }
    }
    #expect(disposedOn == "owner")
    queue.shutdown()
  }
}

private func assumeIsolated(_ resident: Resident) { resident.assumeIsolated { _ in } }

/// Moves a bag to another thread, as only unsafe code can.
private final class Leaked: @unchecked Sendable {
  // Unsafe on purpose, for tests of this programmer error.
  let bag: DisposeBag

  init(_ bag: DisposeBag) { self.bag = bag }
}

private final class Weak<Object: AnyObject & Sendable>: Sendable {
  weak let value: Object?

  init(_ value: Object) { self.value = value }
}
