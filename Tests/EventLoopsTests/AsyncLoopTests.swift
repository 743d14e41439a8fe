import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Asynchronous sequences and streams on a loop's thread.
@Suite("Async loop", .noLiveResources, .timeLimit(.minutes(15)))
struct AsyncLoopTests {
  private actor Resident {
    let queue: Queue
    private(set) var strays = 0

    init(_ queue: Queue) { self.queue = queue }

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func ticks(_ count: Int) async -> [Int] {
      var received: [Int] = []
      for await tick in Stream<Int>.interval(.milliseconds(1)).values() {
        if Queue.current !== queue { strays += 1 }
        received.append(tick)
        if received.count == count { break }
      }
      return received
    }

    func tick() async throws -> Int { try await Stream<Int>.interval(.milliseconds(1)).value }

    func forEver() async {
      for await _ in Stream<Int>.interval(.milliseconds(1)).values(.latest) {}
    }

    func sum(_ sequence: AsyncStream<Int>) async -> Int {
      var sum = 0
      for await value in Operation(sequence).doOn(next: { [queue] _ in #expect(Queue.current === queue) }).values() {
        sum += value
      }
      return sum
    }
  }

  /// Delivers a resource when the test permits it, even if the consumer is gone by then.
  private struct Late: AsyncSequence, AsyncIteratorProtocol {
    typealias Failure = Never
    let counter: ResourceCounter
    let asked: AsyncStream<Void>.Continuation
    let answer: AsyncStream<Void>

    func makeAsyncIterator() -> Late { self }

    mutating func next(isolation: isolated (any Actor)?) async -> Resource? {
      asked.yield()
      let (counter, answer) = (counter, answer)
      return await Task.detached {
        for await _ in answer {}
        return Resource(counter)
      }.value
    }

    mutating func next() async -> Resource? { await next(isolation: nil) }
  }

  @Test func `an element that arrives after its loop has closed is disposed of`() async throws {
    let counter = ResourceCounter()
    let (asked, asking) = AsyncStream<Void>.makeStream()
    let (answer, answering) = AsyncStream<Void>.makeStream()
    let queue = Queue(label: "late")
    queue.async { _ = Stream(Late(counter: counter, asked: asking, answer: answer)).observeNext { _ in } }
    for await _ in asked { break }
    queue.shutdown()
    answering.finish()
    await untilTrue { counter.made == 1 && counter.count == 0 }
    #expect(counter.made == 1 && counter.count == 0)
  }

  @Test func `an actor on a queue iterates over timers of its loop`() async throws {
    let queue = Queue(label: "async")
    let resident = Resident(queue)
    #expect(await resident.ticks(5) == [0, 1, 2, 3, 4])
    #expect(try await resident.tick() == 0)
    #expect(await resident.strays == 0)
    queue.shutdown()
  }

  @Test func `cancelling a task on a queue disposes of its timer there`() async throws {
    let queue = Queue(label: "async")
    let resident = Resident(queue)
    for round in 0..<50 {
      let task = Task { await resident.forEver() }
      for _ in 0..<round { await Task.yield() }
      task.cancel()
      await task.value
    }
    queue.shutdown()
  }

  @Test func `an asynchronous sequence is delivered on the queue of the actor that observes it`() async {
    let queue = Queue(label: "async")
    let resident = Resident(queue)
    let (sequence, continuation) = AsyncStream.makeStream(of: Int.self)
    Task.detached {
      for number in 1...100 { continuation.yield(number) }
      continuation.finish()
    }
    #expect(await resident.sum(sequence) == 5050)
    queue.shutdown()
  }

  @Test func `a loop without an actor observes an asynchronous sequence on its thread`() async throws {
    let (sequence, continuation) = AsyncStream.makeStream(of: Int.self)
    let received = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var received: [Int] = []
      let subscription = Operation(sequence).observe { event in
        #expect(Loop.current === loop)
        if case .next(let number) = event { received.append(number) } else { loop.stop() }
      }
      Task.detached {
        for number in 1...100 { continuation.yield(number) }
        continuation.finish()
      }
      guardian.keepsLoopAlive = true
      loop.run()
      #expect(subscription.isDisposed)
      return received
    }
    #expect(received == Array(1...100))
  }

