#if canImport(Glibc)
import Schedules
import Testing

@testable import EventLoops
@testable import Streams

/// Tasks that run on other threads than the home that they use.
@Suite(.serialized) struct ActorScheduleTests {
  /// What the jobs have done.
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var actor: MailboxActor?
    var ran: [Int] = []
    /// The jobs that ran while another one did.
    var overlaps = 0
    /// The jobs that ran outside of the home although it had not closed.
    var strays = 0
    var ends = 0
    var starts = 0
    var disposals = 0
    /// The number of threads that were asked to run refused jobs.
    var next = 0
    private var isRunning = false

    /// A job that other threads can interrupt.
    func run(_ job: Int, _ home: ScheduledHome, on actor: isolated MailboxActor) {
      if isRunning { overlaps += 1 }
      isRunning = true
      Schedule.access(self)
      if home.isCurrent == false || home.isCurrent == nil && !actor.isVacant { strays += 1 }
      ran.append(job)
      isRunning = false
    }

    /// True if each task's jobs ran in order. A task's jobs have the same tens.
    var isOrdered: Bool {
      Dictionary(grouping: ran) { $0 / 10 }.values.allSatisfy { $0 == $0.sorted() }
    }
  }

  @Test func `jobs of two tasks run once, in order, and one at a time, at a home or elsewhere after it has closed`()
    async throws
  {
    try await expectNothingFound(preemptions: fewPreemptions) { schedule in
      let log = Log()
      let workers = [ScheduledWorker(), ScheduledWorker()]
      let home = ScheduledHome("home", in: schedule) { $0.close() }
      home.whenPrepared = {
        // Each refused job may run on another thread.
        log.actor = HomeThread.mailbox.map { mailbox in
          MailboxActor(mailbox) { job in
            log.next += 1
            workers[log.next % 2].add(job)
          }
        }
      }
      for (number, worker) in workers.enumerated() {
        schedule.thread("worker \(number + 1)") {
          Task(executorPreference: worker) {
            guard let actor = log.actor else { return }
            for each in number * 10 + 10...number * 10 + 11 { await log.run(each, home, on: actor) }
            log.ends += 1
          }
          worker.run(in: schedule) { log.ends == 2 }
        }
      }
      schedule.run()
      schedule.expect(
        log.ran.sorted() == [10, 11, 20, 21] && log.isOrdered && log.ends == 2 && log.overlaps + log.strays == 0,
        "\(log.ran) ran, \(log.overlaps) at the same time as another, \(log.strays) outside of the home, \(log.ends) ends."
      )
      log.actor = nil
    }
  }

  @Test func `a task without a home gets the first element or its cancellation, and the source is disposed at home`()
    async throws
  {
    try await expectNothingFound(preemptions: fewPreemptions) { schedule in
      let log = Log()
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      let home = ScheduledHome("home", in: schedule) { _ in }
      let worker = ScheduledWorker()
      let source = inlet.stream.doOn(
        start: { log.starts += 1 },
        disposed: {
          log.disposals += 1
          if home.isCurrent != true { log.strays += 1 }
        })
      let away = AwayFromHome(source.toOperation(), home.queue.mailbox, #fileID, #line)
      let task = Task(executorPreference: worker) {
        if let element = await away.firstValue() {
          log.ran.append(element)
        } else if !Task.isCancelled {
          log.strays += 1
        }
        // Nothing of the subscription is left.
        if log.starts != log.disposals { log.strays += 1 }
        log.ends += 1
      }
      schedule.thread("worker") { worker.run(in: schedule) { log.ends == 1 } }
      schedule.thread("sender") { for each in 1...2 { inlet.send(each) } }
      schedule.thread("canceler") { schedule.withoutInterruption(log) { task.cancel() } }
      schedule.run()
      schedule.expect(
        [[], [1], [2]].contains(log.ran) && log.ends == 1 && log.strays == 0,
        "\(log.ran) came, \(log.ends) ends, \(log.starts) starts, \(log.disposals) disposals, \(log.strays) strays.")
    }
  }
}
#endif
