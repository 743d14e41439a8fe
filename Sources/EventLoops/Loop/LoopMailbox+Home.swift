import CEventLoops
import CUV
import Streams

extension LoopMailbox: LoopHome {
  func keepAlive(for reason: String) -> any Disposable {
    guard let loop, !loop.isClosed else { return .none }
    return KeepAlive(loop, reason)
  }

  func hosts(_ isolation: any Actor) -> Bool {
    if isolation === MainActor.shared { return isMain }
    return queue?.isExecutor(of: isolation) == true
  }

  func resume(_ continuation: UnsafeContinuation<Void, Never>, isolatedTo isolation: any Actor) {
    var job: UnsafeMutableRawPointer?
    headwater_begin_capture(&job)
    continuation.resume()
    headwater_end_capture()
    // Nil if the task has not suspended yet. Also nil if it prefers an executor, which then has the job.
    if let job { postResumed(unsafeBitCast(job, to: UnownedJob.self), isolation.unownedExecutor) }
  }

  func beginWait() -> Bool { headwater_hold_jobs() != 0 }

  func endWait(_ resume: () -> Void) {
    countingJobs(true, resume)
    headwater_release_jobs()
  }
}

/// Runs `body` as work of the main thread if `isCounted` is true: a synchronous `run()` of the main loop then waits for
/// the jobs of tasks that `body` starts or resumes.
@inline(__always)
func countingJobs(_ isCounted: Bool, _ body: () -> Void) {
  if !isCounted { return body() }
  let wasCounting = headwater_count_jobs(1)
  body()
  _ = headwater_count_jobs(wasCounting)
}

/// Keeps a loop alive while a stream waits for something that libuv does not know.
private final class KeepAlive: Disposable {
  private unowned let mailbox: LoopMailbox
  private let reason: String
  private(set) var isDisposed = false

  init(_ loop: Loop, _ reason: String) {
    mailbox = loop.mailbox
    self.reason = reason
    loop.service.waits[reason, default: 0] += 1
    loop.service.waitCount += 1
    loop.updateReference()
  }

  func dispose() {
    if isDisposed { return }
    isDisposed = true
    guard let loop = mailbox.loop, !loop.isClosed else { return }
    loop.service.waits[reason]! -= 1
    if loop.service.waits[reason] == 0 { loop.service.waits[reason] = nil }
    loop.service.waitCount -= 1
    loop.updateReference()
  }
}

/// The main loop as the executor of tasks that wait on the main thread. Their jobs are part of the main actor, so such
/// a task continues in the main actor without a hop.
final class MainTaskExecutor: TaskExecutor {
  static let shared = MainTaskExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A task is never dropped: after the loop has been shut down, the concurrency runtime serves it.
    if !MainQueue.mailbox.postMainTask(job) { MainActor.shared.enqueue(job) }
  }
}

extension Queue {
  /// True if the actor's methods are jobs of this queue.
  fileprivate func isExecutor(of actor: any Actor) -> Bool {
    // Both are the queue's address and a word of flags for its kind. The runtime compares them by their bits too.
    unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
      == unsafeBitCast(asUnownedSerialExecutor(), to: (UInt, UInt).self)
  }
}