  @Test func `a loop that shuts down first ends the task, and nothing more is delivered`() async throws {
    let (sequence, continuation) = AsyncStream.makeStream(of: Int.self)
    let isOver = Lock(false)
    continuation.onTermination = { _ in isOver.withLock { $0 = true } }
    try await onOwnThread {
      let loop = Loop()
      let guardian = deadline(loop)
      guardian.keepsLoopAlive = true
      // The task delivers the element, and then waits for the next one.
      let subscription = Operation(sequence).observeNext { number in
        #expect(number == 1)
        loop.stop()
      }
      continuation.yield(1)
      loop.run()
      loop.shutdown()
      withExtendedLifetime(subscription) {}
    }
    continuation.yield(2)
    continuation.finish()
    #expect(isOver.withLock { $0 })
  }

  /// Moves an iterator to a thread on which it must not be used.
  private struct Box: @unchecked Sendable {
    var iterator: AsyncValues<Int, Never>.Iterator
  }

  @Test func `an iterator that dies on another thread disposes of its source on the queue`() throws {
    let queue = Queue(label: "async")
    let labels = Lock<[String?]>([])
    for _ in 0..<50 {
      let box = Lock<Box?>(nil)
      try queue.sync {
        let stream = Stream<Int> { _ in BlockDisposable { labels.withLock { $0.append(Queue.current?.label) } } }
        let iterator = stream.values().makeAsyncIterator()
        box.withLock { $0 = Box(iterator: iterator) }
      }
      box.withLock { $0 = nil }
    }
    try queue.sync {}
    #expect(labels.withLock { $0 } == Array(repeating: "async", count: 50))
    queue.shutdown()
  }

  @Test func `the clock of a recording does not run what an actor observes while the recording task awaits it`()
    async throws
  {
    try await onLoop { here in
      let scheduler = VirtualScheduler()
      let recorder = Stream<Int>.interval(.seconds(1)).record(on: scheduler)
      let queue = Queue(label: "other")
      let other = LoopActor(queue)
      let bag = Lock<Confined<DisposeBag>?>(nil)
      let (ticks, strays) = (Lock(0), Lock(0))
      await other.run { _ in
        let made = DisposeBag()
        Stream.interval(.milliseconds(1)).observeNext { _ in
          ticks.withLock { $0 += 1 }
          if Queue.current !== queue { strays.withLock { $0 += 1 } }
        }.dispose(in: made)
        bag.withLock { $0 = Confined(made) }
      }
      scheduler.advance(by: .seconds(300))
      #expect(recorder.elements.count == 300)
      await untilTrue { ticks.withLock { $0 } > 3 }
      #expect(strays.withLock { $0 } == 0)
      withExtendedLifetime(here) {}
      bag.withLock { $0 = nil }
      queue.shutdown()
    }
  }

  @Test func `after its home has shut down an iterator gives what waits, and then waits for cancellation`() async throws
  {
    let queue = Queue(label: "async")
    let box = Lock<Box?>(nil)
    try queue.sync {
      let stream = Stream<Int> { observer in
        observer.next(1)
        return .none
      }
      let iterator = stream.values().makeAsyncIterator()
      box.withLock { $0 = Box(iterator: iterator) }
    }
    queue.shutdown()
    let task = Task { () -> [Int?] in
      guard var box = box.withLock({ $0.take() }) else { return [] }
      return [await box.iterator.next(), await box.iterator.next()]
    }
    for _ in 0..<20 { await Task.yield() }
    task.cancel()
    let received = await task.value
    #expect(received == [1, nil] || received == [nil, nil])
  }
}
