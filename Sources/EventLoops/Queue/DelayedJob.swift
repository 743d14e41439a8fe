public import Streams

/// A job that waits on a queue for its time. Disposing takes it back, from any thread.
///
/// ```swift
/// let queue = Queue(label: "files")
/// let job = queue.disposableAfter(.seconds(5)) { print("five seconds have passed") }
/// job.dispose()
/// ```
///
/// When `dispose()` returns the job will not begin any more; on another thread than the queue's it may be running just then.
/// What it captured is released on the queue. Letting go of this object does not take the job back.
public final class DelayedJob: Disposable, Sendable {
  private let mailbox: LoopMailbox
  private let isPending = Lock(true)
  // Both are made before the queue has them, then touched on its thread alone.
  nonisolated(unsafe) private var job: (() -> Void)?
  // The same.
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

  /// True when it has begun, when it has been taken back, and when its queue has shut down before its time.
  public var isDisposed: Bool { !isPending.withLock { $0 } }

  /// Takes the job back. A second call does nothing, nor does one after the job has begun.
  public func dispose() {
    guard take() else { return }
    if mailbox.isOnThread { release() } else { _ = mailbox.post { self.release() } }
  }

  /// True for the first who asks.
  private func take() -> Bool { isPending.withLock { $0.take() } }

  private func release() {
    deadline?.dispose()
    deadline = nil
    job = nil
  }

  private func start(_ delay: Duration, _ asked: ContinuousClock.Instant) {
    if isDisposed { return release() }
    let scheduler = Loop.current.scheduler
    let due = scheduler.now - (ContinuousClock.now - asked) + delay
    // Released with the deadline: by its queue's shutdown, too.
    let guardian = Guardian(self)
    deadline = scheduler.schedule(at: due) { guardian.job.fire() }
  }

  private func fire() {
    guard take(), let job = job.take() else { return }
    deadline = nil
    job()
  }

  /// Dies with the deadline: when it has been served, taken back, or dropped by the loop's shutdown.
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
  /// What it was; false from then on.
  fileprivate mutating func take() -> Bool {
    defer { self = false }
    return self
  }
}

extension Queue {
  /// Runs `job` on the queue after `delay`, unless it is taken back before, which any thread may do, or the queue shuts down.
  ///
  /// When the queue has shut down already, what comes back is disposed.
  public func disposableAfter(_ delay: Duration, _ job: sending @escaping () -> Void) -> DelayedJob {
    DelayedJob(delay, mailbox, job)
  }
}

extension MainQueue {
  /// Runs `job` on the main actor after `delay`, unless it is taken back before, which any thread may do, or the main loop
  /// shuts down.
  ///
  /// When the main loop has shut down already, what comes back is disposed.
  public func disposableAfter(_ delay: Duration, _ job: @escaping @MainActor () -> Void) -> DelayedJob {
    DelayedJob(delay, Self.mailbox) { MainActor.assumeIsolated(job) }
  }
}
