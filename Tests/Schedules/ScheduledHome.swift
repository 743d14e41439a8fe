#if canImport(Glibc)
package import Streams

/// The domain of a thread whose order a `Schedule` decides.
package final class ScheduledHome: ClosingMailbox, @unchecked Sendable {
  // Sendable: only the thread that has the turn uses it.
  private struct WeakObserver {
    weak var observer: (any ClosingObserver)?
  }

  private let schedule: Schedule
  private var jobs: [() -> Void] = []
  private var observers: [WeakObserver] = []
  /// Runs at home before any thread has a turn.
  package var whenPrepared: (() -> Void)?
  private var isClosing = false
  private var isClosed = false

  /// Adds a thread that runs `first`, then the jobs that are posted, until `close` is called or no thread has anything to do.
  package init(_ name: String, in schedule: Schedule, _ first: @escaping (ScheduledHome) -> Void) {
    self.schedule = schedule
    schedule.thread(
      name,
      prepare: {
        HomeThread.set(mailbox: self, scheduler: nil)
        self.whenPrepared.take()?()
      }
    ) {
      first(self)
      self.serve()
    }
  }

  package var isCurrent: Bool? { isClosed ? nil : HomeThread.mailbox === self }

  package func post(_ job: sending @escaping () -> Void) -> Bool {
    Schedule.access(self)
    if isClosing { return false }
    jobs.append(job)
    return true
  }

  package func postWhileClosing(_ job: sending @escaping () -> Void) -> Bool {
    Schedule.access(self)
    if isClosed { return false }
    jobs.append(job)
    return true
  }

  package func notifyOfClosing(_ observer: any ClosingObserver) -> Bool {
    // Used only at home.
    nonisolated(unsafe) let observer = observer
    if isClosing { return false }
    observers.append(WeakObserver(observer: observer))
    return true
  }

  /// Ends the domain after the jobs that were posted before. Call it at home.
  package func close() {
    if isClosing { return }
    jobs.append { self.shutDown() }
  }

  private func serve() {
    while !isClosed {
      if schedule.wait(for: self, isIdle: true, until: { !self.jobs.isEmpty }) {
        jobs.removeFirst()()
      } else {
        shutDown()
      }
    }
    HomeThread.set(mailbox: nil, scheduler: nil)
  }

  private func shutDown() {
    if isClosing { return }
    Schedule.access(self)
    isClosing = true
    runJobs()
    for entry in observers { entry.observer?.homeWillClose() }
    observers = []
    runJobs()
    isClosed = true
  }

  private func runJobs() {
    while !jobs.isEmpty {
      jobs.removeFirst()()
      Schedule.access(self)
    }
  }
}
#endif
