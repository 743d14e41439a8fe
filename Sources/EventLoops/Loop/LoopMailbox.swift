import CEventLoops
import CStreams
import CUV
import Callbacks
import Streams

/// The queue through which other threads, and the loop itself, run jobs on a loop.
///
/// Jobs may be posted before the loop exists; they wait for it. Jobs from other threads lie behind a lock. One
/// `uv_async` wakes the loop, and it is signaled only when that queue goes from empty to non-empty. Jobs from the
/// loop's own thread need no lock and no system call: an idle handle makes the loop begin its next iteration. Both
/// queues are drained whole.
final class LoopMailbox: ClosingMailbox {
  enum Job {
    case closure(() -> Void)
    case task(UnownedJob, Queue, isCounted: Bool)
    /// A job of a task that prefers the main queue. It is part of the main actor.
    case mainTask(UnownedJob)
    /// A job of a task that resumes in the isolation in which it waited.
    case resumed(UnownedJob, UnownedSerialExecutor)
    /// A job that has been taken out of the batch.
    case done

    #if Tracing
    var isTask: Bool {
      switch self {
      case .closure, .done: false
      default: true
      }
    }
    #endif
  }

  /// How far the shutdown of the loop has progressed.
  private enum Phase {
    case open
    /// Only jobs of tasks are accepted, because their callers wait for them.
    case closing
    /// As `closing`, and the handles are being closed: nothing wakes the loop any more.
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

  // Each job is handed over: one thread makes it, the loop's thread runs it.
  private let state = Lock(State())
  let isMain: Bool
  // The thread of the attached loop. Read and written atomically.
  nonisolated(unsafe) private let thread: UnsafeMutablePointer<UInt>
  // Everything below is used on the loop's thread only.
  @exclusivity(unchecked) nonisolated(unsafe) private(set) unowned(unsafe) var loop: Loop?
  /// Active as long as `own` is not empty.
  @exclusivity(unchecked) nonisolated(unsafe) private var idle: UnsafeMutablePointer<uv_idle_t>?
  /// The jobs that the loop's own thread has posted.
  @exclusivity(unchecked) nonisolated(unsafe) private var own: [Job] = []
  /// A copy of the phase in `state`, which the loop's thread reads without the lock.
  @exclusivity(unchecked) nonisolated(unsafe) private var phase = Phase.open
  /// How many jobs have been taken from the queues but have not begun.
  @exclusivity(unchecked) nonisolated(unsafe) private var taken = 0
  /// The observers that are notified when the loop closes. Entries of deallocated objects are removed now and then.
  @exclusivity(unchecked) nonisolated(unsafe) private var closingObservers: [WeakObserver] = []
  // Used on the loop's thread only.
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

  /// True if the caller runs on the thread of an existing loop.
  @inline(__always)
  var isOnThread: Bool { headwater_load(thread) == ThreadIdentity.current }

  /// True on the loop's thread, false on others. Nil after the loop has been shut down: its objects then have no home.
  var isCurrent: Bool? {
    if isOnThread || (isMain && HomeThread.isMain) { return true }
    return state.withLock { $0.phase == .closed } ? nil : false
  }

  /// Traps on a thread other than the loop's. After a shutdown there is no thread to compare with.
  func requireCurrent() { if isCurrent == false { Loop.wrongThread() } }

  func post(_ job: sending @escaping () -> Void) -> Bool { enqueue(.closure(recorded("posted", job)), isTask: false) }

  /// Runs `job` at once on the loop's thread, and posts it from another thread. For `deinit`, which may run on any
  /// thread.
  ///
  /// After the loop has been shut down, the job is dropped. The job must own its captures.
  func perform(_ job: @escaping () -> Void) {
    if isOnThread { return job() }
    // The job leaves this thread for the loop's thread, which then owns the captures.
    nonisolated(unsafe) let job = job
    _ = postWhileClosing(job)
  }

  /// Posts a job of the concurrency runtime. Such a job cannot be dropped, because its task would never continue. Traps
  /// after a shutdown.
  func post(_ job: UnownedJob, of queue: Queue) {
    // The main thread hands this job over: a synchronous run() of the main loop waits until it has run.
    let isCounted = !isMain && headwater_hold_jobs() != 0
    guard enqueue(.task(job, queue, isCounted: isCounted), isTask: true) else {
      fatalError(
        """
        A task or an actor runs on the queue '\(queue.label)', which has been shut down. Shut a queue down after the last \
        task on it has ended.
        """)
    }
  }

  /// Posts a job of a task that waited here. Called on the loop's thread, while the loop delivers an event.
  func postResumed(_ job: UnownedJob, _ executor: UnownedSerialExecutor) {
    if !enqueue(.resumed(job, executor), isTask: true) { job.runSynchronously(on: executor) }
  }

