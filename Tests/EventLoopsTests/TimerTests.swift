import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Timer", .noLiveResources)
struct TimerTests {
  @Test func `it repeats until stopped, and starts again`() async throws {
    let log = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var log: [String] = []
      let timer = try TimerHandle()
      timer.start(after: .milliseconds(1), every: .milliseconds(1)) {
        log.append("a")
        guard log.count == 3 else { return }
        timer.stop()
        timer.start(after: .zero) {
          log.append("b")
          timer.dispose()
          timer.start(after: .zero) { log.append("after disposal") }
        }
      }
      loop.run()
      return log
    }
    #expect(log == ["a", "a", "a", "b"])
  }

  @Test(
    arguments: [
      (Duration.zero, 0), (.seconds(-5), 0), (.nanoseconds(1), 1), (.microseconds(1000), 1), (.microseconds(1001), 2),
      (.seconds(2), 2000), (.seconds(Int64.max), UInt64(Int64.max)),
    ] as [(Duration, UInt64)])
  func `durations are rounded up to milliseconds, and the longest does not wrap around`(
    _ duration: Duration, _ milliseconds: UInt64
  ) {
    #expect(duration.millisecondsRoundedUp == milliseconds)
  }

  @Test func `the owner's bag closes it, and what its closure captured is released`() async throws {
    let isReleased = try await onOwnThread {
      final class Witness {}
      let loop = Loop()
      weak let released: Witness?
      do {
        let witness = Witness()
        released = witness
        let bag = DisposeBag()
        let timer = try TimerHandle()
        timer.start(after: .seconds(1000)) { _ = witness }
        timer.dispose(in: bag)
      }
      loop.run()
      let isReleased = released == nil
      loop.shutdown()
      return isReleased
    }
    #expect(isReleased)
  }

  @Test func `the longest duration is a long time`() async throws {
    let longest = Duration.seconds(Int64.max) + .seconds(Int64.max)
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var calls = 0
      let timer = try TimerHandle()
      timer.start(after: longest) { calls += 1 }
      timer.start(after: .zero, every: longest) {
        calls += 1
        loop.stop()
      }
      loop.run()
      timer.dispose()
      #expect(calls == 1)
      let connection = try TCPHandle(loop)
      defer { connection.dispose() }
      try connection.setKeepAlive(longest)
    }
    #expect(Timestamp(sinceEpoch: longest).seconds == Double(Int64.max))
    #expect((.zero - longest).millisecondsRoundedUp == 0)
  }
}
