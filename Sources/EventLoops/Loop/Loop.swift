import CUV
import Callbacks
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An event loop backed by libuv. It serves timers, descriptors, signals, processes, and jobs that other threads post,
/// all on one thread.
///
/// A loop is confined to the thread that made it. `Loop.main` is the main thread's, a `Queue` runs one on a thread of
/// its own, and `Loop()` makes one for the calling thread. Each method checks the thread, in release builds too, and
/// traps on another one. From other threads, use a `Queue`, which is `Sendable`.
public final class Loop {
  let uv: UnsafeMutablePointer<uv_loop_t>
  let mailbox: LoopMailbox
  let loopScheduler: LoopScheduler
  private var background: LoopScheduler?
  /// Wakes the loop for jobs that other threads have posted.
  let async: UnsafeMutablePointer<uv_async_t>
  /// Makes the loop begin its next iteration at once, for jobs that its own thread has posted.
  private let idle: UnsafeMutablePointer<uv_idle_t>
  private let clock: UnsafeMutablePointer<uv_prepare_t>
  let isMain: Bool
  /// The handles that Headwater made on this loop, newest first. Each one stores the links to its neighbors.
  unowned(unsafe) var firstHandle: Handle?
  /// How many handles the program has asked for on this loop, including those that failed or have closed.
  var handlesWanted = 0
  /// The buffers that sockets and pipes read into.
  // Counted by hand: a read must not retain and release it.
  let readSlabs = Unmanaged.passRetained(ReadSlabs())
  /// The handle that watches each descriptor.
  var polling: [Int32: PollHandle] = [:]
  var pendingPolls = PendingPolls()
  /// The requests under way and the open files, newest first.
  unowned(unsafe) var firstResource: LoopResource?
  @exclusivity(unchecked) private(set) var isClosed = false
  /// True when nothing of the loop is left: after `isClosed`, when all handles have closed.
  @exclusivity(unchecked) private var isFreed = false
  /// True once libuv's pool has its threads.
  @exclusivity(unchecked) var hasPool = false
  /// How the loop is being run, and what keeps it alive besides its handles.
  @exclusivity(unchecked) var service = LoopService()
  #if Tracing
  private(set) var iterations: LoopIterations?
  #endif

  /// Makes a loop for the calling thread.
  ///
  /// Traps on the main thread, if the thread already has a loop, and if the system has no descriptors for it. The loop is
  /// shut down when the thread ends, at the latest. A standard stream that is closed is replaced by /dev/null.
  public convenience init() {
    if HomeThread.isMain { fatalError("The main thread's loop is Loop.main: use that one.") }
    self.init(mailbox: LoopMailbox(), isMain: false)
  }

  /// - Parameter waits: Whether this waits, and reports it, if there are not enough descriptors.
  init(mailbox: LoopMailbox, isMain: Bool, waits: Bool = false) {
    guard HomeThread.mailbox == nil else {
      fatalError("This thread has a loop already: use Loop.current, or shut that loop down first.")
    }
    self.mailbox = mailbox
    self.isMain = isMain
    Self.openStandardStreams()
    var made = Self.make(isMain)
    if waits, case .failure(let error) = made, Self.isLacking(error) {
      Diagnostics.report(
        "A queue waits until the system has descriptors for its loop: \(error). Close some, or raise the limit (ulimit -n)."
      )
      while case .failure(let error) = made, Self.isLacking(error) {
        uv_sleep(10)
        made = Self.make(isMain)
      }
    }
    switch made {
    case .success(let loop): uv = loop
    case .failure(let error): Self.fail(error)
    }
    async = .allocate(capacity: 1)
    idle = .allocate(capacity: 1)
    clock = .allocate(capacity: 1)
    let status = uv_async_init(uv, async) { handle in
      UntilClosed<LoopMailbox>.borrow(handle!.pointee.data).drain()
    }
    if status != 0 { Self.fail(UVError(code: status, call: "uv_async_init")) }
    async.pointee.data = UntilClosed<LoopMailbox>.lend(mailbox)
    uv_idle_init(uv, idle)
    idle.pointee.data = UntilClosed<LoopMailbox>.lend(mailbox)
    // The handles for posted jobs keep no loop alive; other handles and deadlines do.
    uv_unref(UnsafeMutableRawPointer(idle).assumingMemoryBound(to: uv_handle_t.self))
    // libuv computes how long it waits from the time at which the iteration began: a callback that took long since would make every
    // timer late by that.
    uv_prepare_init(uv, clock)
    #if DEBUG
    clock.pointee.data = async.pointee.data
    #endif
    uv_prepare_start(clock) {
      uv_update_time($0!.pointee.loop)
      #if DEBUG
      UntilClosed<LoopMailbox>.borrow($0!.pointee.data).willPoll($0!.pointee.loop)
      #endif
    }
    uv_unref(UnsafeMutableRawPointer(clock).assumingMemoryBound(to: uv_handle_t.self))
    loopScheduler = LoopScheduler(uv, mailbox)
    linkAnnouncement()
    // The async handle keeps no loop alive either, unless something waits for posted jobs.
    updateReference()
    mailbox.attach(self, async, idle)
    HomeThread.set(mailbox: mailbox, scheduler: loopScheduler)
    #if Tracing
    iterations = LoopIterations(uv)
    #endif
    // Handles retain a loop that has no other owner.
    HomeThread.onEnd { [mailbox, isMain] in
      if isMain, let loop = mailbox.loop, !loop.isClosed { Loop.mainThreadEnded() }
      mailbox.loop?.close()
    }
    if isMain {
      describeOnSignalIfAsked()
      Tracing.reportIfImpossible()
      serveFromMainQueueIfNeeded()
    }
  }

