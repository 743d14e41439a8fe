package import Streams

/// The mailbox of a thread without a loop. The test runs the posted jobs.
package final class ThreadMailbox: ClosingMailbox {
  private struct State {
    var jobs: [Transfer] = []
    var isClosed = false
    var observers: [WeakObserver] = []
  }

  private struct WeakObserver {
    weak var observer: (any ClosingObserver)?
  }

  // Sendable, because one thread posts it, and the owner runs it.
  private struct Transfer: @unchecked Sendable {
    let job: () -> Void
  }

  // The observers belong to the owner, and the jobs are passed to it.
  private let state = Lock(State())

  package init() {}

  package var isCurrent: Bool? { HomeThread.mailbox === self }

  package func post(_ job: sending @escaping () -> Void) -> Bool {
    let transfer = Transfer(job: job)
    return state.withLock { state in
      if state.isClosed { return false }
      state.jobs.append(transfer)
      return true
    }
  }

  package func postWhileClosing(_ job: sending @escaping () -> Void) -> Bool { post(job) }

  package func notifyOfClosing(_ observer: any ClosingObserver) -> Bool {
    // Used only by the owner.
    nonisolated(unsafe) let observer = observer
    return state.withLock { state in
      if state.isClosed { return false }
      state.observers.append(WeakObserver(observer: observer))
      return true
    }
  }

  package func run() {
    let jobs = state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
    for transfer in jobs { transfer.job() }
  }

  /// Runs `body` as if this thread were that of the mailbox.
  package func at(_ body: () -> Void) {
    let previous = HomeThread.mailbox
    HomeThread.set(mailbox: self, scheduler: nil)
    body()
    HomeThread.set(mailbox: previous, scheduler: nil)
  }

  /// Drops the pending jobs, and refuses new ones. Breaks a cycle if a job retains an owner of the mailbox.
  package func discard() {
    // Released after the lock, because a job that is deallocated may post.
    nonisolated(unsafe) var jobs: [Transfer] = []
    state.withLock { state in
      state.isClosed = true
      swap(&jobs, &state.jobs)
    }
  }

  /// Refuses jobs from now on. Call it on the thread of the mailbox.
  package func close() {
    // Used only on the owner's thread.
    nonisolated(unsafe) var observers: [WeakObserver] = []
    state.withLock { state in
      state.isClosed = true
      swap(&observers, &state.observers)
    }
    for entry in observers { entry.observer?.homeWillClose() }
  }
}
