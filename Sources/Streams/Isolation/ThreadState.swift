import CStreams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

#if !canImport(Darwin)
/// The C library's function, which its Swift module hides behind a feature-test macro.
@_silgen_name("gettid") private func gettid() -> pid_t
#endif

/// The state of a thread: its loop, if it has one.
final class ThreadState {
  var mailbox: (any Mailbox)?
  var scheduler: (any Scheduler)?
  /// Replaces `scheduler` while a closure runs.
  var override: (any Scheduler)?
  /// The actor that is observing on this thread, during the call of observe.
  var isolation: (any Actor)?
  /// True while subscriptions are created whose home may be elsewhere.
  var isComposing = false
  /// True on a thread where first use settles no home: the tasks without an isolation use their streams elsewhere afterwards.
  var settlesNothing = false
  #if DEBUG
  /// The jobs of closed domains that this thread shares with some threads only.
  var closedDomains: HomeThread.ClosedDomains?
  #endif
  /// Called when the thread ends, while this state is still valid.
  var onEnd: (() -> Void)?
  let isMainThread: Bool
  let end = HomeThread.End()

  // Written once, before main.
  nonisolated(unsafe) static var loops: LoopProvider?

  private init() {
    #if canImport(Darwin)
    isMainThread = pthread_main_np() != 0
    #else
    isMainThread = gettid() == getpid()
    #endif
    if isMainThread { headwater_set_domain(HomeThread.mainDomain) }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { pointer in
      #if canImport(Darwin)
      ThreadState.threadEnds(pointer)
      #else
      if let pointer { ThreadState.threadEnds(pointer) }
      #endif
    }
    guard status == 0 else {
      misuse("No thread-specific key is left: the program has created more than the system allows.")
    }
    return key
  }()

  /// Handles the end of the thread. The system has removed the state, and the closures that run now need it again.
  private static func threadEnds(_ pointer: UnsafeMutableRawPointer) {
    let state = Unmanaged<ThreadState>.fromOpaque(pointer)
    pthread_setspecific(key, pointer)
    state._withUnsafeGuaranteedRef { $0.onEnd.take() }?()
    state._withUnsafeGuaranteedRef { $0.end }.come()
    HomeThread.closeDomain()
    pthread_setspecific(key, nil)
    state.release()
  }

  static var current: ThreadState { reference.takeUnretainedValue() }

  /// True on the main thread. Without a retain and a release, because each subscription checks it.
  static var isMainThread: Bool { reference._withUnsafeGuaranteedRef { $0.isMainThread } }

  /// True on the thread of a loop or of the main actor, which is the home of values that are first used there.
  static var hasHome: Bool { reference._withUnsafeGuaranteedRef { $0.isMainThread || $0.mailbox != nil } }

  /// `hasHome`, but false while a property is composed.
  static var hasHomeForSubscriptions: Bool {
    reference._withUnsafeGuaranteedRef { ($0.isMainThread || $0.mailbox != nil) && !$0.isComposing }
  }

  /// The state of the calling thread, retained by the thread until it ends.
  private static var reference: Unmanaged<ThreadState> {
    if let pointer = pthread_getspecific(key) { return .fromOpaque(pointer) }
    let state = Unmanaged.passRetained(ThreadState())
    pthread_setspecific(key, state.toOpaque())
    return state
  }
}

#if DEBUG
extension HomeThread {
  /// The jobs of closed domains for the threads that enter it. So a test that decides the turns of threads gets no jobs of other tests.
  package final class ClosedDomains: Sendable {
    let jobs = SerialJobs()

    package init() {}

    /// Makes the calling thread use these jobs from now on.
    package func enter() { ThreadState.current.closedDomains = self }

    /// Makes the calling thread use the jobs of all threads again.
    package static func leave() { ThreadState.current.closedDomains = nil }
  }
}
#endif

extension HomeThread {
  /// The end of the calling thread.
  package static var end: End { ThreadState.current.end }

  /// The end of a thread, at which jobs run on it, after its loop was shut down.
  package final class End: Sendable {
    // Any thread adds jobs. The ending thread runs them; after its end, the thread that adds a job runs it.
    private let jobs = Lock<[Transfer<() -> Void>]?>([])

    init() {}

    /// Runs `job` when the thread ends, or immediately if it has ended.
    package func atEnd(_ job: sending @escaping () -> Void) {
      let job = Transfer(job)
      let hasEnded = jobs.withLock { jobs in
        jobs?.append(job)
        return jobs == nil
      }
      if hasEnded { job.value() }
    }

    func come() {
      let jobs = jobs.withLock { $0.take() }
      for job in jobs ?? [] { job.value() }
    }
  }
}
