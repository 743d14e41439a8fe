public import Streams

/// A delayed job of a queue. Disposing cancels it, from any thread.
///
/// ```swift
/// let queue = Queue(label: "files")
/// let job = queue.disposableAfter(.seconds(5)) { print("five seconds have passed") }
/// job.dispose()
/// ```
///
/// When `dispose()` returns, the job will not begin any more. If you call it off the queue's thread, the job may
/// already be running. Its captures are released on the queue. Releasing this object does not cancel the job.
public final class DelayedJob: Disposable, Sendable {
  private let mailbox: LoopMailbox
  private let isPending = Lock(true)
  // Set before the queue has them, then used on its thread only.
  nonisolated(unsafe) private var job: (() -> Void)?
  // Used on the queue's thread only.
  nonisolated(unsafe) private var deadline: (any Disposable)?

  init(_ delay: Duration, _ mailbox: LoopMailbox, _ job: sending @escaping () -> Void) {
    self.mailbox = mailbox
    self.job = job
    let asked = ContinuousClock.now
    if !mailbox.post({ self.start(delay, asked) }) {
      _ = take()
      self.job = nil
    }
  }

  /// True once the job has begun or been canceled, or its queue has shut down before the delay was over.
  public var isDisposed: Bool { !isPending.withLock { $0 } }

  /// Cancels the job. Does nothing once the job has begun. Idempotent.
  public func dispose() {
    guard take() else { return }
    mailbox.perform { self.release() }
  }

  /// Returns true to the first caller only.
  private func take() -> Bool { isPending.withLock { $0.take() } }

  private func release() {
    deadline?.dispose()
    deadline = nil
    job = nil
  }

  private func start(_ delay: Duration, _ asked: ContinuousClock.Instant) {
    if isDisposed { return release() }
    let scheduler = Loop.current.scheduler
    let due = (scheduler.now - (ContinuousClock.now - asked)).saturatingSum(delay)
    // Released with the deadline, also if the queue shuts down.
    let guardian = Guardian(self)
    deadline = scheduler.schedule(at: due) { guardian.job.fire() }
  }

  private func fire() {
    guard take(), let job = job.take() else { return }
    deadline = nil
    job()
  }

  /// Deallocated with the deadline: when it has run, been canceled, or been dropped by the loop's shutdown.
  private final class Guardian {
    let job: DelayedJob

    init(_ job: DelayedJob) { self.job = job }

    deinit {
      _ = job.take()
      job.job = nil
    }
  }
}

extension Bool {
  /// Returns the value and sets it to false.
  fileprivate mutating func take() -> Bool {
    defer { self = false }
    return self
  }
}

extension Queue {
  /// Runs `job` on the queue after `delay`, unless the returned object is disposed or the queue shuts down before.
  ///
  /// Any thread may dispose it. If the queue has already shut down, the returned object is disposed.
  public func disposableAfter(_ delay: Duration, _ job: sending @escaping () -> Void) -> DelayedJob {
    DelayedJob(delay, mailbox, job)
  }
}

extension MainQueue {
  /// Runs `job` on the main actor after `delay`, unless the returned object is disposed or the main loop shuts down
  /// before.
  ///
  /// Any thread may dispose it. If the main loop has already shut down, the returned object is disposed.
  public func disposableAfter(_ delay: Duration, _ job: @escaping @MainActor () -> Void) -> DelayedJob {
    DelayedJob(delay, Self.mailbox) { MainActor.assumeIsolated(job) }
  }
}
