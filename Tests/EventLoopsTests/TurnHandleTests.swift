import Dispatch
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// Prepare, check, idle, and async handles.
@Suite("Turn handles", .noLiveResources, .timeLimit(.minutes(15)))
struct TurnHandleTests {
  @Test func `on each turn: idle, before polling, after polling`() async throws {
    let log = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var log: [String] = []
      let bag = DisposeBag()
      Operation.afterPolling().observeNext { log.append("check") }.dispose(in: bag)
      Operation.beforePolling().observeNext { log.append("prepare") }.dispose(in: bag)
      Operation.idle().observeNext {
        log.append("idle")
        if log.count == 7 { bag.dispose() }
      }.dispose(in: bag)
      loop.run()
      guardian.dispose()
      return log
    }
    #expect(log == ["idle", "prepare", "check", "idle", "prepare", "check", "idle"])
  }

  @Test func `pausing stops them, resuming starts them again; they keep no loop alive but idle does`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var counts = [0, 0, 0]
      let bag = DisposeBag()
      let streams = [Operation.beforePolling(), .afterPolling(), .idle()]
      let subscriptions = streams.enumerated().map { index, stream in
        stream.observeNext {
          counts[index] += 1
          if !counts.contains(0) { bag.dispose() }
        }
      }
      for subscription in subscriptions { subscription.pause() }
      // Nothing keeps the loop alive.
      loop.run()
      #expect(counts == [0, 0, 0])
      for subscription in subscriptions {
        subscription.dispose(in: bag)
        subscription.resume()
      }
      // The idle handle keeps it alive until each of them has been called.
      loop.run()
      #expect(!counts.contains(0))
      guardian.dispose()
    }
  }

  @Test func `they start anew, and are closed inside of their own callbacks`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var log: [String] = []
      let idle = try IdleHandle()
      let prepare = try PrepareHandle()
      let check = try CheckHandle()
      prepare.start {
        log.append("prepare")
        prepare.dispose()
        prepare.start {}
      }
      check.start {
        log.append("check")
        check.dispose()
      }
      idle.start {
        log.append("first")
        idle.stop()
        idle.start {
          log.append("second")
          idle.dispose()
          idle.stop()
        }
      }
      loop.run()
      #expect(log == ["first", "prepare", "check", "second"])
      guardian.dispose()
    }
  }

  @Test func `any thread wakes the loop; what comes in quick succession is merged; nothing comes after disposal`()
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      let sender = Lock<AsyncSender?>(nil)
      var count = 0
      let subscription = Operation.wakeUps { made in sender.withLock { $0 = made } }.observeNext {
        count += 1
        loop.stop()
      }
      let made = try #require(sender.withLock { $0 })
      for _ in 0..<1000 { #expect(made.send()) }
      loop.run()
      #expect(count == 1)
      DispatchQueue.global().async { made.send() }
      loop.run()
      #expect(count == 2)
      subscription.pause()
      for _ in 0..<10 { made.send() }
      let timer = try TimerHandle()
      timer.start(after: .milliseconds(1)) {
        timer.dispose()
        #expect(count == 2)
        subscription.resume()
      }
      loop.run()
      #expect(count == 3)
      made.send()
      subscription.dispose()
      #expect(!made.send())
      loop.run()
      #expect(count == 3)
      guardian.dispose()
    }
  }

  @Test func `threads that send while the handle closes do no harm`() async throws {
    for _ in 0..<50 {
      let sender = Lock<AsyncSender?>(nil)
      let queue = Queue(label: "async")
      let count = Lock(0)
      try queue.sync {
        let handle = try AsyncHandle { count.withLock { $0 += 1 } }
        sender.withLock { $0 = handle.sender }
      }
      let made = try #require(sender.withLock { $0 })
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<1000 where !made.send() { return }
          }
        }
        group.addTask { queue.shutdown() }
      }
      #expect(!made.send())
    }
  }
}