  /// Opens the standard streams that are closed, as /dev/null. Otherwise the loop, or the start of a process, would get their
  /// numbers, which a child process uses for its own streams: libuv ends it then. Input cannot be read and output cannot be
  /// written, as before.
  static func openStandardStreams() {
    while let closed = (0...2).first(where: { fcntl($0, F_GETFD) < 0 }) {
      let descriptor = open("/dev/null", closed == 0 ? O_WRONLY : O_RDONLY)
      if descriptor > 2 { closeDescriptor(descriptor) }
      if descriptor < 0 { return }
    }
  }

  /// Makes a loop of libuv. On the main thread, this is the default one, to which C libraries may add handles, too.
  private static func make(_ isMain: Bool) -> Result<UnsafeMutablePointer<uv_loop_t>, UVError> {
    // The pipe of the signals belongs to the first loop, and the main queue to the main thread. Later, libuv reports errors.
    if isMain || !hasMadeLoop.withLock({ $0 }) {
      let status = tryDescriptors(isMain)
      if status != 0 { return .failure(UVError(code: status, call: "uv_loop_init")) }
    }
    if isMain {
      // It does not report its reason. The descriptors are there, so memory is missing.
      guard let loop = uv_default_loop() else {
        return .failure(UVError(code: UV_ENOMEM.rawValue, call: "uv_default_loop"))
      }
      hasMadeLoop.withLock { $0 = true }
      return .success(loop)
    }
    let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let result = uv_loop_init(loop)
    if result != 0 {
      loop.deallocate()
      return .failure(UVError(code: result, call: "uv_loop_init"))
    }
    hasMadeLoop.withLock { $0 = true }
    return .success(loop)
  }

  private static let hasMadeLoop = Lock(false)

  /// Returns 0 if the system has the descriptors for a loop: three pipes, and one more on the main thread. Otherwise libuv,
  /// or libdispatch with its main queue, would abort the program without a message.
  private static func tryDescriptors(_ isMain: Bool) -> Int32 {
    var opened: [uv_file] = []
    defer { for descriptor in opened { closeDescriptor(descriptor) } }
    for _ in 0..<(isMain ? 4 : 3) {
      var ends: [uv_file] = [-1, -1]
      let status = uv_pipe(&ends, 0, 0)
      if status != 0 { return status }
      opened += ends
    }
    return 0
  }

  private static func fail(_ error: UVError) -> Never {
    let isFull = isLacking(error) && error.code.rawValue != UV_ENOMEM.rawValue
    let fix = isFull ? " Close some descriptors, or raise the limit (ulimit -n)." : ""
    fatalError("No event loop can be made: \(error).\(fix)")
  }

  /// Returns true if the system may have what is lacking later.
  private static func isLacking(_ error: UVError) -> Bool {
    [UV_EMFILE, UV_ENFILE, UV_ENOMEM].contains { $0.rawValue == error.code.rawValue }
  }

  deinit {
    if !isClosed { close() }
    readSlabs.release()
  }

  /// The loop's clock, which time-based operators use by default.
  ///
  /// Timers never fire early. Deadlines round up to the next millisecond.
  public var scheduler: any Scheduler {
    check()
    return loopScheduler
  }

  /// The loop's clock for deadlines that do not keep the loop alive: `.interval(.seconds(60), on:
  /// loop.backgroundScheduler)`.
  ///
  /// Timers never fire early. Deadlines round up to the next millisecond.
  public var backgroundScheduler: any Scheduler {
    check()
    if let background { return background }
    if isClosed { return loopScheduler }
    let scheduler = LoopScheduler(uv, mailbox, keepsLoopAlive: false)
    background = scheduler
    return scheduler
  }

  /// The time since the loop was made, by the system's monotonic clock. Equal to the scheduler's `now`. Safe to read
  /// from any thread.
  public var now: Duration { loopScheduler.now }

  // MARK: Ending

  /// Ends the loop: closes every handle in any state, runs the posted jobs, and frees the loop.
  ///
  /// Streams of the loop deliver no more elements; the stream of a process's exit completes. Requests that wait for a
  /// thread of the pool are canceled, and requests that run are waited for; all fail with `ECANCELED`. Open files are
  /// closed. Idempotent. Traps if it is called from inside `run()`.
  public func shutdown() {
    if isClosed { return }
    check()
    if service.isAsyncMain { shutDownInAsyncMain() }
    if service.isRunning {
      fatalError(
        "A loop cannot be shut down from inside run(). Call stop(), and shut it down after run() has returned.")
    }
    close()
  }

