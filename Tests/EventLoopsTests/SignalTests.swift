import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Signal", .noLiveResources)
struct SignalTests {
  /// Sends a signal to the process until a loop's observer, which may have paused, gets one.
  private static func signals(whilePaused isPaused: Bool) async throws -> [Signal] {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      guardian.keepsLoopAlive = true
      var seen: [Signal] = []
      let subscription = Operation.signal(.windowChange).observeNext { signal in
        seen.append(signal)
        loop.stop()
      }
      if isPaused { subscription.pause() }
      let sender = try TimerHandle()
      sender.start(after: .zero, every: .milliseconds(5)) { Glibc.kill(getpid(), SIGWINCH) }
      loop.run()
      subscription.dispose()
      return seen
    }
  }

  @Test func `each signal of the process is an element, for every loop that observes it`() async throws {
    let loops = try await withThrowingTaskGroup(of: [Signal].self) { group in
      for _ in 0..<2 { group.addTask { try await Self.signals(whilePaused: false) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(loops.count == 2)
    for seen in loops { #expect(Set(seen) == [.windowChange]) }
  }

  @Test func `a signal cannot wait: it is delivered although the observer pauses`() async throws {
    let seen = try await Self.signals(whilePaused: true)
    #expect(Set(seen) == [.windowChange])
  }

  @Test func `it keeps no loop alive`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let subscription = Operation.signal(.user2).observeNext { _ in }
      loop.run()
      subscription.dispose()
    }
  }

  @Test func `a signal that cannot be caught fails with a typed error`() async throws {
    let error = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var error: UVError?
      _ = Operation.signal(.kill).observeFailed { error = $0 }
      loop.run()
      return error
    }
    #expect(error?.description == "uv_signal_start SIGKILL: invalid argument (EINVAL)")
  }

  @Test func `names and numbers`() {
    #expect(Signal("TERM") == .terminate)
    #expect(Signal("sigusr1") == .user1)
    #expect(Signal("9") == .kill)
    #expect(Signal("NOSUCH") == nil)
    #expect(Signal("0") == nil)
    #expect(Signal.interrupt.description == "SIGINT")
    #expect(Signal(rawValue: 40).description == "signal 40")
  }
}
