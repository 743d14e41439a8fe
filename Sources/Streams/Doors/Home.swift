public import CStreams

/// The isolation domain that a confined value belongs to.
///
/// It is settled when the value is first used, not when it is made: `#isolation` is nil in the initial value of a stored
/// property. A value that is first used on a thread that belongs to nobody has no home and is never compared by thread.
@frozen @usableFromInline
struct Home {
  /// The domain's mailbox; nil if there is no domain, as on a thread of the concurrency pool outside of any actor.
  @usableFromInline let mailbox: (any Mailbox)?
  /// The number of the domain that owns the thread; 0 for an actor, which shares its threads, and where there is no home.
  @usableFromInline let domain: UInt
  /// False until the value is first used.
  let isSettled: Bool

  /// Not used yet.
  @usableFromInline static var unset: Home { Home(mailbox: nil, domain: 0, isSettled: false) }
  /// First used where there is no domain.
  static var nowhere: Home { Home(mailbox: nil, domain: 0, isSettled: true) }

  private init(mailbox: (any Mailbox)?, domain: UInt, isSettled: Bool) {
    self.mailbox = mailbox
    self.domain = domain
    self.isSettled = isSettled
  }

  /// The domain of a mailbox. `domain` is 0 where only the mailbox itself can tell who is at home.
  @usableFromInline
  init(at mailbox: any Mailbox, domain: UInt = 0) { self.init(mailbox: mailbox, domain: domain, isSettled: true) }

