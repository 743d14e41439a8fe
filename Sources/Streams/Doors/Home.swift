public import CStreams

/// The isolation domain that a confined value belongs to.
///
/// It is settled when the value is first used, not when it is made: `#isolation` is nil in the initial value of a stored
/// property. A value that is first used on a thread that belongs to nobody has no home and is never compared by thread.
@frozen @usableFromInline
struct Home {
  /// The domain's mailbox; nil if there is no domain, as on a thread of the concurrency pool outside of any actor.
  @usableFromInline let mailbox: (any Mailbox)?
  /// The domain's thread; 0 for an actor, which shares its threads, and where there is no home.
  @usableFromInline let thread: UInt
  /// False until the value is first used.
  let isSettled: Bool

  /// Not used yet.
  @usableFromInline static var unset: Home { Home(mailbox: nil, thread: 0, isSettled: false) }
  /// First used where there is no domain.
  static var nowhere: Home { Home(mailbox: nil, thread: 0, isSettled: true) }

  private init(mailbox: (any Mailbox)?, thread: UInt, isSettled: Bool) {
    self.mailbox = mailbox
    self.thread = thread
    self.isSettled = isSettled
  }

  /// The domain of a mailbox. `thread` is 0 where only the mailbox itself can tell who is at home.
  @usableFromInline
  init(at mailbox: any Mailbox, thread: UInt = 0) { self.init(mailbox: mailbox, thread: thread, isSettled: true) }

  /// Where the caller runs.
  @usableFromInline
  static func current(_ isolation: (any Actor)?) -> Home {
    let state = ThreadState.current
    if let mailbox = state.mailbox { return Home(at: mailbox, thread: headwater_thread()) }
    if state.isMainThread { return Home(at: MainMailbox.shared, thread: headwater_thread()) }
    if let isolation = isolation ?? state.isolation { return Home(at: ActorMailbox(isolation)) }
    return .nowhere
  }

  /// Makes the caller's domain the home, the first time; another home later is a programmer's error.
  @usableFromInline
  mutating func settle(_ isolation: (any Actor)? = nil, for what: StaticString) {
    if isSettled {
      verify(what)
      verifyActor(isolation, what)
    } else {
      self = ThreadState.current.settlesNothing ? .nowhere : .current(isolation)
    }
  }

  /// Whether the caller runs on another thread than home's: `verify` then stops the program, in release builds, too,
  /// unless home has closed. An actor, and a value without a home, have no thread to compare with.
  ///
  /// Cost: one comparison with a register. Asking apart from `verify` keeps the mailbox from being retained.
  @inlinable @inline(__always)
  var isOtherThread: Bool { thread != headwater_thread() && thread != 0 }

  /// Whether the caller runs here, as far as anything can tell.
  var isHere: Bool { mailbox?.isCurrent != false }

  /// Whether the caller runs here, or there is no home; false where nothing can tell.
  var isSurelyHere: Bool {
    guard let mailbox else { return true }
    return mailbox.isCurrent == true
  }

  /// A home that has closed has no thread any more: what lived there belongs to no domain.
  @usableFromInline @inline(never)
  func verify(_ what: StaticString) {
    if !isHere {
      misuse(
        """
        \(what) was used outside of the isolation domain in which it was first used. Streams and what belongs to them live \
        on one loop or in one actor: send elements there with an Inlet, change values there with a Confined, or use \
        Queue.async.
        """)
    }
  }

  /// Stops the program if another actor than home's observes.
  private func verifyActor(_ isolation: (any Actor)?, _ what: StaticString) {
    guard let home = (mailbox as? ActorMailbox)?.actor else { return }
    guard let isolation = isolation ?? ThreadState.current.isolation, isolation !== home else { return }
    misuse(
      """
      \(what) belongs to one actor and was observed in another. Send elements to the other actor with an Inlet that it \
      observes, or await the actor that owns the stream.
      """)
  }

