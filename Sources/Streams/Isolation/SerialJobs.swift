/// A queue of jobs that any thread adds, and that one thread at a time runs in order.
final class SerialJobs: Sendable {
  private struct State {
    var jobs: [Transfer<() -> Void>] = []
    var isRunning = false
  }

  private let state = Lock(State())

  /// Adds a job. Returns true if no thread runs the jobs; the caller must then make sure that `run()` is called.
  func append(_ job: sending @escaping () -> Void) -> Bool {
    let transfer = Transfer(job)
    return state.withLock { state in
      state.jobs.append(transfer)
      defer { state.isRunning = true }
      return !state.isRunning
    }
  }

  /// Runs jobs until there are none.
  func run() {
    while true {
      let jobs = state.withLock { state in
        defer { state.jobs = [] }
        if state.jobs.isEmpty { state.isRunning = false }
        return state.jobs
      }
      if jobs.isEmpty { return }
      for job in jobs { job.value() }
    }
  }
}
