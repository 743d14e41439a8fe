import CUV
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("The loop's scheduler", .noLiveResources)
struct SchedulerTests {
  @Test func `deadlines are served in order, equal ones in the order in which they were asked for`() async throws {
    let order = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var order: [Int] = []
      let base = loop.scheduler.now
      for (index, delay) in [30, 10, 20, 10, 0].enumerated() {
        _ = loop.scheduler.schedule(at: base + .milliseconds(delay)) { order.append(index) }
      }
      loop.run()
      return order
    }
    #expect(order == [4, 1, 3, 2, 0])
  }

  @Test func `a deadline is not served before it is due`() async throws {
    let early = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var early = 0
      for microseconds in stride(from: 100, through: 9_900, by: 700) {
        let due = loop.scheduler.now + .microseconds(microseconds)
        _ = loop.scheduler.schedule(at: due) { if loop.scheduler.now < due { early += 1 } }
      }
      loop.run()
      return early
    }
    #expect(early == 0)
  }

  @Test func `a deadline that has passed is served on the next turn, never inside of schedule`() async throws {
    let log = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var log: [String] = []
      _ = loop.scheduler.schedule(after: .seconds(-1)) {
        log.append("first")
        _ = loop.scheduler.schedule(after: .zero) { log.append("second") }
        log.append("first ends")
      }
      log.append("scheduled")
      loop.run()
      return log
    }
    #expect(log == ["scheduled", "first", "first ends", "second"])
  }

  @Test func `cancelled deadlines are not served and keep no loop alive`() async throws {
    let served = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var served = 0
      let entries = (0..<1000).map { index in
        loop.scheduler.schedule(after: .seconds(1000 + index)) { served += 1 }
      }
      for entry in entries { entry.dispose() }
      // Returns, because nothing is pending.
      loop.run()
      return served
    }
    #expect(served == 0)
  }

  @Test func `what is cancelled by an earlier deadline of the same turn is not served`() async throws {
    let served = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var served = 0
      let base = loop.scheduler.now
      var second: (any Disposable)?
      _ = loop.scheduler.schedule(at: base) { second?.dispose() }
      second = loop.scheduler.schedule(at: base) { served += 1 }
      loop.run()
      return served
    }
    #expect(served == 0)
  }

  @Test func `an earlier deadline that is added later is served first`() async throws {
    let order = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var order: [String] = []
      let late = loop.scheduler.schedule(after: .seconds(1000)) { order.append("late") }
      _ = loop.scheduler.schedule(after: .milliseconds(1)) {
        order.append("early")
        late.dispose()
      }
      loop.run()
      return order
    }
    #expect(order == ["early"])
  }

  @Test func `a chain of deadlines that are due at once takes turns: descriptors are served in between`() async throws {
    let isServed = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      // Both are used only on the loop's thread.
      nonisolated(unsafe) var isServed = false
      var turns = 0
      func next() {
        turns += 1
        if !isServed, turns < 1_000_000 { _ = loop.scheduler.schedule(after: .zero) { next() } }
      }
      next()
      let mailbox = loop.mailbox
      // A descriptor wakes the loop for a post from another thread.
      Thread { _ = mailbox.post { isServed = true } }.start()
      loop.run()
      return isServed
    }
    #expect(isServed)
  }

  @Test
  func
    `restarting a debounce or a timeout does not touch libuv's timer, nor does what is cancelled and asked for again`()
    async throws
  {
    let starts = try await onOwnThread {
      let loop = Loop()
      let scheduler = try #require(loop.scheduler as? LoopScheduler)
      let source = PushStream<Int>()
      let bag = DisposeBag()
      source.debounce(for: .seconds(100)).observeNext { _ in }.dispose(in: bag)
      source.timeout(.seconds(100), failingWith: TestError("late")).observe { _ in }.dispose(in: bag)
      source.throttle(for: .seconds(100), latest: true).observeNext { _ in }.dispose(in: bag)
      for number in 0..<1_000 { source.next(number) }
      // A timeout for each request, which is canceled.
      for _ in 0..<1_000 { scheduler.schedule(after: .seconds(200)) {}.dispose() }
      bag.dispose()
      // Returns, because nothing is pending.
      loop.run()
      loop.shutdown()
      return scheduler.timerStarts
    }
    // The first deadline, and an earlier one if the clock has not moved in between.
    #expect(starts <= 2)
  }

  @Test(
    arguments: [
      Duration.seconds(Int64.max), .milliseconds(Int64.max), .nanoseconds(Int64.max), Duration(attoseconds: .max),
    ])
  func `intervals of any length can be used again and again`(_ interval: Duration) async throws {
    try await onOwnThread {
      let loop = Loop()
      for _ in 0..<3 {
        let bag = DisposeBag()
        Stream<Int>.timer(1, after: interval).observeNext { _ in Issue.record("fired") }.dispose(in: bag)
        Stream<Int>.never().timeout(after: interval, failingWith: TestError("late")).observe { _ in }.dispose(in: bag)
        _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1)))
        bag.dispose()
      }
      loop.shutdown()
    }
  }

  @Test func `what is due at once does not wait for the millisecond of an earlier deadline to end`() async throws {
    let timeout: Int32? = try await onOwnThread {
      let millisecond: UInt64 = 1_000_000
      for _ in 0..<1_000 {
        let loop = Loop()
        defer { loop.shutdown() }
        // Before its first iteration, a loop does not wait, because its descriptors are not registered yet.
        _ = loop.scheduler.schedule(after: .zero) {}
        loop.run()
        // An earlier deadline, which passes in the middle of a millisecond.
        while uv_hrtime() % millisecond > millisecond / 4 {}
        let start = uv_hrtime() / millisecond
        let earlier = loop.scheduler.schedule(after: .microseconds(300)) {}
        let before = uv_backend_timeout(loop.uv)
        let passed = uv_hrtime() + 350_000
        while uv_hrtime() < passed {}
        let due = loop.scheduler.schedule(after: .zero) {}
        // The time that libuv would wait.
        let timeout = uv_backend_timeout(loop.uv)
        earlier.dispose()
        due.dispose()
        // Counts only if libuv waits for the earlier deadline, and nothing has interrupted this thread meanwhile.
        if before == 1, uv_hrtime() / millisecond == start { return timeout }
      }
      return nil
    }
    // nil means that this thread was interrupted in each attempt.
    #expect(timeout == 0)
  }

  @Test func `a deadline that is cancelled and asked for again fires, and keeps the loop alive meanwhile`() async throws
  {
    let served = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var served: [Int] = []
      let scheduler = loop.scheduler
      scheduler.schedule(after: .milliseconds(1)) { served.append(0) }.dispose()
      loop.run()
      _ = scheduler.schedule(after: .milliseconds(3)) { served.append(1) }
      loop.run()
      scheduler.schedule(after: .zero) { served.append(2) }.dispose()
      _ = scheduler.schedule(after: .milliseconds(2)) { served.append(3) }
      loop.run()
      return served
    }
    #expect(served == [1, 3])
  }

  @Test func `the ticks of an interval do not drift: each lies on the grid of the first`() async throws {
    let (numbers, taken) = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var early = 0
      var numbers: [Int] = []
      let start = loop.scheduler.now
      let bag = DisposeBag()
      Streams.Stream.interval(.microseconds(1_300)).observeNext { number in
        // Numbers are consecutive, and missed ticks are skipped, so the tick is the one of its number or a later one.
        if loop.scheduler.now - start < .microseconds(1_300) * (number + 1) { early += 1 }
        numbers.append(number)
        // Late on purpose, by less than a tick.
        let until = loop.scheduler.now + .microseconds(400)
        while loop.scheduler.now < until {}
        if number == 99 { bag.dispose() }
      }.dispose(in: bag)
      loop.run()
      #expect(early == 0)
      return (numbers, loop.scheduler.now - start)
    }
    #expect(numbers == Array(0..<100))
    #expect(taken >= .microseconds(130_000))
  }

  @Test func `cancelling a deadline on another thread traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        let loop = Loop()
        let guardian = deadline(loop, .seconds(20))
        guardian.keepsLoopAlive = true
        let carried = Carried(entry: loop.scheduler.schedule(after: .seconds(60)) {})
        Task.detached { carried.entry.dispose() }
        loop.run()
      }
    }
    expect(result, says: "have the work done there with Queue.async")
  }
}

/// Moves a deadline to another thread, as only unsafe code can.
private struct Carried: @unchecked Sendable {
  // Unsafe on purpose, for tests of this programmer error.
  let entry: any Disposable
}
