import CUV
import Dispatch
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// Errors of programs and of the system. Nothing crashes or leaks, and every operation ends.
@Suite("Faults", .noLiveResources)
struct FaultTests {
  @Test func `a loop whose thread ends is shut down, with all that lives on it`() async throws {
    let log = Lock<[String]>([])
    try await onOwnThread {
      // Nothing shuts the loop down, and its handles keep it alive.
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
        // `other` is due in the same loop iteration.
        other.dispose()
        // A signal that no other test sends, and that is ignored by default.
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
      // Used only on this thread.
      nonisolated(unsafe) var posts = 0
      // Used only on this thread.
      nonisolated(unsafe) var ticks = 0
      weak let released: Witness?
      do {
        // Used only on this thread.
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
            // Inside the shutdown, new deadlines are dropped, and new posts are refused.
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

  // Runs in its own process, because no other test may receive the signals.
  @Test func `a storm of 100,000 signals reaches the loop, and ends with the handle that watches`() async {
    await #expect(processExitsWith: .success) {
      try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        let guardian = deadline(loop)
        guardian.keepsLoopAlive = true
        var seen = 0
        let isOver = Lock(false)
        // The signal is ignored by default, so signals after the last handle has closed are harmless.
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
        // The handle is disposed while another storm is in progress.
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
      // The descriptors are closed in the children of other tests, which would otherwise keep the pipe open.
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
      // The pipe ends when the child ends.
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
      // The first process ends before its handle is disposed, or soon afterwards. The second one is killed later.
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
    // `kill` still succeeds for a zombie.
    while pids.contains(where: { kill($0, 0) == 0 }), ContinuousClock.now < deadline { await Task.yield() }
    for pid in pids { #expect(kill(pid, 0) == -1 && errno == ESRCH) }
  }
}
