import Dispatch
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("The thread pool", .noLiveResources)
struct ThreadPoolTests {
  @Test func `its jobs run on no loop's thread, and keep the loop that started them alive`() async throws {
    let labels = Lock<[Bool]>([])
    try await onOwnThread {
      let loop = Loop()
      for _ in 0..<100 {
        Queue.background.async { labels.withLock { $0.append(HomeThread.mailbox == nil && !HomeThread.isMain) } }
      }
      // Returns when all jobs have ended.
      loop.run()
      #expect(labels.withLock { $0.count } == 100)
      #expect(loop.firstResource == nil)
      loop.shutdown()
    }
    #expect(labels.withLock { $0 } == Array(repeating: true, count: 100))
  }

  @Test func `a thread without a loop starts jobs, too`() async throws {
    let ran = try await onOwnThread {
      let done = DispatchSemaphore(value: 0)
      for _ in 0..<10 { Queue.background.context.execute { done.signal() } }
      for _ in 0..<10 { done.wait() }
      return true
    }
    #expect(ran)
  }

  @Test func `two jobs run at the same time`() async throws {
    try await onOwnThread {
      let first = DispatchSemaphore(value: 0)
      let second = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      // Each job waits for the other. One after another, they would wait forever.
      Queue.background.async {
        first.signal()
        second.wait()
        done.signal()
      }
      Queue.background.async {
        second.signal()
        first.wait()
        done.signal()
      }
      for _ in 0..<2 { done.wait() }
    }
  }

  @Test func `execute(on: .threadPool) delivers where it is observed`() async throws {
    let sum = try await onOwnThread {
      let loop = Loop()
      var sum = 0
      let bag = DisposeBag()
      for number in 1...50 {
        Operation<Int, Never>.execute(on: .threadPool) { number }.observe(
          next: {
            loop.check()
            sum += $0
          },
          termination: { _ in if sum == 1275 { loop.stop() } }
        ).dispose(in: bag)
      }
      let guardian = deadline(loop)
      guardian.keepsLoopAlive = true
      loop.run()
      bag.dispose()
      loop.shutdown()
      return sum
    }
    #expect(sum == 1275)
  }

  @Test func `shutdown waits for the jobs that have begun and releases the others; each runs or is released, once`()
    async throws
  {
    final class Witness: Sendable {
      let onRelease: @Sendable () -> Void

      init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

      deinit { onRelease() }
    }
    let begun = Lock(0)
    let ended = Lock(0)
    let released = Lock(0)
    try await onOwnThread {
      let loop = Loop()
      let isBusy = DispatchSemaphore(value: 0)
      for _ in 0..<200 {
        Queue.background.async { [witness = Witness { released.withLock { $0 += 1 } }] in
          begun.withLock { $0 += 1 }
          isBusy.signal()
          for _ in 0..<1000 { _ = begun.withLock { $0 } }
          ended.withLock { $0 += 1 }
          _ = witness
        }
      }
      isBusy.wait()
      loop.shutdown()
      #expect(begun.withLock { $0 } == ended.withLock { $0 })
    }
    #expect(released.withLock { $0 } == 200)
    #expect(begun.withLock { $0 } >= 1)
  }
}
