package import Streams

/// The mailbox of a thread without a loop: the test runs what has been posted.
package final class ThreadMailbox: ClosingMailbox {
  private struct State {
    var jobs: [Transfer] = []
    var isClosed = false
    var observers: [WeakObserver] = []
  }

  private struct WeakObserver {
    weak var observer: (any ClosingObserver)?
  }

  // Sendable: posted by one thread, run by the owner.
  private struct Transfer: @unchecked Sendable {
    let job: () -> Void
  }

  // The observers are the owner's; the jobs are handed over.
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
    // Touched by the owner alone.
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

  /// Runs `body` as if on the thread whose mailbox this is.
  package func at(_ body: () -> Void) {
    let previous = HomeThread.mailbox
    HomeThread.set(mailbox: self, scheduler: nil)
    body()
    HomeThread.set(mailbox: previous, scheduler: nil)
  }

  /// Drops the pending jobs, and refuses new ones. A job may retain what retains this mailbox.
  package func discard() {
    // Released after the lock: what goes may post.
    nonisolated(unsafe) var jobs: [Transfer] = []
    state.withLock { state in
      state.isClosed = true
      swap(&jobs, &state.jobs)
    }
  }

  /// Refuses what is posted from now on. On the thread whose mailbox this is.
  package func close() {
    // On the owner's thread alone.
    nonisolated(unsafe) var observers: [WeakObserver] = []
    state.withLock { state in
      state.isClosed = true
      swap(&observers, &state.observers)
    }
    for entry in observers { entry.observer?.homeWillClose() }
  }
}
