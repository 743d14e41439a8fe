import Dispatch
import Glibc
import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

@Suite("Work", .noLiveResources, .timeLimit(.minutes(15)))
struct WorkTests {
  struct Wrong: Error, Equatable {}

  @Test func `work runs elsewhere; its result is delivered at home`() async throws {
    try await onLoop { actor in
      let home = pthread_self()
      let thread = try await Stream<UInt>.work { UInt(pthread_self()) }
        .doOn(next: { _ in #expect(pthread_self() == home) }).value
      #expect(thread != UInt(home))
      #expect(Queue.current === actor.queue)
    }
  }

  @Test func `what work throws is the failure`() async throws {
    try await onLoop { _ in
      let work = Operation<Int, Wrong>.work { () throws(Wrong) in throw Wrong() }
      var error: Wrong?
      do { _ = try await work.value } catch let caught { error = caught as? Wrong }
      #expect(error == Wrong())
    }
  }

  @Test func `a thousand pieces of work, one result each`() async throws {
    let sum = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var sum = 0
      for number in 1...1000 { _ = Stream.work { number }.observeNext { sum += $0 } }
      loop.run()
      return sum
    }
    #expect(sum == 500_500)
  }

  @Test func `disposed of before it begins work does not run; a loop that shuts down completes it without an element`()
    async throws
  {
    let gate = DispatchSemaphore(value: 0)
    let begun = Lock(0)
    try await onOwnThread {
      let loop = Loop()
      // One more job than the pool has threads, so that all threads are taken by these jobs or by those of other tests.
      let threads = max(4, getenv("UV_THREADPOOL_SIZE").flatMap { Int(String(cString: $0)) } ?? 4) + 1
      var events: [String] = []
      for _ in 0..<threads {
        _ = Stream.work { gate.wait() }.observe(
          next: { _ in events.append("next") }, termination: { _ in events.append("end") })
      }
      var late: [String] = []
      let subscriptions = (0..<10).map { _ in
        Stream.work { begun.withLock { $0 += 1 } }.observe(
          next: { _ in late.append("next") }, termination: { _ in late.append("end") })
      }
      for subscription in subscriptions.prefix(5) { subscription.dispose() }
      for _ in 0..<threads { gate.signal() }
      loop.shutdown()
      #expect(events == Array(repeating: "end", count: threads))
      #expect(late == Array(repeating: "end", count: 5))
    }
    #expect(begun.withLock { $0 } <= 5)
  }

  @Test func `what work captures is released, also where it has not run`() async throws {
    final class Witness: Sendable {}
    let isReleased = try await onOwnThread {
      let loop = Loop()
      weak let released: Witness?
      do {
        let witness = Witness()
        released = witness
        for _ in 0..<20 { Stream.work { _ = witness }.observe { _ in }.dispose() }
      }
      loop.run()
      loop.shutdown()
      return released == nil
    }
    #expect(isReleased)
  }

  @Test func `a resource that work makes after its disposal is disposed`() async throws {
    let counter = ResourceCounter()
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let subscription = Stream<Resource>.work {
        begun.signal()
        gate.wait()
        return Resource(counter)
      }.observeNext { _ in Issue.record("delivered after the disposal") }
      begun.wait()
      subscription.dispose()
      gate.signal()
      // Returns after the work has.
      loop.run()
      #expect(counter.made == 1 && counter.count == 0)
    }
  }

  @Test func `random bytes differ`() async throws {
    try await onLoop { _ in
      let first = try await Operation.randomBytes(32).value
      #expect(first.count == 32)
      #expect(try await Operation.randomBytes(32).value != first)
      #expect(try await Operation.randomBytes(0).value.isEmpty)
      #expect(
        await failure { _ = try await Operation.randomBytes(Int(Int32.max) + 1).value }
          == UVError(code: -E2BIG, call: "uv_random"))
    }
  }
}
