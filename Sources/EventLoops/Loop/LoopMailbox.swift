import CUV
import Streams

/// The queue through which other threads, and the loop itself, have jobs run on a loop.
///
/// Jobs may be posted before the loop exists; they wait. One `uv_async` wakes the loop, signalled only when the queue goes
/// from empty to non-empty; the loop drains it whole.
final class LoopMailbox: Mailbox {
  enum Job {
    case closure(() -> Void)
    case task(UnownedJob, Queue)
    /// Has been run.
    case done
  }

  private struct State {
    var jobs: [Job] = []
    var async: UnsafeMutablePointer<uv_async_t>?
    var isSignalled = false
    var signals = 0
    var refusesClosures = false
    var isClosed = false
  }

  // The jobs are handed over: made by one thread, run by the loop's.
  private let state = Lock(State())
  private let isMain: Bool
  // Set, read and cleared on the loop's thread.
  nonisolated(unsafe) private(set) unowned(unsafe) var loop: Loop?
  /// How many jobs the loop has taken but not begun. Touched on the loop's thread alone.
  nonisolated(unsafe) private var taken = 0
  private let owner = Lock<WeakQueue?>(nil)

  private struct WeakQueue {
    weak var queue: Queue?
  }

  init(isMain: Bool = false) { self.isMain = isMain }

  /// Nil after the loop has been shut down: what has lived there belongs to nobody.
  var isCurrent: Bool? {
    if isMain ? HomeThread.isMain : HomeThread.mailbox === self { return true }
    return state.withLock { $0.isClosed } ? nil : false
  }

  func post(_ job: sending @escaping () -> Void) -> Bool { enqueue(.closure(job), isTask: false) }

  /// A job of the concurrency runtime cannot be dropped: somebody waits for it.
  func post(_ job: UnownedJob, of queue: Queue) {
    guard enqueue(.task(job, queue), isTask: true) else {
      fatalError(
        """
        A task or an actor runs on the queue '\(queue.label)', which has been shut down. Shut a queue down after the last \
        task on it has ended.
        """)
    }
  }

  private func enqueue(_ job: Job, isTask: Bool) -> Bool {
    // Given up by the caller, taken by the loop, never touched by both.
    nonisolated(unsafe) let job = job
    return state.withLock { state in
      if state.isClosed || (state.refusesClosures && !isTask) { return false }
      state.jobs.append(job)
      // Under the lock: detaching takes it too, so the handle cannot be freed meanwhile.
      if let async = state.async, !state.isSignalled {
        state.isSignalled = true
        state.signals += 1
        uv_async_send(async)
      }
      return true
    }
  }

  /// The queue that other threads know this mailbox by, until the last of them has let go of it.
  var queue: Queue? { owner.withLock { $0?.queue } }

  func setQueue(_ queue: Queue) { owner.withLock { $0 = WeakQueue(queue: queue) } }

  /// How often the loop has been woken.
  var signals: Int { state.withLock { $0.signals } }

  /// True when nothing waits to be taken.
  var isEmpty: Bool { state.withLock { $0.jobs.isEmpty } }

  /// True when a job may run now: it overtakes none, and the loop has not been shut down. On the loop's thread.
  var isIdle: Bool { taken == 0 && state.withLock { $0.jobs.isEmpty && !$0.isClosed } }

  /// Runs the jobs that wait, and returns how many there were.
  @discardableResult
  func drain() -> Int {
    // Swapped under the lock, run on the loop's thread.
    nonisolated(unsafe) var jobs: [Job] = []
    state.withLock { state in
      state.isSignalled = false
      swap(&jobs, &state.jobs)
    }
    taken = jobs.count
    for index in jobs.indices {
      taken -= 1
      // Out of the batch: what it captured is released before the next one runs.
      var job = Job.done
      swap(&job, &jobs[index])
      switch job {
      case .closure(let body): body()
      case .task(let job, let queue):
        job.runSynchronously(
          isolatedTo: queue.asUnownedSerialExecutor(), taskExecutor: queue.asUnownedTaskExecutor())
      case .done: break
      }
    }
    return jobs.count
  }

  /// From now on `loop` runs the jobs, and `async` wakes it.
  func attach(_ loop: Loop, _ async: UnsafeMutablePointer<uv_async_t>) {
    self.loop = loop
    // Other threads hand it to uv_async_send, under the lock, and to nothing else.
    nonisolated(unsafe) let async = async
    state.withLock { state in
      state.async = async
      state.refusesClosures = false
      state.isClosed = false
      if !state.jobs.isEmpty {
        state.isSignalled = true
        uv_async_send(async)
      }
    }
  }

  /// The loop is about to be freed.
  func detach() { loop = nil }

  /// Refuses closures from now on, runs what was accepted, then refuses everything.
  func close() {
    state.withLock { $0.refusesClosures = true }
    repeat {
      drain()
    } while !state.withLock { state in
      if state.jobs.isEmpty {
        state.isClosed = true
        state.async = nil
      }
      return state.isClosed
    }
  }
}
