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

/// What a thread knows of itself: the loop that lives on it, if any.
final class ThreadState {
  var mailbox: (any Mailbox)?
  var scheduler: (any Scheduler)?
  /// Instead of `scheduler`, for as long as a closure runs.
  var override: (any Scheduler)?
  /// The actor that is observing something on this thread, for as long as it takes to subscribe.
  var isolation: (any Actor)?
  /// What is subscribed to here is to live somewhere else, perhaps.
  var isComposing = false
  /// What is first used here gets no home: the streams of tasks without an isolation, which use them elsewhere afterwards.
  var settlesNothing = false
  /// Called when the thread ends, while it still knows all this.
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

  /// The system has taken the state from the thread: what runs now needs it once more.
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

  /// The same without the retain and release: for what is asked at each subscription.
  static var isMainThread: Bool { reference._withUnsafeGuaranteedRef { $0.isMainThread } }

  /// True on a thread that a loop or the main actor owns: what is first used here has its home here.
  static var hasHome: Bool { reference._withUnsafeGuaranteedRef { $0.isMainThread || $0.mailbox != nil } }

  /// The same, but false while a property is being composed.
  static var hasHomeForSubscriptions: Bool {
    reference._withUnsafeGuaranteedRef { ($0.isMainThread || $0.mailbox != nil) && !$0.isComposing }
  }

  /// The thread keeps it until it ends.
  private static var reference: Unmanaged<ThreadState> {
    if let pointer = pthread_getspecific(key) { return .fromOpaque(pointer) }
    let state = Unmanaged.passRetained(ThreadState())
    pthread_setspecific(key, state.toOpaque())
    return state
  }
}

extension HomeThread {
  /// The end of the calling thread.
  package static var end: End { ThreadState.current.end }

  /// The end of a thread, at which jobs run on it: after its loop has been shut down.
  package final class End: Sendable {
    // The jobs are handed over: made by any thread, run by the one that ends or, when that has ended, by the one that has them.
    private let jobs = Lock<[Transfer<() -> Void>]?>([])

    init() {}

    /// Runs `job` when the thread ends; at once if it has ended.
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
