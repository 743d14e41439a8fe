import CUV
import Dispatch
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// What programs do wrong, and what the system does to them: nothing crashes, leaks, or is never told.
@Suite("Faults", .noLiveResources)
struct FaultTests {
  @Test func `a loop whose thread ends is shut down, with all that lives on it`() async throws {
    let log = Lock<[String]>([])
    try await onOwnThread {
      // Nobody shuts it down, and its handles keep it.
      let timer = try TimerHandle(on: Loop())
      timer.start(after: .seconds(1000)) {}
      timer.onClosed { log.withLock { $0.append("closed") } }
      _ = Loop.current.scheduler.schedule(after: .seconds(1000)) {}
      _ = Loop.current.mailbox.post { log.withLock { $0.append("posted") } }
    }
    let deadline = ContinuousClock.now + .seconds(600)
    while log.withLock({ $0.count }) < 2, ContinuousClock.now < deadline { await Task.yield() }
    #expect(log.withLock { $0 } == ["posted", "closed"])
  }

  @Test func `handles may be disposed of inside of their own callbacks, and by each other`() async throws {
    let log = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var log: [String] = []
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let timer = try TimerHandle()
      let other = try TimerHandle()
      let poll = try PollHandle(descriptor: ends[1])
      let signal = try SignalHandle()
      timer.start(after: .zero, every: .milliseconds(1)) {
        log.append("timer")
        timer.dispose()
        timer.dispose()
        // Due on the same turn.
        other.dispose()
        // One that no other test sends, and that does nothing by itself.
        kill(getpid(), SIGURG)
      }
      other.start(after: .zero) { log.append("other") }
      try signal.start(Signal(rawValue: SIGURG)) { _ in
        log.append("signal")
        signal.dispose()
        try? poll.start(.writable) { _ in
          log.append("poll")
          poll.dispose()
          poll.stop()
        }
      }
      let guardian = deadline(loop)
      loop.run()
      guardian.dispose()
      for end in ends { close(end) }
      return log
    }
    #expect(log == ["timer", "signal", "poll"])
  }

  @Test func `stop releases what the closure of a handle captured`() async throws {
    let isReleased = try await onOwnThread {
      final class Witness {}
      let loop = Loop()
      defer { loop.shutdown() }
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      defer { for end in ends { close(end) } }
      let timer = try TimerHandle()
      let poll = try PollHandle(descriptor: ends[0])
      let signal = try SignalHandle()
      weak let released: Witness?
      do {
        let witness = Witness()
        released = witness
        timer.start(after: .seconds(1000)) { _ = witness }
        try poll.start(.readable) { _ in _ = witness }
        try signal.start(.windowChange) { _ in _ = witness }
      }
      #expect(released != nil)
      timer.stop()
      poll.stop()
      signal.stop()
      return released == nil
    }
    #expect(isReleased)
  }

  @Test
  func `shutdown with everything pending: posts run, deadlines and handles are dropped, and streams are released`()
    async throws
  {
    let (posts, ticks, isReleased) = try await onOwnThread {
      final class Witness {}
      let loop = Loop()
      // All of it on this thread.
      nonisolated(unsafe) var posts = 0
      // The same.
      nonisolated(unsafe) var ticks = 0
      weak let released: Witness?
      do {
        // The same.
        nonisolated(unsafe) let witness = Witness()
        released = witness
        let mailbox = loop.mailbox
        for index in 0..<10_000 {
          _ = loop.scheduler.schedule(after: .milliseconds(index % 500)) {
            ticks += 1
            _ = witness
          }
        }
        for _ in 0..<100 {
          try TimerHandle().start(after: .zero) { _ = witness }
          try SignalHandle().start(.windowChange) { _ in _ = witness }
        }
        for _ in 0..<1_000 {
          _ = mailbox.post {
            posts += 1
            // From inside of the shutdown: what is added is dropped, too, and what is posted is refused.
            _ = Loop.current.scheduler.schedule(after: .zero) { ticks += 1 }
            #expect(!mailbox.post { posts += 1 })
            _ = witness
          }
        }
        Operation.process(ProcessCommand("sleep", ["1000"])).observe { _ in _ = witness }.dispose(in: DisposeBag())
      }
      loop.shutdown()
      return (posts, ticks, released == nil)
    }
    #expect(posts == 1_000)
    #expect(ticks == 0)
    #expect(isReleased)
  }

  // In a process of its own: no other test is to see the signals.
  @Test func `a storm of 100,000 signals reaches the loop, and ends with the handle that watches`() async {
    await #expect(processExitsWith: .success) {
      try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        let guardian = deadline(loop)
        guardian.keepsLoopAlive = true
        var seen = 0
        let isOver = Lock(false)
        // Does nothing by itself, so that those that come after the last handle are harmless.
        let subscription = Operation.signal(.windowChange).observeNext { _ in seen += 1 }
        let queue = Queue(label: "storm")
        let mailbox = loop.mailbox
        queue.async {
          for _ in 0..<100_000 { kill(getpid(), SIGWINCH) }
          isOver.withLock { $0 = true }
          _ = mailbox.post { Loop.current.stop() }
        }
        loop.run()
        precondition(isOver.withLock { $0 } && seen > 0)
        // Disposed of while the next one is at full strength.
        queue.async { for _ in 0..<10_000 { kill(getpid(), SIGWINCH) } }
        guardian.dispose()
        subscription.dispose()
        loop.run()
        queue.shutdown()
      }
    }
  }

  @Test func `a loop that shuts down asks the process of an operation to end, and the operation completes`()
    async throws
  {
    for ownGroup in [false, true] {
      // Closed in the children of other tests, which would keep it open.
      var ends: [Int32] = [0, 0]
      #expect(uv_pipe(&ends, 0, 0) == 0)
      let output = ends[1]
      let events = try await onOwnThread {
        let loop = Loop()
        var command = ProcessCommand("sleep", ["1000"])
        command.output = .descriptor(output)
        command.ownGroup = ownGroup
        var events: [Event<ProcessExit, UVError>] = []
        let subscription = Operation.process(command).observe { events.append($0) }
        loop.shutdown()
        subscription.dispose()
        return events
      }
      #expect(events == [.completed])
      close(ends[1])
      // The pipe ends when the child does.
      let input = ends[0]
      let count = try await onOwnThread {
        var byte: UInt8 = 0
        return read(input, &byte, 1)
      }
      #expect(count == 0)
      close(ends[0])
    }
  }

  @Test func `a process whose handle was disposed of before its end leaves no zombie`() async throws {
    let pids = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      // One has ended when it is given up or ends soon, the other is killed later.
      let short = try ProcessHandle(ProcessCommand("true"))
      let long = try ProcessHandle(ProcessCommand("sleep", ["1000"]))
      let pids = [short.pid, long.pid]
      short.dispose()
      long.dispose()
      loop.run()
      return pids
    }
    kill(pids[1], SIGKILL)
    let deadline = ContinuousClock.now + .seconds(600)
    // A zombie could still be signalled.
    while pids.contains(where: { kill($0, 0) == 0 }), ContinuousClock.now < deadline { await Task.yield() }
    for pid in pids { #expect(kill(pid, 0) == -1 && errno == ESRCH) }
  }
}
