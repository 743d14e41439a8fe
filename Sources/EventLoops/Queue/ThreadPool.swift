import CUV
import Callbacks
public import Streams

/// libuv's thread pool, for work that takes long or blocks. Jobs run in any order, several at a time.
///
/// ```swift
/// Queue.background.async { print("on a thread of the pool") }
/// let size = Operation<Int, Never>.execute(on: .threadPool) { (0..<1_000_000).reduce(0, +) }
/// size.observeNext { print($0) }.dispose(in: bag)
/// ```
///
/// The whole process shares the pool, which also serves libuv's file-system calls and name lookups. It has four
/// threads, or the number in the environment variable `UV_THREADPOOL_SIZE`, at most 1,024. If the system has no threads for
/// it, file-system calls and lookups fail with `EAGAIN`, and jobs wait. `Diagnostics` reports it.
///
/// A job belongs to the loop of the thread that starts it, and keeps that loop alive. If the loop shuts down, it
/// releases jobs that have not begun and waits for the others. Jobs of a thread without a loop belong to the package's
/// own loop, which never shuts down.
public struct BackgroundQueue: Sendable {
  /// Runs `job` on a thread of the pool.
  public func async(_ job: sending @escaping () -> Void) { PoolJob.start(job) }

  /// The pool as an execution context.
  public var context: ExecutionContext { .threadPool }
}

extension Queue {
  /// libuv's thread pool. Its jobs have no order; use a `Queue(label:)` for jobs that must run one after another.
  public static var background: BackgroundQueue { BackgroundQueue() }
}

extension ExecutionContext {
  /// libuv's thread pool, for work that takes long or blocks. Jobs run in any order, several at a time.
  public static var threadPool: ExecutionContext { ExecutionContext { PoolJob.start($0) } }
}

/// A job of the thread pool: a request without a result.
final class PoolJob: Request {
  // Set before libuv has the request. Taken by the pool's thread, or by the loop's thread if the job has been
  // canceled.
  private var job: (() -> Void)?

  static func start(_ job: sending @escaping () -> Void) {
    // The main loop must wait for the job, even if the program has not used the loop yet.
    let mailbox = HomeThread.isMain ? MainQueue.mailbox : HomeThread.mailbox as? LoopMailbox
    if HomeThread.isMain, HomeThread.mailbox == nil { _ = Loop.main }
    if let loop = mailbox?.loop, !loop.isClosed { return PoolJob(loop, job).start() }
    Queue.shared.async { PoolJob(.current, job).start() }
  }

  private init(_ loop: Loop, _ job: @escaping () -> Void) {
    self.job = job
    super.init(loop, uv_work_t.self)
  }

  override var withoutThreads: WithoutThreads { .waits }

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
