#if canImport(Glibc)
import EventLoops
import Schedules
import Testing

/// Wake-ups of a loop by other threads, in every order.
@Suite(.serialized) struct WakeUpScheduleTests {
  /// What the senders and the handle have done.
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var handle: AsyncHandle?
    /// The sends that the handle has accepted, and how many of them came before its latest call.
    var accepted = 0
    var served = 0
    var calls = 0
    /// The calls outside of the home, or after the disposal.
    var strays = 0
    /// The sends that were accepted after the disposal, or after the handle had been freed.
    var late = 0
    var isDisposed = false
    var isFreed = false

    func called(at home: ScheduledHome) {
      Schedule.access(self)
      if home.isCurrent != true || isDisposed { strays += 1 }
      calls += 1
      served = accepted
    }

    func send(_ sender: AsyncSender) {
      let wasDisposed = isDisposed
      if sender.send() {
        accepted += 1
        if wasDisposed || isFreed { late += 1 }
      }
      Schedule.access(self)
    }
  }

  /// Adds a home with a handle, and threads that send twice each.
  private func send(
    _ schedule: Schedule, _ log: Log, threads: Int = 2, _ first: @escaping (ScheduledHome) -> Void = { _ in }
  ) -> ScheduledHome {
    let home = ScheduledHome("home", in: schedule, first)
    home.whenPrepared = {
      log.handle = try? AsyncHandle { log.called(at: home) }
      log.handle?.onClosed { log.isFreed = true }
    }
    for number in 1...threads {
      schedule.thread("sender \(number)") {
        guard let sender = log.handle?.sender else { return }
        for _ in 1...2 { log.send(sender) }
      }
    }
    return home
  }

  @Test func `a send wakes the loop: a call comes after the last send, and not more calls than sends`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      _ = send(schedule, log)
      schedule.run()
      schedule.expect(
        log.accepted == 4 && log.served == 4 && (1...4).contains(log.calls) && log.strays + log.late == 0,
        "\(log.accepted) were accepted, \(log.served) of them served by \(log.calls) calls, \(log.strays) strays.")
      log.handle = nil
    }
  }

  @Test func `no send is accepted after the disposal, none reaches a handle that was freed, and no call comes`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      _ = send(schedule, log) { home in
        home.post {
          log.handle?.dispose()
          log.isDisposed = true
        }
      }
      schedule.run()
      schedule.expect(
        log.strays + log.late == 0 && log.isFreed && log.calls <= log.accepted,
        "\(log.accepted) were accepted, \(log.late) of them late; \(log.calls) calls, \(log.strays) of them late.")
      log.handle = nil
    }
  }

  @Test func `a loop that closes ends its handle, and refuses sends`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let home = send(schedule, log, threads: 1) { $0.close() }
      schedule.run()
      schedule.expect(
        log.strays + log.late == 0 && log.isFreed && log.handle?.sender.send() == false && home.isCurrent == nil,
        "\(log.accepted) were accepted, \(log.late) of them late; \(log.calls) calls, \(log.strays) of them late.")
      log.handle = nil
    }
  }
}
#endif
