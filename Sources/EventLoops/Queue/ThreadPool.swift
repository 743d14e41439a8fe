import CUV
import Callbacks
public import Streams

/// libuv's thread pool: for what takes long or blocks. Jobs run in any order, several at a time.
///
/// ```swift
/// Queue.background.async { print("on a thread of the pool") }
/// let size = Operation<Int, Never>.execute(on: .threadPool) { (0..<1_000_000).reduce(0, +) }
/// size.observeNext { print($0) }.dispose(in: bag)
/// ```
///
/// The pool is the process's: four threads, which file-system calls and name look-ups of libuv need too, or as many as the
/// environment variable `UV_THREADPOOL_SIZE` says, at most 1,024.
///
/// A job belongs to the loop of the thread that starts it: it keeps that loop running, and the loop's shutdown releases jobs
/// that have not begun and waits for those that have. A thread without a loop may start jobs, too; they belong to a loop of
/// the package's own, which never shuts down.
public struct BackgroundQueue: Sendable {
  /// Runs `job` on a thread of the pool.
  public func async(_ job: sending @escaping () -> Void) { PoolJob.start(job) }

  /// The pool as an execution context.
  public var context: ExecutionContext { .threadPool }
}

extension Queue {
  /// libuv's thread pool. It has no order: what has to run one after another wants a `Queue(label:)`.
  public static var background: BackgroundQueue { BackgroundQueue() }
}

extension ExecutionContext {
  /// libuv's thread pool: see `BackgroundQueue`.
  public static var threadPool: ExecutionContext { ExecutionContext { PoolJob.start($0) } }
}

/// A job of the thread pool: a request that has no result.
final class PoolJob: Request {
  // Set before libuv has it, taken by the thread of the pool; by the loop's where the job has been cancelled.
  private var job: (() -> Void)?

  static func start(_ job: sending @escaping () -> Void) {
    // The main loop, even if the program has not used it yet: it is to wait for the job.
    let mailbox = HomeThread.isMain ? MainQueue.mailbox : HomeThread.mailbox as? LoopMailbox
    if HomeThread.isMain, HomeThread.mailbox == nil { _ = Loop.main }
    if let loop = mailbox?.loop, !loop.isClosed { return PoolJob(loop, job).start() }
    Queue.shared.async { PoolJob(.current, job).start() }
  }

  private init(_ loop: Loop, _ job: @escaping () -> Void) {
    self.job = job
    super.init(loop, uv_work_t.self)
  }

  private func start() {
    start {
      uv_queue_work(
        loop.uv, pointer(uv_work_t.self),
        { UntilClosed<Request>.borrow($0!.pointee.data).run() },
        { Request.didFinish($0!.pointee.data, $1) })
    }
  }

  override func run() { job.take()?() }

  override func didEnd() { job = nil }
}