  func shutDownInAsyncMain() -> Never {
    fatalError(
      """
      Loop.main.shutdown() was called in a program whose main is async: the main actor runs on that loop. Return from main \
      to end the program; await Loop.main.run() to wait for the work of the loop.
      """)
  }

  private func close() {
    isClosed = true
    service.source.take()?.cancel()
    resumeWaiters()
    mailbox.close()
    loopScheduler.close()
    background?.close()
    #if Tracing
    iterations.take()?.close()
    #endif
    for handle in [UnsafeMutableRawPointer(async), UnsafeMutableRawPointer(idle)] {
      uv_close(handle.assumingMemoryBound(to: uv_handle_t.self)) { handle in
        _ = UntilClosed<LoopMailbox>.take(handle!.pointee.data)
      }
    }
    uv_close(UnsafeMutableRawPointer(clock).assumingMemoryBound(to: uv_handle_t.self), nil)
    var rounds = 0
    repeat {
      // Tasks that were canceled meanwhile.
      mailbox.drainAndNotify()
      // Jobs that run here may make handles: repeat until none is left.
      var next = firstHandle
      while let handle = next {
        next = handle.nextHandle
        handle.dispose()
      }
      for resource in LoopResource.all(of: self) { resource.loopWillClose() }
      // Handles that are left were made by C libraries on the default loop.
      uv_walk(uv, { handle, _ in if uv_is_closing(handle) == 0 { uv_close(handle, nil) } }, nil)
      uv_run(uv, UV_RUN_DEFAULT)
      // After the pending completions and failures have been delivered.
      rounds += 1
    } while disposeOfSubscriptions(rounds) || firstResource != nil || firstHandle != nil || !mailbox.closeIfEmpty()
      || uv_loop_close(uv) == UV_EBUSY.rawValue
    // Its handle retains the loop.
    pendingPolls = PendingPolls()
    isFreed = true
    mailbox.detach()
    if HomeThread.mailbox === mailbox {
      HomeThread.set(mailbox: nil, scheduler: nil)
      HomeThread.onEnd(nil)
    }
    async.deallocate()
    idle.deallocate()
    clock.deallocate()
    if !isMain { uv.deallocate() }
  }

  /// Disposes the subscriptions that are still open here. Returns false if there are none, or after 1,000 rounds.
  private func disposeOfSubscriptions(_ round: Int) -> Bool {
    if HomeThread.mailbox !== mailbox || !HomeThread.disposeOfOpenSubscriptions() { return false }
    if round < 1_000 { return true }
    Diagnostics.report(
      """
      A loop that is shutting down gets a new subscription whenever it disposes its subscriptions, so it stops disposing \
      them. Do not observe anything in code that runs at disposal, such as doOn(disposed:).
      """)
    return false
  }

  // MARK: Finding

  /// The main thread's loop. Traps on other threads; use `Queue.main` there.
  public static var main: Loop {
    guard HomeThread.isMain else {
      fatalError(
        """
        Loop.main was used off the main thread. Mark the function @MainActor, or use Queue.main.async, which any thread may \
        call.
        """)
    }
    if let loop = mainLoop, !loop.isClosed { return loop }
    let loop = Loop(mailbox: MainQueue.mailbox, isMain: true)
    mainLoop = loop
    _ = reportsAtExit
    return loop
  }

  // Used on the main thread only, which `main` checks.
  nonisolated(unsafe) private(set) static var mainLoop: Loop?

  /// The loop of the calling thread: the main thread's loop, or the loop of the queue that runs on this thread. Traps
  /// on a thread that has none.
  public static var current: Loop {
    if let loop = (HomeThread.mailbox as? LoopMailbox)?.loop { return loop }
    if HomeThread.isMain { return main }
    fatalError(
      """
      This thread has no loop: a timer, a handle, or a connection was used in a nonisolated async function, in a detached \
      task, or in an actor without a loop. Use it on the main thread (mark the function @MainActor, or enable NonisolatedNonsendingByDefault so \
      that it runs where its caller does), in Queue.async, or in an actor whose executor is a Queue.
      """)
  }

  /// Traps if the caller is not on the loop's thread, and after the loop has been shut down.
  @inline(__always)
  func check() {
    if isFreed { Loop.shutDown() }
    if !mailbox.isOnThread { Loop.wrongThread() }
    if let source = service.source { source.requestTurn() }
  }

  @inline(never)
  static func shutDown() -> Never { fatalError("This loop has been shut down: make another.") }

  @inline(never)
  static func wrongThread() -> Never {
    fatalError(
      """
      A loop is used outside of its thread. A loop, its handles and its streams stay on the thread that made them: have \
      the work done there with Queue.async, or send what is Sendable there with an Inlet.
      """)
  }
}

@available(*, unavailable)
extension Loop: Sendable {}
