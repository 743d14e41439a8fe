import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops
@testable import Streams

/// Work that runs in another domain than its observer.
@Suite(.noLiveResources, .timeLimit(.minutes(15)))
struct ExecuteTests {
  /// Runs a loop on its own thread until `body` has called its second argument.
  private func onLoop<Result: Sendable>(
    _ body: @escaping @Sendable (DisposeBag, @escaping (Result) -> Void) -> Void
  ) async throws -> Result? {
    try await onOwnThread {
      let loop = Loop()
      let guardian = deadline(loop)
      guardian.keepsLoopAlive = true
      var result: Result?
      let bag = DisposeBag()
      body(bag) {
        result = $0
        loop.stop()
      }
      if result == nil { loop.run() }
      bag.dispose()
      guardian.dispose()
      loop.shutdown()
      return result
    }
  }

  @Test func `the context of a loop runs closures later, in order, on its thread`() async throws {
    let entries = try await onLoop { (bag: DisposeBag, done: @escaping ([String]) -> Void) in
      // Everything stays on this thread.
      nonisolated(unsafe) let (loop, done) = (Loop.current, done)
      let log = Log()
      loop.context.execute { log.add("first") }
      loop.context.execute {
        log.add("second, \(Loop.current === loop)")
        done(log.entries)
      }
      log.add("returned")
    }
    #expect(entries == ["returned", "first", "second, true"])
  }

  @Test func `work runs on the queue and its result is delivered where it is observed`() async throws {
    let queue = Queue(label: "work")
    let events = try await onLoop { (bag: DisposeBag, done: @escaping ([Event<Bool, TestError>]) -> Void) in
      let here = HomeThread.mailbox
      var events: [Event<Bool, TestError>] = []
      Operation<Bool, TestError>.execute(on: queue.context) { Queue.current === queue }.observe { event in
        #expect(HomeThread.mailbox === here)
        events.append(event)
        if event.isTermination { done(events) }
      }.dispose(in: bag)
    }
    #expect(events == [.next(true), .completed])
    queue.shutdown()
  }

  @Test func `what a producer sends comes in order, and what it throws comes last`() async throws {
    let queue = Queue(label: "work")
    let events = try await onLoop { (bag: DisposeBag, done: @escaping ([Event<Int, TestError>]) -> Void) in
      var events: [Event<Int, TestError>] = []
      Operation<Int, TestError>.execute(on: queue.context, capacity: 100, whenFull: .dropNewest) {
        inlet throws(TestError) in
        for number in 0..<100 { inlet.send(number) }
        throw "end"
      }.observe { event in
        events.append(event)
        if event.isTermination { done(events) }
      }.dispose(in: bag)
    }
    #expect(events == (0..<100).map { .next($0) } + [.failed("end")])
    queue.shutdown()
  }

  @Test func `what is disposed of before its turn never starts`() async throws {
    let queue = Queue(label: "work")
    let started = Lock(false)
    let wasStarted = try await onLoop { (_: DisposeBag, done: @escaping (Bool) -> Void) in
      // The queue is busy until the operation has been disposed.
      let gate = Lock(())
      gate.withLock { _ in
        queue.async { gate.withLock { _ in } }
        Operation<Int, Never>.execute(on: queue.context) {
          started.withLock { $0 = true }
          return 1
        }.observeNext { _ in Issue.record("delivered after disposal") }.dispose()
      }
      try! queue.sync {}
      done(started.withLock { $0 })
    }
    #expect(wasStarted == false)
    queue.shutdown()
  }

  @Test func `a producer hears that nobody wants any more`() async throws {
    let queue = Queue(label: "work")
    let sent = try await onLoop { (_: DisposeBag, done: @escaping (Int) -> Void) in
      let count = Lock(0)
      let subscription = Operation<Int, Never>.execute(on: queue.context, capacity: 4, whenFull: .dropOldest) { inlet in
        while inlet.send(1) { count.withLock { $0 += 1 } }
      }.observeNext { _ in }
      while count.withLock({ $0 }) == 0 {}
      subscription.dispose()
      // Returns after the producer has returned.
      try! queue.sync {}
      done(count.withLock { $0 })
    }
    #expect((sent ?? 0) > 0)
    queue.shutdown()
  }

  @Test func `a context that has closed completes without an element`() async throws {
    let queue = Queue(label: "work")
    queue.shutdown()
    let events = try await onLoop { (bag: DisposeBag, done: @escaping ([Event<Int, Never>]) -> Void) in
      Operation<Int, Never>.execute(on: queue.context) { 1 }.observe { done([$0]) }
        .dispose(in: bag)
    }
    #expect(events == [.completed])
  }

  @Test func `observe(on:) with the queue's own context delivers on its next turn`() async throws {
    let queue = Queue(label: "turns")
    let elements = Lock<[Int]>([])
    let isEmptyAtFirst = try await onOwnThread {
      try queue.sync {
        let bag = DisposeBag()
        Stream.sequence(1...3).observe(on: queue.context).observe(
          next: { element in elements.withLock { $0.append(element) } }, termination: { _ in bag.dispose() }
        ).dispose(in: bag)
        return elements.withLock { $0.isEmpty }
      }
    }
    #expect(isEmptyAtFirst)
    try await onOwnThread { try queue.sync {} }
    #expect(elements.withLock { $0 } == [1, 2, 3])
    queue.shutdown()
  }
}
