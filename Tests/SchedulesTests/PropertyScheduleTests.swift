#if canImport(Glibc)
import EventLoops
import Observation
import Properties
import Schedules
import Streams
import Testing

/// Bindings to another domain, and objects that other threads change, in every order.
@Suite(.serialized) struct PropertyScheduleTests {
  /// What has happened at the homes.
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var values: [Int] = []
    var ends = 0
    /// The values that came after the disposal or the end, or outside of the home.
    var strays = 0
    var isOver = false

    func take(_ value: Int, at home: ScheduledHome) {
      if isOver || ends > 0 || home.isCurrent != true { strays += 1 }
      values.append(value)
    }
  }

  @Test(arguments: [false, true]) func `what is bound to another domain comes in order, and not after the disposal`(
    _ disposes: Bool
  ) async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let far = ScheduledHome("far", in: schedule) { _ in }
      _ = ScheduledHome("near", in: schedule) { _ in
        let source = PushStream<Int>()
        let binding = source.bind(to: Binder(log, on: far.queue.context) { $0.take($1, at: far) })
        for each in 1...3 { source.next(each) }
        if disposes {
          binding.dispose()
          log.isOver = true
          Schedule.access(log)
        } else {
          source.completed()
        }
      }
      schedule.run()
      schedule.expect(
        (disposes ? log.values == Array((1...3).prefix(log.values.count)) : log.values == [1, 2, 3]) && log.strays == 0,
        "\(log.values) came, \(log.strays) of them too late.")
    }
  }

  /// An object that any thread changes.
  private final class Meter: Observable, ReactiveCompatible, @unchecked Sendable {
    // Sendable: its value is behind a lock, and the registrar is for all threads.
    private let registrar = ObservationRegistrar()
    private let count = Lock(0)

    var value: Int {
      registrar.access(self, keyPath: \.value)
      return count.withLock { $0 }
    }

    /// The value, without tracking.
    var current: Int { count.withLock { $0 } }

    /// Announces the change after it: an observer that is notified on another thread would read the old value otherwise.
    func set(_ value: Int) {
      count.withLock { $0 = value }
      registrar.withMutation(of: self, keyPath: \.value) {}
    }
  }

  @Test
  func `the last value of an object that two threads change comes, and the end when the last of them releases it`()
    async throws
  {
    try await expectNothingFound(preemptions: fewPreemptions) { schedule in
      let log = Log()
      var meter: Meter? = Meter()
      var owners = [meter, meter]
      _ = ScheduledHome("home", in: schedule) { [stream = meter?.reactive.values(for: \.value)] home in
        _ = stream?.observe(next: { log.take($0, at: home) }, termination: { _ in log.ends += 1 })
        Schedule.access(log)
      }
      meter = nil
      for number in [0, 1] {
        schedule.thread("owner \(number)") {
          let meter = owners[number].take()
          for each in 1...2 { meter?.set(number * 10 + each) }
          // Without the last value, it waits forever.
          schedule.wait(for: log) { log.values.last == meter?.current }
        }
      }
      schedule.run()
      schedule.expect(log.ends == 1 && log.strays == 0, "\(log.values) came, \(log.ends) ends, \(log.strays) strays.")
    }
  }
}
#endif
