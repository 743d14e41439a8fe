#if canImport(Glibc)
/// A thread of the concurrency pool whose order a `Schedule` decides. Tasks can prefer it.
package final class ScheduledWorker: TaskExecutor, @unchecked Sendable {
  // Sendable: only the thread that has the turn uses it.
  private var jobs: [() -> Void] = []

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  package func add(_ job: @escaping () -> Void) {
    Schedule.access(self)
    jobs.append(job)
  }

  /// Runs the jobs that are added, until none is left and `isOver` returns true. Call it on a thread of the program.
  package func run(in schedule: Schedule, until isOver: @escaping () -> Bool) {
    while true {
      schedule.wait(for: self) { !self.jobs.isEmpty || isOver() }
      if jobs.isEmpty { return }
      jobs.removeFirst()()
    }
  }
}
#endif
