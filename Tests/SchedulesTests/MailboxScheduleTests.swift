#if canImport(Glibc)
import EventLoops
import Schedules
import Testing

@testable import Streams

/// Jobs for a domain that closes meanwhile, and values that are released there.
@Suite(.serialized) struct MailboxScheduleTests {
  /// What has happened at the home and around it.
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var ran: [Int] = []
    var accepted: [Int] = []
    /// The jobs that ran while another one did.
    var overlaps = 0
    private var isRunning = false
    /// For each release: whether it was at home, or nil if the home had closed.
    var releases: [Bool?] = []
    var isOver = false
    var dispose: (() -> Void)?

    /// Runs a job that other threads can interrupt.
    func run(_ job: Int) {
      if isRunning { overlaps += 1 }
      isRunning = true
      Schedule.access(self)
      ran.append(job)
      isRunning = false
    }

    /// True if each thread's jobs ran in order. A thread's jobs have the same tens.
    var isOrdered: Bool {
      Dictionary(grouping: ran) { $0 / 10 }.values.allSatisfy { $0 == $0.sorted() }
    }
  }

  /// Notes where it is released.
  private final class Guest {
    private let log: Log
    private let home: Queue

    init(_ log: Log, _ home: ScheduledHome) { (self.log, self.home) = (log, home.queue) }

    deinit { log.releases.append(home.isCurrent) }
  }

  @Test func `jobs that three threads add to a serial queue run once, in order, and one at a time`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let jobs = SerialJobs()
      for first in [10, 20, 30] {
        schedule.thread("adder \(first)") {
          for each in first...(first == 30 ? first : first + 1) where jobs.append({ log.run(each) }) { jobs.run() }
        }
      }
      schedule.run()
      schedule.expect(
        log.ran.sorted() == [10, 11, 20, 21, 30] && log.isOrdered && log.overlaps == 0,
        "\(log.ran) ran, \(log.overlaps) at the same time as another.")
    }
  }

  @Test func `jobs for the end of a thread run once, although they are added while it ends`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let end = HomeThread.End()
      for first in [10, 20] {
        schedule.thread("adder \(first)") { for each in first...first + 1 { end.atEnd { log.ran.append(each) } } }
      }
      schedule.thread("thread") { end.come() }
      schedule.run()
      schedule.expect(log.ran.sorted() == [10, 11, 20, 21] && log.isOrdered, "\(log.ran) ran.")
    }
  }

  @Test func `a confined value of a home that closes is used there only, and released once, there or afterwards`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      var boxes: [Confined<Guest>?] = []
      let home = ScheduledHome("home", in: schedule) { $0.close() }
      home.whenPrepared = {
        let box = Confined(Guest(log, home))
        boxes = [box, box]
      }
      for number in [0, 1] {
        schedule.thread("user \(number)") {
          let box = boxes[number].take()
          let isAccepted = box?.async { _ in
            if home.isCurrent != true { log.overlaps += 1 }
            log.ran.append(number)
          }
          if isAccepted == true { log.accepted.append(number) }
        }
      }
      schedule.run()
      schedule.expect(
        log.ran.sorted() == log.accepted.sorted() && log.overlaps == 0 && log.releases.count == 1
          && log.releases[0] != false,
        "\(log.accepted) were accepted, \(log.ran) ran, released at home: \(log.releases).")
    }
  }

  @Test func `a confined value that is made at its home exists before its first use, or never if the home has closed`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let home = ScheduledHome("home", in: schedule) { $0.close() }
      schedule.thread("maker") {
        let box = Confined(at: home.queue) {
          log.ran.append(1)
          return Guest(log, home)
        }
        if box.async({ _ in log.ran.append(2) }) { log.accepted.append(2) }
      }
      schedule.run()
      schedule.expect(
        log.ran.starts(with: log.accepted.isEmpty ? [] : [1, 2])
          && log.ran.count(where: { $0 == 1 }) == log.releases.count
          && !log.releases.contains(false),
        "\(log.accepted) were accepted, \(log.ran) ran, released at home: \(log.releases).")
    }
  }

  @Test func `bags that two threads release while their home closes are disposed once each, one at a time`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      var bags: [DisposeBag?] = [nil, nil]
      let home = ScheduledHome("home", in: schedule) { $0.close() }
      home.whenPrepared = {
        bags = [10, 20].map { number in
          let bag = DisposeBag()
          BlockDisposable {
            log.releases.append(home.isCurrent)
            log.run(number)
          }.dispose(in: bag)
          return bag
        }
      }
      for number in [0, 1] { schedule.thread("owner \(number)") { bags[number] = nil } }
      schedule.run()
      schedule.expect(
        log.ran.sorted() == [10, 20] && log.overlaps == 0 && !log.releases.contains(false),
        "\(log.ran) were disposed, at home: \(log.releases), \(log.overlaps) at the same time as another.")
    }
  }

  private struct Broken: Error {}

  @Test func `the first end of an operation inlet comes once, after what was accepted before it`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      var ends: [Bool] = []
      let inlet = OperationInlet<Int, Broken>(capacity: 8, whenFull: .dropOldest, isolation: nil)
      _ = ScheduledHome("home", in: schedule) { _ in
        _ = inlet.operation.observe(
          next: { log.ran.append($0) },
          termination: { end in if case .failed = end { ends.append(false) } else { ends.append(true) } })
      }
      schedule.thread("sender") {
        for each in 1...2 where inlet.send(each) { log.accepted.append(each) }
        inlet.finish()
      }
      schedule.thread("failer") { inlet.fail(Broken()) }
      schedule.run()
      schedule.expect(
        log.ran == log.accepted && ends.count == 1 && (ends == [false] || log.ran == [1, 2]),
        "\(log.accepted) were accepted, \(log.ran) came, completed: \(ends).")
    }
  }

  @Test func `what runs on another queue is not begun after the disposal, and comes once before it`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let far = ScheduledHome("far", in: schedule) { _ in }
      let near = ScheduledHome("near", in: schedule) { home in
        let subscription = Operation<Int, Never>.execute(on: far.queue.context) {
          log.accepted.append(1)
          return 1
        }.observeNext {
          if log.isOver { log.overlaps += 1 }
          log.ran.append($0)
        }
        log.dispose = { subscription.dispose() }
        home.post {
          log.isOver = true
          log.dispose.take()?()
        }
      }
      withExtendedLifetime(near) { schedule.run() }
      schedule.expect(
        log.overlaps == 0 && log.ran.count <= log.accepted.count && log.accepted.count <= 1,
        "\(log.accepted) were made, \(log.ran) came, \(log.overlaps) after the disposal.")
    }
  }
}
#endif
