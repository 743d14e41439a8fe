/// An actor for a domain that is not an actor, such as a loop's thread. Tasks isolated to it run in that domain.
actor MailboxActor {
  private nonisolated let executor: MailboxExecutor
  private nonisolated let thread = HomeThread.end

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter elsewhere: Runs its argument on a thread of the concurrency pool. A test passes a thread whose turns it decides.
  init(
    _ mailbox: any Mailbox,
    elsewhere: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { job in Task.detached { job() } }
  ) {
    executor = MailboxExecutor(mailbox, elsewhere)
  }

  /// True if the domain has refused a job. Jobs then run outside the domain.
  nonisolated var isClosed: Bool { executor.isClosed }

  /// True if the domain has closed and runs no code, so that its values can be released anywhere.
  nonisolated var isVacant: Bool { executor.isVacant }

  /// Runs `job` immediately if the domain is vacant, otherwise when its thread ends.
  nonisolated func whenVacant(_ job: sending @escaping () -> Void) { if isVacant { job() } else { thread.atEnd(job) } }
}

/// An executor that posts the jobs of tasks to a mailbox.
///
/// A job must run, or its task would never end. If the domain has closed, the job runs on a thread of the concurrency pool,
/// one job at a time.
private final class MailboxExecutor: SerialExecutor {
  private let mailbox: any Mailbox
  private let closed = Lock(false)
  /// The jobs that the domain has refused.
  private let refused = SerialJobs()
  private let elsewhere: @Sendable (@escaping @Sendable () -> Void) -> Void

  init(_ mailbox: any Mailbox, _ elsewhere: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.mailbox = mailbox
    self.elsewhere = elsewhere
  }

  var isClosed: Bool { closed.withLock { $0 } }

  var isVacant: Bool { isClosed && mailbox.isCurrent != false }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if mailbox.postWhileClosing({ job.runSynchronously(on: self.asUnownedSerialExecutor()) }) { return }
    closed.withLock { $0 = true }
    // Not immediately, because the caller can hold a lock.
    if refused.append({ job.runSynchronously(on: self.asUnownedSerialExecutor()) }) {
      elsewhere { self.refused.run() }
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
  /// The actor to which code in the home domain is isolated, or nil without a home. For a loop this is a `MailboxActor`. Call
  /// it in the home domain.
  var actor: (any Actor)? {
    guard let mailbox else { return nil }
    if mailbox is MainMailbox || HomeThread.isMain { return MainActor.shared }
    if let mailbox = mailbox as? ActorMailbox { return mailbox.actor }
    return MailboxActor(mailbox)
  }
}