  /// Posts a job of a task that prefers the main queue. Returns false after the main loop has been shut down.
  func postMainTask(_ job: UnownedJob) -> Bool { enqueue(.mainTask(job), isTask: true) }

  func postWhileClosing(_ job: sending @escaping () -> Void) -> Bool {
    enqueue(.closure(recorded("posted", job)), isTask: true)
  }

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
    // The caller gives the job up and the loop takes it: the two never use it at the same time.
    nonisolated(unsafe) let job = job
    return state.withLock { state in
      if state.phase != .open, state.phase == .closed || !isTask { return false }
      state.jobs.append(job)
      // Under the lock: `close()` takes it too, so the handle cannot be freed meanwhile.
      if let async = state.async, !state.isSignalled {
        state.isSignalled = true
        state.signals += 1
        uv_async_send(async)
      }
      return true
    }
  }

  /// The queue by which other threads know this mailbox, until its last reference has been released.
  var queue: Queue? { owner.withLock { $0?.queue } }

  func setQueue(_ queue: Queue) { owner.withLock { $0 = WeakQueue(queue: queue) } }

  /// How often the loop has been woken.
  var signals: Int { state.withLock { $0.signals } }

  #if DEBUG
  /// Lets other threads run until one of them posts a job or uses an `AsyncSender`, if a test schedules this thread and libuv is going
  /// to wait.
  func willPoll(_ uv: UnsafeMutablePointer<uv_loop_t>) {
    // Not `uv_backend_timeout`, which is 0 as long as a descriptor is new, although libuv waits then.
    if !own.isEmpty || uv.pointee.stop_flag != 0 || uv.pointee.closing_handles != nil { return }
    headwater_wait(Unmanaged.passUnretained(self).toOpaque()) { mailbox in
      let mailbox = UntilClosed<LoopMailbox>.borrow(mailbox)
      return mailbox.state.withLock { $0.isSignalled } || mailbox.loop?.hasWakeUp == true
    }
  }
  #endif

  /// True if no job is pending. Call it on the loop's thread.
  var isEmpty: Bool { own.isEmpty && state.withLock { $0.jobs.isEmpty } }

  /// True if a job may run now: it overtakes none, and the loop has not been shut down. Call it on the loop's thread.
  var isIdle: Bool {
    taken == 0 && own.isEmpty && (phase == .open || phase == .closing) && state.withLock { $0.jobs.isEmpty }
  }

  /// Runs the pending jobs.
  func drain() {
    // Swapped under the lock, then run on the loop's thread.
    nonisolated(unsafe) var jobs: [Job] = []
    state.withLock { state in
      state.isSignalled = false
      swap(&jobs, &state.jobs)
    }
    // Other threads posted these jobs, or this thread did before it had the loop. They precede what it has posted
    // since.
    if !jobs.isEmpty { run(&jobs, followedBy: own.count) }
    if own.isEmpty { return }
    if let idle { uv_idle_stop(idle) }
    var mine: [Job] = []
    swap(&mine, &own)
    run(&mine, followedBy: 0)
    // The array's memory is reused.
    if own.isEmpty, mine.capacity <= 4096 {
      mine.removeAll(keepingCapacity: true)
      swap(&mine, &own)
    }
  }

  private func run(_ jobs: inout [Job], followedBy later: Int) {
    taken = jobs.count + later
    for index in jobs.indices {
      taken -= 1
      // Taken out of the batch: its captures are released before the next job runs.
      var job = Job.done
      swap(&job, &jobs[index])
      #if Tracing
      let isTraced = Trace.isOn && job.isTask
      if isTraced { Trace.begin("job", "job of a task") }
      defer { if isTraced { Trace.end() } }
      #endif
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

  /// Attaches `loop`, which runs the jobs from now on. `async` wakes it from other threads, `idle` from its own.
  func attach(_ loop: Loop, _ async: UnsafeMutablePointer<uv_async_t>, _ idle: UnsafeMutablePointer<uv_idle_t>) {
    self.loop = loop
    self.idle = idle
    phase = .open
    // Other threads pass it to uv_async_send, under the lock, and to nothing else.
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

  /// Called when the loop is about to be freed.
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

  /// Refuses closures from now on, and runs the accepted jobs. `async` and `idle` may be closed afterwards.
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

  /// Runs the pending jobs and notifies the closing observers, until neither are left.
  func drainAndNotify() {
    repeat {
      drain()
      let observers = closingObservers
      closingObservers = []
      for entry in observers { entry.observer?.homeWillClose() }
    } while !isEmpty || !closingObservers.isEmpty
  }

  /// Refuses jobs of tasks too from now on. Returns false if jobs or closing observers are left.
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
