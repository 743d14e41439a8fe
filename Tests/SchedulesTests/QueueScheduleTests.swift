#if canImport(Glibc)
import Schedules
import Streams
import Testing

@testable import EventLoops

/// Queues that other threads use while they begin, run, and end.
@Suite(.serialized) struct QueueScheduleTests {
  /// What has happened on the queue and around it.
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var ran: [Int] = []
    var accepted: [Int] = []
    var results: [Int] = []
    /// The calls that a closed queue has refused.
    var refused = 0
    /// The jobs that ran after `shutdown()` had returned.
    var late = 0
    var isOver = false
    /// Whether the queue has released what its jobs captured, each time something was released.
    var releasedAtHome: [Bool] = []

    func run(_ job: Int) {
      if isOver { late += 1 }
      ran.append(job)
    }
  }

  /// What a job captures.
  private final class Captured: Sendable {
    private let log: Log
    private let mailbox: LoopMailbox

    init(_ log: Log, _ queue: Queue) { (self.log, mailbox) = (log, queue.mailbox) }

    deinit {
      log.releasedAtHome.append(mailbox.isOnThread)
    }
  }

  /// A queue whose thread is one of the program's. It makes its loop in turn with the others.
  private func makeQueue(_ name: String = "queue", in schedule: Schedule) -> Queue {
    Queue(label: name) { schedule.thread(name, $0) }
  }

  private func isOrdered(_ log: Log) -> Bool {
    [10, 20].allSatisfy { first in
      let some = log.ran.filter { (first..<first + 10).contains($0) }
      return some == some.sorted()
    }
  }

  @Test func `jobs that a queue accepts run once and in order, although its thread begins and ends meanwhile`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let queue = makeQueue(in: schedule)
      for first in [10, 20] {
        schedule.thread("poster \(first)") {
          for each in first...first + 1 where queue.post({ log.run(each) }) { log.accepted.append(each) }
          if first == 10 { queue.stop() }
        }
      }
      schedule.run()
      schedule.expect(
        log.ran.sorted() == log.accepted.sorted() && isOrdered(log),
        "\(log.accepted) were accepted, and \(log.ran) ran.")
    }
  }

  @Test func `when shutdown returns, all accepted jobs have run, and no further job runs`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let queue = makeQueue(in: schedule)
      schedule.thread("poster") {
        for each in 10...12 where queue.post({ log.run(each) }) { log.accepted.append(each) }
      }
      schedule.thread("closer") {
        queue.shutdown()
        log.isOver = true
        if queue.post({ log.run(20) }) { log.accepted.append(20) }
      }
      schedule.run()
      schedule.expect(
        log.ran == log.accepted && log.late == 0, "\(log.accepted) were accepted, \(log.ran) ran, \(log.late) late.")
    }
  }

  @Test func `two threads shut a queue down: both return, after its jobs`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let queue = makeQueue(in: schedule)
      queue.post { log.run(10) }
      for name in ["one", "two"] {
        schedule.thread(name) {
          queue.shutdown()
          log.isOver = true
          log.results.append(log.ran.count)
        }
      }
      schedule.run()
      schedule.expect(log.results == [1, 1] && log.late == 0, "\(log.results)")
    }
  }

  /// Adds a thread that calls `sync` once for each number, and then runs `end`.
  private func call(_ numbers: [Int], _ queue: Queue, _ log: Log, _ schedule: Schedule, end: @escaping () -> Void) {
    schedule.thread("caller \(numbers[0])") {
      for number in numbers {
        do {
          log.results.append(
            try queue.sync {
              log.run(number)
              return number
            })
        } catch { log.refused += 1 }
      }
      end()
    }
  }

  @Test func `sync returns what its closure returned, or throws because the queue has shut down`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let queue = makeQueue(in: schedule)
      call([10, 11], queue, log, schedule) {}
      schedule.thread("closer") { queue.stop() }
      schedule.run()
      schedule.expect(
        log.results == log.ran && log.results.count + log.refused == 2,
        "\(log.ran) ran, \(log.results) returned, and \(log.refused) were refused.")
    }
  }

  @Test func `two threads that wait for a queue get their own results`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let queue = makeQueue(in: schedule)
      call([10], queue, log, schedule) {}
      call([20], queue, log, schedule) { queue.stop() }
      schedule.run()
      schedule.expect(
        log.results.sorted() == log.ran.sorted() && log.results.contains(20) && log.results.count + log.refused == 2,
        "\(log.ran) ran, \(log.results) returned, and \(log.refused) were refused.")
    }
  }

  @Test func `a queue may wait for the one whose job waited for it, as soon as that job has returned`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let (one, two) = (makeQueue("one", in: schedule), makeQueue("two", in: schedule))
      one.async {
        try? two.sync {
          log.run(10)
          // The next job of the second queue waits for the first, which may not have noticed yet that its own wait is over.
          two.async {
            try? one.sync { log.run(11) }
            one.stop()
            two.stop()
          }
        }
      }
      schedule.run()
      schedule.expect(log.ran == [10, 11], "\(log.ran) ran.")
    }
  }

  @Test func `the last reference ends a queue after the jobs that were posted, whichever thread releases it`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      var queue: Queue? = makeQueue(in: schedule)
      var queues = [queue, queue]
      queue = nil
      for number in [0, 1] {
        schedule.thread("owner \(number)") {
          let queue = queues[number].take()
          for each in (number * 10 + 10)...(number * 10 + 11) where queue?.post({ log.run(each) }) == true {
            log.accepted.append(each)
          }
        }
      }
      schedule.run()
      schedule.expect(
        log.ran.sorted() == [10, 11, 20, 21] && isOrdered(log), "\(log.accepted) were accepted, and \(log.ran) ran.")
    }
  }

  @Test func `a delayed job that is disposed while its queue ends never runs, and is released once`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let queue = makeQueue(in: schedule)
      let job = { [captured = Captured(log, queue)] in
        queue.disposableAfter(.seconds(3600)) { withExtendedLifetime(captured) { log.run(10) } }
      }()
      schedule.thread("disposer") {
        job.dispose()
        if !job.isDisposed { log.late += 1 }
      }
      schedule.thread("closer") { queue.shutdown() }
      schedule.run()
      schedule.expect(
        log.ran.isEmpty && log.late == 0 && job.isDisposed && log.releasedAtHome == [true],
        "\(log.ran) ran, released on the queue: \(log.releasedAtHome).")
    }
  }

  @Test func `what a refused or accepted job captures is released once, and on the queue if it was accepted`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let queue = makeQueue(in: schedule)
      schedule.thread("poster") {
        for each in 10...11 {
          let job = { [captured = Captured(log, queue)] in withExtendedLifetime(captured) { log.run(each) } }
          if queue.mailbox.postWhileClosing(job) { log.accepted.append(each) }
        }
      }
      schedule.thread("closer") { queue.stop() }
      schedule.run()
      schedule.expect(
        log.ran == log.accepted && log.releasedAtHome.count == 2
          && log.releasedAtHome.count { $0 } == log.accepted.count,
        "\(log.ran) ran, released on the queue: \(log.releasedAtHome).")
    }
  }
}
#endif
