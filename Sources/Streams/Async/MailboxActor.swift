/// A domain that is not an actor, such as a loop's thread, as an actor: tasks isolated to it run in that domain.
actor MailboxActor {
  private nonisolated let executor: MailboxExecutor
  private nonisolated let thread = HomeThread.end

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ mailbox: any Mailbox) { executor = MailboxExecutor(mailbox) }

  /// The domain has refused a job: what runs here from now on is not in the domain.
  nonisolated var isClosed: Bool { executor.isClosed }

  /// The domain has closed and nothing runs in it any more, so what it owned may be let go of anywhere.
  nonisolated var isVacant: Bool { executor.isVacant }

  /// Runs `job` at once if the domain is vacant, otherwise when its thread ends.
  nonisolated func whenVacant(_ job: sending @escaping () -> Void) { if isVacant { job() } else { thread.atEnd(job) } }
}

/// Posts the jobs of tasks to a mailbox.
///
/// A job must run, or its task would never end. If the domain has closed, the job runs on a thread of the concurrency pool,
/// one job at a time.
private final class MailboxExecutor: SerialExecutor {
  private let mailbox: any Mailbox
  private let closed = Lock(false)
  /// What the domain has refused.
  private let refused = SerialJobs()

  init(_ mailbox: any Mailbox) { self.mailbox = mailbox }

  var isClosed: Bool { closed.withLock { $0 } }

  var isVacant: Bool { isClosed && mailbox.isCurrent != false }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if mailbox.postWhileClosing({ job.runSynchronously(on: self.asUnownedSerialExecutor()) }) { return }
    closed.withLock { $0 = true }
    // Not in place: the caller may hold a lock.
    if refused.append({ job.runSynchronously(on: self.asUnownedSerialExecutor()) }) {
      Task.detached { self.refused.run() }
    }
  }

  func isIsolatingCurrentContext() -> Bool? { mailbox.isCurrent }

  func checkIsolated() {
    if mailbox.isCurrent == false, !isClosed {
      misuse("Expected to run in the domain in which a stream of an asynchronous sequence is observed.")
    }
  }
}

extension Home {
  /// The actor to which code at home is isolated, made up where home is a loop; nil where there is no home. Asked at home.
  var actor: (any Actor)? {
    guard let mailbox else { return nil }
    if mailbox is MainMailbox || HomeThread.isMain { return MainActor.shared }
    if let mailbox = mailbox as? ActorMailbox { return mailbox.actor }
    return MailboxActor(mailbox)
  }
}
