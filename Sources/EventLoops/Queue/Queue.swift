import Dispatch
public import Streams

/// A serial queue: a loop on a thread of its own, reached from any thread.
///
/// A queue is Sendable; what runs on it is confined to it. It is an executor, so an actor can live on it, and tasks can
/// prefer it. Letting go of the last reference, or `shutdown()`, ends the loop and the thread once what was posted before
/// has run.
///
/// ```swift
/// let queue = Queue(label: "files")
/// queue.async { print("on the queue's thread") }
/// ```
public final class Queue: SerialExecutor, TaskExecutor {
  /// The queue's name, which its thread has too (its first 15 bytes).
  public let label: String
  let mailbox: LoopMailbox
  private let thread: QueueThread?

  /// Makes a queue and starts its thread.
  public init(label: String) {
    self.label = label
    mailbox = LoopMailbox()
    thread = QueueThread(label, mailbox)
    mailbox.setQueue(self)
  }

  init(main mailbox: LoopMailbox) {
    label = "main"
    self.mailbox = mailbox
    thread = nil
    mailbox.setQueue(self)
  }

  deinit { thread?.requestStop() }

  /// The main thread's queue.
  public static var main: MainQueue { MainQueue() }

  /// The queue whose thread this is: the main one on the main thread, nil on a thread that no queue has, and nil in the jobs
  /// that a queue runs after the last reference to it has gone.
  public static var current: Queue? {
    if HomeThread.isMain { return MainQueue.queue }
    return (HomeThread.mailbox as? LoopMailbox)?.queue
  }

  /// Runs `job` on the queue, after what was posted before by the same thread. Also from the queue itself: on its next
  /// turn.
  ///
  /// Returns false when the queue has shut down; the job is then released without running.
  @discardableResult
  public func async(_ job: sending @escaping () -> Void) -> Bool { mailbox.post(job) }

  /// Runs `body` on the queue and waits for its result. On the queue itself it runs in place.
  ///
  /// Throws `LoopClosed` when the queue has shut down, and what `body` throws. Traps when the queue waits for the caller's,
  /// itself or through others: nobody would ever go on.
  public func sync<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result {
    if mailbox.isCurrent == true { return try body() }
    let result = Lock<Swift.Result<Result, any Error>?>(nil)
    withoutActuallyEscaping(body) { body in
      let call = SyncCall {
        let outcome = Swift.Result { try body() }
        result.withLock { $0 = outcome }
      }
      SyncWaits.waiting(for: mailbox) {
        if mailbox.post({ call.run() }) { call.done.wait() } else { call.drop() }
      }
    }
    guard let outcome = result.withLock({ $0 }) else { throw LoopClosed() }
    return try outcome.get()
  }

  /// Runs `job` on the queue after `delay`, unless the queue shuts down before.
  ///
  /// Returns false when the queue has shut down already.
  @discardableResult
  public func after(_ delay: Duration, _ job: sending @escaping () -> Void) -> Bool {
    let asked = ContinuousClock.now
    return mailbox.post {
      let scheduler = Loop.current.scheduler
      _ = scheduler.schedule(at: scheduler.now - (ContinuousClock.now - asked) + delay, job)
    }
  }

  /// The queue as an execution context.
  public var context: ExecutionContext { ExecutionContext(mailbox) }

  /// Makes the loop's `run()` return, from any thread. For a queue with a thread of its own this is `shutdown()` without
  /// waiting.
  public func stop() {
    if let thread { thread.requestStop() } else { _ = mailbox.post { Loop.current.stop() } }
  }

  /// Ends the loop and the thread and waits for it: what was posted before runs, handles are closed, and what is posted
  /// later is refused. From the queue itself it does not wait. Idempotent. Does nothing for the main queue. Traps when the
  /// queue waits for the caller's, itself or through others.
  public func shutdown() {
    guard let thread else { return }
    thread.requestStop()
    if mailbox.isCurrent != true { SyncWaits.waiting(for: mailbox) { thread.waitUntilEnded() } }
  }

  // MARK: Executor

  /// Runs a job of an actor or task on the queue. Traps when the queue has shut down: somebody waits for the job.
  public func enqueue(_ job: consuming ExecutorJob) { mailbox.post(UnownedJob(job), of: self) }

  /// See `SerialExecutor`.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// See `TaskExecutor`.
  public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    thread == nil ? MainTaskExecutor.shared.asUnownedTaskExecutor() : UnownedTaskExecutor(ordinary: self)
  }

  /// Whether the caller runs on the queue's thread.
  public func isIsolatingCurrentContext() -> Bool? { mailbox.isCurrent }

  /// Traps when the caller does not run on the queue's thread.
  public func checkIsolated() {
    if mailbox.isCurrent != true {
      fatalError("Expected to run on the queue '\(label)': reach what lives there with await, or with Queue.async.")
    }
  }
}

/// The job of `sync`, which lets go of its closure before the caller goes on: the closure must not escape.
private final class SyncCall: @unchecked Sendable {
  // Sendable: the queue has it until it signals, the caller before and after.
  private var body: (() -> Void)?
  let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping () -> Void) { self.body = body }

  func run() {
    body?()
    drop()
    done.signal()
  }

  func drop() { body = nil }
}
