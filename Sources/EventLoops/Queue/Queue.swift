import CStreams
import Dispatch
public import Streams

/// A serial queue: a loop on its own thread, which any thread may use.
///
/// A queue is `Sendable`; objects made on it are confined to it. It is an executor: an actor can run on it, and tasks
/// can prefer it. Releasing the last reference, or calling `shutdown()`, ends the loop and the thread once the posted
/// jobs have run.
///
/// ```swift
/// let queue = Queue(label: "files")
/// queue.async { print("on the queue's thread") }
/// ```
public final class Queue: SerialExecutor, TaskExecutor {
  /// The queue's name. Its first 15 bytes are also the name of its thread.
  public let label: String
  let mailbox: LoopMailbox
  private let thread: QueueThread?

  /// Makes a queue and starts its thread. Traps if the system has no thread for it.
  ///
  /// If there are not enough descriptors for its loop, its jobs wait until there are, which is reported through `Diagnostics`.
  public init(label: String) {
    self.label = label
    mailbox = LoopMailbox()
    thread = QueueThread(label, mailbox) { QueueThread.start(label, $0) }
    mailbox.setQueue(self)
  }

  /// Makes a queue. `start` runs its argument, which makes and runs the loop, on a new thread.
  package init(label: String, start: (@escaping () -> Void) -> Void) {
    self.label = label
    mailbox = LoopMailbox()
    thread = QueueThread(label, mailbox, start: start)
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

  /// The queue that runs on the calling thread. On the main thread, it is the main queue.
  ///
  /// Nil on a thread without a queue, and in jobs that a queue runs after its last reference has been released.
  public static var current: Queue? {
    if HomeThread.isMain { return MainQueue.queue }
    return (HomeThread.mailbox as? LoopMailbox)?.queue
  }

  /// Runs `job` on the queue, after the jobs that the same thread posted before. From the queue itself, it runs in the
  /// next loop iteration.
  ///
  /// Returns false if the queue has shut down; the job is then released without running.
  @discardableResult
  public func async(_ job: sending @escaping () -> Void) -> Bool { mailbox.post(job) }

  /// Runs `body` on the queue and waits for its result. On the queue itself, it runs in place.
  ///
  /// Throws the error of `body`, or `LoopClosed` if the queue has shut down. Traps if the queue waits for the caller's
  /// queue, directly or through others: none of them could ever continue.
  public func sync<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result {
    if mailbox.isCurrent == true { return try body() }
    let result = Lock<Swift.Result<Result, any Error>?>(nil)
    withoutActuallyEscaping(body) { body in
      let call = SyncCall {
        let outcome = Swift.Result { try body() }
        result.withLock { $0 = outcome }
      }
      SyncWaits.waiting(for: mailbox) {
        if mailbox.post({ call.run() }) { call.wait() } else { call.drop() }
      }
    }
    guard let outcome = result.withLock({ $0 }) else { throw LoopClosed() }
    return try outcome.get()
  }

  /// Runs `job` on the queue after `delay`, unless the queue shuts down before.
  ///
  /// Returns false if the queue has already shut down; the job is then released without running.
  @discardableResult
  public func after(_ delay: Duration, _ job: sending @escaping () -> Void) -> Bool {
    let asked = ContinuousClock.now
    return mailbox.post {
      let scheduler = Loop.current.scheduler
      _ = scheduler.schedule(at: (scheduler.now - (ContinuousClock.now - asked)).saturatingSum(delay), job)
    }
  }

  /// The queue as an execution context.
  public var context: ExecutionContext { ExecutionContext(mailbox) }

  /// Makes the loop's `run()` return, from any thread. On a queue with its own thread, this shuts the queue down
  /// without waiting.
  public func stop() {
    if let thread { thread.requestStop() } else { _ = mailbox.post { Loop.current.stop() } }
  }

  /// Ends the loop and the thread, and waits until they have ended.
  ///
  /// Posted jobs run first, handles are closed, and later posts are refused. From the queue itself, it does not wait:
  /// posts are accepted, and run, until the loop ends. A queue that waits for descriptors ends after it has got them.
  /// Idempotent. Does nothing for the main queue. Traps if the queue waits for the caller's queue, directly or through
  /// others.
  public func shutdown() {
    guard let thread else { return }
    thread.requestStop()
    if mailbox.isCurrent != true { SyncWaits.waiting(for: mailbox) { thread.waitUntilEnded() } }
  }

  // MARK: Executor

  /// Runs a job of an actor or a task on the queue. Traps if the queue has shut down, because the task would never
  /// continue.
  public func enqueue(_ job: consuming ExecutorJob) { mailbox.post(UnownedJob(job), of: self) }

  /// The queue as the executor of an actor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// The queue as an executor that tasks can prefer.
  public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    thread == nil ? MainTaskExecutor.shared.asUnownedTaskExecutor() : UnownedTaskExecutor(ordinary: self)
  }

  /// Returns true if the caller runs on the queue's thread. Nil after the queue has shut down.
  public func isIsolatingCurrentContext() -> Bool? { mailbox.isCurrent }

  /// Traps if the caller does not run on the queue's thread.
  public func checkIsolated() {
    if mailbox.isCurrent != true {
      fatalError("Expected to run on the queue '\(label)': await the actor, or use Queue.async.")
    }
  }
}

/// The job of `sync`. It releases its closure before the caller continues, because the closure must not escape.
private final class SyncCall: @unchecked Sendable {
  // Sendable: the queue uses it until it signals, the caller before and after.
  private var body: (() -> Void)?
  private let caller = Queue.current?.mailbox
  private let done = DispatchSemaphore(value: 0)
  #if DEBUG
  private var isDone = false
  #endif

  init(_ body: @escaping () -> Void) { self.body = body }

  func run() {
    body?()
    drop()
    if let caller { SyncWaits.remove(caller) }
    #if DEBUG
    isDone = true
    #endif
    done.signal()
  }

  func wait() {
    #if DEBUG
    headwater_wait(Unmanaged.passUnretained(self).toOpaque()) { call in
      call.map { Unmanaged<SyncCall>.fromOpaque($0).takeUnretainedValue().isDone } == true
    }
    #endif
    done.wait()
  }

  func drop() { body = nil }
}