  /// Where the caller runs.
  @usableFromInline
  static func current(_ isolation: (any Actor)?) -> Home {
    let state = ThreadState.current
    if let mailbox = state.mailbox { return Home(at: mailbox, domain: headwater_domain()) }
    if state.isMainThread { return Home(at: MainMailbox.shared, domain: headwater_domain()) }
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
  /// Cost: one load and a comparison. Asking apart from `verify` keeps the mailbox from being retained.
  @inlinable @inline(__always)
  var isOtherThread: Bool { headwater_is_outside(domain) }

  /// Whether home is settled and owns the caller's thread: `settle` would find nothing wrong. One load and two comparisons.
  @inlinable @inline(__always)
  var isThisThread: Bool { domain != 0 && !headwater_is_outside(domain) }

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
        Queue.async.\(HomeThread.adviceWithoutLoop(for: domain))
        """)
    }
  }

  /// Whether home was a loop that has closed: no observer is to be notified any more.
  var hasClosed: Bool {
    guard let mailbox, !(mailbox is ActorMailbox) else { return false }
    return mailbox.isCurrent == nil
  }

  /// Stops the program if another actor than home's observes.
  private func verifyActor(_ isolation: (any Actor)?, _ what: StaticString) {
    guard let home = (mailbox as? ActorMailbox)?.actor else { return }
    if let isolation = isolation ?? ThreadState.current.isolation {
      if isolation === home { return }
    } else if !ThreadState.hasHome {
      return
    }
    misuse(
      """
      \(what) belongs to one actor and was observed in another. Send elements to the other actor with an Inlet that it \
      observes, or await the actor that owns the stream.
      """)
  }

  /// Runs `job` at home: in place where the caller is at home or there is none, posted otherwise. The job must own all that
  /// it needs: deinit calls this.
  ///
  /// Where the home has closed, what lived there belongs to no domain: the job runs on this thread, but not beside another
  /// such job. An actor dies with the last reference to it, and no other thread can be in its domain: the job runs in place.
  @usableFromInline
  func perform(_ job: @escaping () -> Void) {
    guard let mailbox, mailbox.isCurrent != true, (mailbox as? ActorMailbox)?.isClosed != true else { return job() }
    // The job leaves this thread for the domain that owns what it captures.
    nonisolated(unsafe) let job = job
    if !mailbox.postWhileClosing(job), Home.leftBehind.append(job) { Home.leftBehind.run() }
  }

  /// The jobs of domains that have closed, run by the threads that release the last references.
  private static let leftBehind = SerialJobs()
}

/// The number of the domain that owns the caller's thread, for what is checked without a `Home` of its own; 0 if none does.
@usableFromInline
func currentDomain() -> UInt { ThreadState.hasHomeForSubscriptions ? headwater_domain() : 0 }

/// Stops the program if a subscription that was made in `domain` is used here, unless the loop of that domain has closed.
@usableFromInline @inline(never)
func subscriptionUsedOutside(of domain: UInt) {
  if HomeThread.hasClosed(domain) { return }
  misuse(
    """
    A subscription was paused, resumed, or disposed on another thread than the one that observes. Go back to the observer's \
    queue with Queue.async first, or keep the subscription in a Confined.\(HomeThread.adviceWithoutLoop(for: domain))
    """)
}

/// Stops the program: a producer sends here to an observer in `domain`. Returns if the loop of that domain has closed: its
/// streams deliver no more elements.
@usableFromInline @inline(never)
func producerSentOutside(of domain: UInt) {
  if HomeThread.hasClosed(domain) { return }
  misuse(
    """
    A producer sent to its observer from another thread than the one that observes. Deliver with an Inlet, which any thread \
    may send to, or go back to the observer's queue with Queue.async first.\(HomeThread.adviceWithoutLoop(for: domain))
    """)
}

/// Runs `body` as part of `isolation`: what is first used in it has its home there. Threads that a loop or the main actor
/// owns need no such help.
@usableFromInline
func withIsolation<Result>(_ isolation: any Actor, _ body: () -> Result) -> Result {
  if isolation === MainActor.shared, ThreadState.hasHome { return body() }
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
    let isSame = mailbox != nil && state.mailbox === mailbox
    state.mailbox = mailbox
    state.scheduler = scheduler
    if state.isMainThread { return }
    if isSame { return }
    let old = headwater_domain()
    let (new, address) = domains.withLock { domains -> (UInt, UInt) in
      domains.open[old] = nil
      if mailbox == nil { return (0, 0) }
      domains.last += 1
      let table = OpenSubscriptions(domain: domains.last)
      domains.open[domains.last] = table
      return (domains.last, UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque()))
    }
    headwater_set_domain(new)
    headwater_set_open_subscriptions(UnsafeMutableRawPointer(bitPattern: address))
  }

  /// The thread ends: whatever lived on it belongs to no thread any more.
  static func closeDomain() {
    let number = headwater_domain()
    if number != 0, number != mainDomain { domains.withLock { $0.open[number] = nil } }
    headwater_set_open_subscriptions(nil)
  }

  /// What else may be the cause if the main thread owns `domain`, in a program without a loop.
  static func adviceWithoutLoop(for domain: UInt) -> String {
    if domain != mainDomain || ThreadState.loops != nil { return "" }
    return """
       After dispatchMain() other threads serve the main actor: make main async instead, or depend on the product \
      EventLoops and call Loop.main.run().
      """
  }

  /// The number of the main thread's domain, which never closes.
  static let mainDomain: UInt = 1

  /// The domains whose loops are open, by number, and the last number that was given.
  private static let domains = Lock<(open: [UInt: OpenSubscriptions], last: UInt)>(([:], mainDomain))

  /// Calls `body` under the lock of all domains, with the subscriptions of `domain`, or with nil if that has closed.
  static func withTable<Result>(of domain: UInt32, _ body: (OpenSubscriptions?) -> Result) -> Result {
    domains.withLock { domains in
      // Made under the lock, and the caller's.
      nonisolated(unsafe) let result = body(domains.open[UInt(domain)])
      return result
    }
  }

  /// Whether the loop of `domain` has closed: what lived there belongs to no thread any more.
  package static func hasClosed(_ domain: UInt) -> Bool {
    domain != mainDomain && domains.withLock { $0.open[domain] == nil }
  }

  /// The number of the domain that owns the calling thread; 0 if none does.
  package static var domain: UInt { ThreadState.hasHome ? headwater_domain() : 0 }

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
