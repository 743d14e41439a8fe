#if canImport(Glibc)
import Callbacks
import Schedules
import Streams
import Testing

extension CallbacksTests {
  /// Callbacks that end while other threads call them, in every order.
  @Suite("Every order of threads") struct CallbackScheduleTests {
    private typealias Foreign = ForeignCallback<Int, Int>
    private typealias Mine = RepeatingCallback<Int, Int>
    private typealias Once = OnceCallback<Int, Int>

    /// What the calls have done.
    private final class Log: @unchecked Sendable {
      // Sendable: only the thread that has the turn uses it.
      var calls: [Int] = []
      var answers: [Int] = []
      var releases = 0
      var ends = 0
      var late = 0
      var isOver = false
      var mine: Mine?
    }

    /// What a closure captures.
    private final class Captured: Sendable {
      private let log: Log

      init(_ log: Log) { self.log = log }

      func called(with value: Int) -> Int {
        Schedule.access(log)
        if log.isOver { log.late += 1 }
        log.calls.append(value)
        // The closure uses what it captures until it returns.
        Schedule.access(log)
        if log.releases > 0 { log.late += 1 }
        return value * 2
      }

      deinit {
        Schedule.access(log)
        log.releases += 1
      }
    }

    @Test func `calls of two threads and a cancellation: none begins after it, and the closure is released once`()
      async throws
    {
      try await expectNothingFound { schedule in
        let log = Log()
        let callback = { [captured = Captured(log)] in Foreign { captured.called(with: $0) } }()
        let context = UInt(bitPattern: callback.context)
        for number in [1, 2] {
          schedule.thread("caller \(number)") {
            let answer = Foreign.call(UnsafeMutableRawPointer(bitPattern: context), number, otherwise: 0)
            log.answers.append(answer)
          }
        }
        schedule.thread("canceler") {
          callback.cancel()
          // Running calls may go on.
          Schedule.access(log)
        }
        schedule.run()
        schedule.expect(
          log.late == 0 && log.releases == 1
            && log.answers.filter { $0 != 0 }.sorted() == log.calls.map { $0 * 2 }.sorted(),
          "\(log.calls) were called, \(log.answers) were answered, and the closure was released \(log.releases) times.")
      }
    }

    @Test func `C gives a lent callback back twice, while another thread calls: it ends once, after the last call`()
      async throws
    {
      try await expectNothingFound { schedule in
        let log = Log()
        let callback = { [captured = Captured(log)] in
          Foreign(
            { captured.called(with: $0) },
            onEnd: {
              Schedule.access(log)
              log.ends += 1
              log.isOver = true
            })
        }()
        let context = UInt(bitPattern: callback.lend())
        schedule.thread("caller") { _ = Foreign.call(UnsafeMutableRawPointer(bitPattern: context), 1, otherwise: 0) }
        for name in ["one", "two"] {
          schedule.thread(name) { Foreign.giveBack(UnsafeMutableRawPointer(bitPattern: context)) }
        }
        schedule.run()
        schedule.expect(
          log.late == 0 && log.releases == 1 && log.ends == 1, "\(log.ends) ends, \(log.releases) releases.")
      }
    }

    @Test func `two threads call at once what comes once: one call`() async throws {
      try await expectNothingFound { schedule in
        let log = Log()
        let callback = { [captured = Captured(log)] in Once { captured.called(with: $0) } }()
        let context = UInt(bitPattern: callback.context)
        for number in [1, 2] {
          schedule.thread("caller \(number)") {
            _ = Once.call(UnsafeMutableRawPointer(bitPattern: context), number, otherwise: 0)
          }
        }
        schedule.thread("disarmer") { _ = callback.disarm() }
        schedule.run()
        schedule.expect(
          log.late == 0 && log.releases == 1 && log.calls.count <= 1, "\(log.calls), \(log.releases) releases.")
      }
    }

    @Test func `what belongs to a loop is called there only, and released there, wherever it is canceled`() async throws
    {
      try await expectNothingFound { schedule in
        let log = Log()
        var callback: Mine?
        var context: UInt = 0
        let home = ScheduledHome("home", in: schedule) { _ in
          _ = Mine.call(UnsafeMutableRawPointer(bitPattern: context), 1, otherwise: 0)
        }
        home.whenPrepared = {
          callback = { [captured = Captured(log)] in Mine { captured.called(with: $0) } }()
          context = UInt(bitPattern: callback?.context)
        }
        schedule.thread("caller") { _ = Mine.call(UnsafeMutableRawPointer(bitPattern: context), 2, otherwise: 0) }
        schedule.thread("canceler") {
          callback?.cancel()
          callback = nil
        }
        schedule.run()
        schedule.expect(
          log.late == 0 && log.releases == 1 && !log.calls.contains(2), "\(log.calls), \(log.releases) releases.")
      }
    }

    @Test func `a slot is used again while a call with its old context comes: the call is dropped`() async throws {
      try await expectNothingFound { schedule in
        let log = Log()
        let old = { [captured = Captured(log)] in Foreign { captured.called(with: $0) } }()
        let context = UInt(bitPattern: old.context)
        schedule.thread("caller") { _ = Foreign.call(UnsafeMutableRawPointer(bitPattern: context), 1, otherwise: 0) }
        schedule.thread("owner") {
          old.cancel()
          let new = Foreign {
            log.ends += $0
            return 0
          }
          withExtendedLifetime(new) { Schedule.access(log) }
        }
        schedule.run()
        schedule.expect(
          log.late == 0 && log.releases == 1 && log.ends == 0, "The new closure was called with \(log.ends).")
      }
    }

    @Test func `a callback that is canceled while a loop's callback takes its slot leaves that alone`() async throws {
      try await expectNothingFound { schedule in
        let log = Log()
        let old = { [captured = Captured(log)] in Foreign { captured.called(with: $0) } }()
        let context = UInt(bitPattern: old.context)
        _ = ScheduledHome("home", in: schedule) { home in
          log.mine = Mine { $0 + 1 }
          Schedule.access(log)
          _ = home.post {
            log.answers.append(Mine.call(log.mine?.context, 1, otherwise: 0))
            log.mine = nil
          }
        }
        schedule.thread("caller") { _ = Foreign.call(UnsafeMutableRawPointer(bitPattern: context), 1, otherwise: 0) }
        schedule.thread("canceler") { old.cancel() }
        schedule.run()
        schedule.expect(
          log.late == 0 && log.releases == 1 && log.answers == [2],
          "\(log.releases) releases, and the new callback answered \(log.answers).")
      }
    }
  }
}
#endif
