import CEventLoops
import CUV
import Callbacks
import Streams

/// The queue through which other threads, and the loop itself, have jobs run on a loop.
///
/// Jobs may be posted before the loop exists; they wait. What other threads post lies behind a lock; one `uv_async` wakes
/// the loop, signalled only when that queue goes from empty to non-empty. What the loop's own thread posts needs no lock
/// and no system call: an idle handle makes the loop go on with its next turn. Both are drained whole.
final class LoopMailbox: ClosingMailbox {
  enum Job {
    case closure(() -> Void)
    case task(UnownedJob, Queue, isCounted: Bool)
    /// A job of a task that prefers the main queue: part of the main actor.
    case mainTask(UnownedJob)
    /// A job of a task that resumes in the isolation in which it has waited.
    case resumed(UnownedJob, UnownedSerialExecutor)
    /// Has been run.
    case done
  }

  /// How far the loop's shutdown has come.
  private enum Phase {
    case open
    /// Tasks alone are accepted: somebody waits for them.
    case closing
    /// The same, and the handles are being closed: nothing wakes the loop any more.
    case ending
    case closed
  }

  private struct State {
    var jobs: [Job] = []
    var async: UnsafeMutablePointer<uv_async_t>?
    var isSignalled = false
    var signals = 0
    var phase = Phase.open
  }

  // The jobs are handed over: made by one thread, run by the loop's.
  private let state = Lock(State())
  let isMain: Bool
  // Read and written atomically. The thread of the attached loop.
  nonisolated(unsafe) private let thread: UnsafeMutablePointer<UInt>
  // All that follows is touched on the loop's thread alone.
  @exclusivity(unchecked) nonisolated(unsafe) private(set) unowned(unsafe) var loop: Loop?
  /// Runs for as long as `own` is not empty.
  @exclusivity(unchecked) nonisolated(unsafe) private var idle: UnsafeMutablePointer<uv_idle_t>?
  /// What this thread has posted itself.
  @exclusivity(unchecked) nonisolated(unsafe) private var own: [Job] = []
  /// The same as the state's.
  @exclusivity(unchecked) nonisolated(unsafe) private var phase = Phase.open
  /// How many jobs the loop has taken but not begun.
  @exclusivity(unchecked) nonisolated(unsafe) private var taken = 0
  /// Those that are notified when the loop closes. Entries of objects that have gone are removed now and then.
  @exclusivity(unchecked) nonisolated(unsafe) private var closingObservers: [WeakObserver] = []
  // On the loop's thread alone, as all of these.
  @exclusivity(unchecked) nonisolated(unsafe) private var sweepCount = 16
  private let owner = Lock<WeakQueue?>(nil)

  private struct WeakObserver {
    weak var observer: (any ClosingObserver)?
  }

  private struct WeakQueue {
    weak var queue: Queue?
  }

  init(isMain: Bool = false) {
    self.isMain = isMain
    thread = .allocate(capacity: 1)
    thread.initialize(to: ThreadIdentity.none)
  }

  deinit { thread.deallocate() }

  /// Whether the caller runs on the thread of the loop, which exists.
  @inline(__always)
  var isOnThread: Bool { headwater_load(thread) == ThreadIdentity.current }

  /// Nil after the loop has been shut down: what has lived there belongs to nobody.
  var isCurrent: Bool? {
    if isOnThread || (isMain && HomeThread.isMain) { return true }
    return state.withLock { $0.phase == .closed } ? nil : false
  }

  /// Traps on another thread than the loop's. After a shutdown there is none to tell from.
  func requireCurrent() { if isCurrent == false { Loop.wrongThread() } }

  func post(_ job: sending @escaping () -> Void) -> Bool { enqueue(.closure(job), isTask: false) }

  /// Runs `job` at once on the loop's thread, and posts it on another. For `deinit`, which may run on any thread. Dropped after
  /// the loop has been shut down. The job must own what it captures.
  func perform(_ job: @escaping () -> Void) {
    if isOnThread { return job() }
    // The job leaves this thread for the loop's, which owns what it captures.
    nonisolated(unsafe) let job = job
    _ = post(job)
  }

  /// A job of the concurrency runtime cannot be dropped: somebody waits for it.
  func post(_ job: UnownedJob, of queue: Queue) {
    // A job that the main thread gives away: a synchronous run() of the main loop waits until it has run.
    let isCounted = !isMain && headwater_hold_jobs() != 0
    guard enqueue(.task(job, queue, isCounted: isCounted), isTask: true) else {
      fatalError(
        """
        A task or an actor runs on the queue '\(queue.label)', which has been shut down. Shut a queue down after the last \
        task on it has ended.
        """)
    }
  }

  /// A job of a task that has waited here. On the loop's thread, while the loop delivers something.
  func postResumed(_ job: UnownedJob, _ executor: UnownedSerialExecutor) {
    if !enqueue(.resumed(job, executor), isTask: true) { job.runSynchronously(on: executor) }
  }

  /// A job of a task that prefers the main queue. False after the main loop has been shut down.
  func postMainTask(_ job: UnownedJob) -> Bool { enqueue(.mainTask(job), isTask: true) }