  /// Runs `job` at home: in place where the caller is at home or there is none, posted otherwise, dropped where the home
  /// has closed. The job must own all that it needs: deinit calls this.
  ///
  /// A home that is an actor dies with the last reference to it, and what it owned dies then, on whatever thread that is.
  /// No other thread can be in that domain any more, so the job runs in place.
  @usableFromInline
  func perform(_ job: @escaping () -> Void) {
    guard let mailbox, mailbox.isCurrent != true, (mailbox as? ActorMailbox)?.isClosed != true else { return job() }
    // The job leaves this thread for the domain that owns what it captures.
    nonisolated(unsafe) let job = job
    mailbox.post(job)
  }
}

/// The thread of the caller's domain, for what is checked without a `Home` of its own; 0 if the domain has no thread.
@usableFromInline
func domainThread() -> UInt { ThreadState.hasHomeForSubscriptions ? headwater_thread() : 0 }

/// Stops the program if a subscription that was made on `thread` is used here, unless the loop of that thread has closed.
@usableFromInline @inline(never)
func usedOnForeignThread(of thread: UInt) {
  if HomeThread.hasClosed(thread) { return }
  misuse(
    """
    A subscription was paused, resumed, or disposed on another thread than the one that observes. Go back to the observer's \
    queue with Queue.async first, or keep the subscription in a Confined.
    """)
}

/// Stops the program: a producer sends from another thread than the one that observes.
@usableFromInline @inline(never)
func sentFromForeignThread() {
  misuse(
    """
    A producer sent to its observer from another thread than the one that observes. Deliver with an Inlet, which any thread \
    may send to, or go back to the observer's queue with Queue.async first.
    """)
}

/// Runs `body` as part of `isolation`: what is first used in it has its home there. Threads that a loop or the main actor
/// owns need no such help.
@usableFromInline
func withIsolation<Result>(_ isolation: any Actor, _ body: () -> Result) -> Result {
  if ThreadState.hasHome { return body() }
  let state = ThreadState.current
  let previous = state.isolation
  state.isolation = isolation
  defer { state.isolation = previous }
  return body()
}

/// The loop of a thread, for whoever implements one.
///
/// ```swift
/// print("the main thread:", HomeThread.isMain)
/// print("has a loop:", HomeThread.mailbox != nil)
/// ```
public enum HomeThread {
  /// Makes `mailbox` the home of all that is first used on this thread from now on, and `scheduler` what time-based
  /// operators use there. nil takes it back.
  public static func set(mailbox: (any Mailbox)?, scheduler: (any Scheduler)?) {
    let state = ThreadState.current
    state.mailbox = mailbox
    state.scheduler = scheduler
    if state.isMainThread { return }
    let thread = headwater_thread()
    closedThreads.withLock { if mailbox == nil { $0.insert(thread) } else { $0.remove(thread) } }
  }

  /// The threads whose loops have closed, until a new thread has the same number.
  private static let closedThreads = Lock<Set<UInt>>([])

  /// Whether the loop of `thread` has closed: what lived there belongs to no thread any more.
  static func hasClosed(_ thread: UInt) -> Bool { closedThreads.withLock { $0.contains(thread) } }

  /// Runs `body`, whose subscriptions belong to no thread: a property that is composed of others lives where it is observed,
  /// not where it is made.
  @usableFromInline
  package static func composing<Result>(_ body: () -> Result) -> Result {
    let state = ThreadState.current
    let wasComposing = state.isComposing
    state.isComposing = true
    defer { state.isComposing = wasComposing }
    return body()
  }

  /// For the thread of the package's own loop, which tasks without an isolation lend their streams to.
  package static func settleNothing() { ThreadState.current.settlesNothing = true }

  /// True on the first thread of the process.
  public static var isMain: Bool { ThreadState.current.isMainThread }

  /// The mailbox of this thread's loop, if it has one.
  public static var mailbox: (any Mailbox)? { ThreadState.current.mailbox }

  /// Runs `body` with another scheduler for the time-based operators that are observed in it: virtual time in tests.
  public static func withScheduler<Result, Failure: Error>(
    _ scheduler: any Scheduler, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let state = ThreadState.current
    let previous = state.override
    state.override = scheduler
    defer { state.override = previous }
    return try body()
  }
}
