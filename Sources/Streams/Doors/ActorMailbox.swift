/// An actor as a mailbox: a task isolated to the actor runs what has been posted, in order.
final class ActorMailbox: Mailbox {
  private struct State {
    var jobs: [Transfer<() -> Void>] = []
    var isDraining = false
  }

  private let actor: any Actor
  private let state = Lock(State())

  init(_ actor: any Actor) { self.actor = actor }

  /// Actors share the threads of the pool: the thread says nothing.
  var isCurrent: Bool? { nil }

  func post(_ job: sending @escaping () -> Void) -> Bool {
    let transfer = Transfer(job)
    let mustStart = state.withLock { state in
      state.jobs.append(transfer)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if mustStart { Task { await self.drain(self.actor) } }
    return true
  }

  private func drain(_ actor: isolated any Actor) {
    while true {
      let jobs = state.withLock { state in
        defer { state.jobs = [] }
        if state.jobs.isEmpty { state.isDraining = false }
        return state.jobs
      }
      if jobs.isEmpty { return }
      for job in jobs { job.value() }
    }
  }
}