  func postWhileClosing(_ job: sending @escaping () -> Void) -> Bool { enqueue(.closure(job), isTask: true) }

  @inline(__always)
  private func enqueue(_ job: consuming sending Job, isTask: Bool) -> Bool {
    if isOnThread {
      if phase != .open, phase == .closed || !isTask { return false }
      own.append(job)
      if own.count == 1, let idle {
        uv_idle_start(idle) { UntilClosed<LoopMailbox>.borrow($0!.pointee.data).drain() }
        if let source = loop?.service.source { source.requestTurn() }
      }
      return true
    }
    // Given up by the caller, taken by the loop, never touched by both.
    nonisolated(unsafe) let job = job
    return state.withLock { state in
      if state.phase != .open, state.phase == .closed || !isTask { return false }
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

  /// True when nothing waits to be taken. On the loop's thread.
  var isEmpty: Bool { own.isEmpty && state.withLock { $0.jobs.isEmpty } }

  /// True when a job may run now: it overtakes none, and the loop has not been shut down. On the loop's thread.
  var isIdle: Bool {
    taken == 0 && own.isEmpty && (phase == .open || phase == .closing) && state.withLock { $0.jobs.isEmpty }
  }

  /// Runs the jobs that wait.
  func drain() {
    // Swapped under the lock, run on the loop's thread.
    nonisolated(unsafe) var jobs: [Job] = []
    state.withLock { state in
      state.isSignalled = false
      swap(&jobs, &state.jobs)
    }
    // Posted by this thread before it had the loop, or by others: before what it has posted since.
    if !jobs.isEmpty { run(&jobs, followedBy: own.count) }
    if own.isEmpty { return }
    if let idle { uv_idle_stop(idle) }
    var mine: [Job] = []
    swap(&mine, &own)
    run(&mine, followedBy: 0)
    // Its memory is used again.
    if own.isEmpty, mine.capacity <= 4096 {
      mine.removeAll(keepingCapacity: true)
      swap(&mine, &own)
    }
  }

  private func run(_ jobs: inout [Job], followedBy later: Int) {
    taken = jobs.count + later
    for index in jobs.indices {
      taken -= 1
      // Out of the batch: what it captured is released before the next one runs.
      var job = Job.done
      swap(&job, &jobs[index])
      switch consume job {
      case .closure(let body): body()
      case .task(let job, let queue, let isCounted):
        countingJobs(isCounted) {
          job.runSynchronously(
            isolatedTo: queue.asUnownedSerialExecutor(), taskExecutor: queue.asUnownedTaskExecutor())
        }
        if isCounted { headwater_release_jobs() }
      case .mainTask(let job):
        job.runSynchronously(
          isolatedTo: MainActor.sharedUnownedExecutor, taskExecutor: MainTaskExecutor.shared.asUnownedTaskExecutor())
      case .resumed(let job, let executor): job.runSynchronously(on: executor)
      case .done: break
      }
    }
    taken = 0
  }

  /// From now on `loop` runs the jobs, and `async` wakes it, or `idle` on its own thread.
  func attach(_ loop: Loop, _ async: UnsafeMutablePointer<uv_async_t>, _ idle: UnsafeMutablePointer<uv_idle_t>) {
    self.loop = loop
    self.idle = idle
    phase = .open
    // Other threads hand it to uv_async_send, under the lock, and to nothing else.
    nonisolated(unsafe) let async = async
    state.withLock { state in
      state.async = async
      state.phase = .open
      if !state.jobs.isEmpty {
        state.isSignalled = true
        uv_async_send(async)
      }
    }
    headwater_store(thread, ThreadIdentity.current)
  }

  /// The loop is about to be freed.
  func detach() {
    loop = nil
    headwater_store(thread, ThreadIdentity.none)
  }

  // MARK: Closing

  func notifyOfClosing(_ observer: any ClosingObserver) -> Bool {
    if phase == .closed { return false }
    closingObservers.append(WeakObserver(observer: observer))
    if closingObservers.count >= sweepCount {
      closingObservers.removeAll { $0.observer == nil }
      sweepCount = max(16, closingObservers.count * 2)
    }
    return true
  }

  /// Refuses closures from now on, and runs what was accepted. `async` and `idle` may be closed afterwards.
  func close() {
    phase = .closing
    state.withLock { $0.phase = .closing }
    drainAndNotify()
    phase = .ending
    state.withLock { state in
      state.phase = .ending
      state.async = nil
    }
    if let idle { uv_idle_stop(idle) }
    idle = nil
  }

  /// Runs what is there, and notifies those that wait for the end, until there is nothing more.
  func drainAndNotify() {
    repeat {
      drain()
      let observers = closingObservers
      closingObservers = []
      for entry in observers { entry.observer?.homeWillClose() }
    } while !isEmpty || !closingObservers.isEmpty
  }

  /// Refuses tasks, too, from now on; false if there are some.
  func closeIfEmpty() -> Bool {
    if !own.isEmpty || !closingObservers.isEmpty { return false }
    return state.withLock { state in
      if !state.jobs.isEmpty { return false }
      state.phase = .closed
      phase = .closed
      return true
    }
  }
}
