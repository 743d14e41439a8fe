import Streams

/// The mailbox of a thread without a loop: the test runs what has been posted.
package final class ThreadMailbox: Mailbox {
  private struct State {
    var jobs: [Transfer] = []
    var isClosed = false
  }

  // Sendable: posted by one thread, run by the owner.
  private struct Transfer: @unchecked Sendable {
    let job: () -> Void
  }

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

  package func run() {
    let jobs = state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
    for transfer in jobs { transfer.job() }
  }

  package func close() { state.withLock { $0.isClosed = true } }
}
