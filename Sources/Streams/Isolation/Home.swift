public import CStreams

/// The isolation domain to which a confined value belongs.
///
/// The first use settles it, not the initializer, because `#isolation` is nil in the initial value of a stored property. A value
/// that is first used on a thread without a domain has no home, and its thread is never checked.
@frozen @usableFromInline
struct Home {
  /// The domain's mailbox, or nil without a domain, as on a thread of the concurrency pool outside an actor.
  @usableFromInline let mailbox: (any Mailbox)?
  /// The ID of the domain that owns the thread, or 0 for an actor, which shares its threads, and without a home.
  @usableFromInline let domain: UInt
  /// False until the value is first used.
  let isSettled: Bool

  /// The home of a value that was not used yet.
  @usableFromInline static var unset: Home { Home(mailbox: nil, domain: 0, isSettled: false) }
  /// The home of a value that was first used without a domain.
  static var nowhere: Home { Home(mailbox: nil, domain: 0, isSettled: true) }

  private init(mailbox: (any Mailbox)?, domain: UInt, isSettled: Bool) {
    self.mailbox = mailbox
    self.domain = domain
    self.isSettled = isSettled
  }

  /// Creates the home of a mailbox. `domain` is 0 if only the mailbox can identify its domain.
  @usableFromInline
  init(at mailbox: any Mailbox, domain: UInt = 0) { self.init(mailbox: mailbox, domain: domain, isSettled: true) }

  /// The domain of the caller.
  @usableFromInline
  static func current(_ isolation: (any Actor)?) -> Home {
    let state = ThreadState.current
    if let mailbox = state.mailbox { return Home(at: mailbox, domain: headwater_domain()) }
    if state.isMainThread { return Home(at: MainMailbox.shared, domain: headwater_domain()) }
    if let isolation = isolation ?? state.isolation { return Home(at: ActorMailbox(isolation)) }
    return .nowhere
  }

  /// Settles the caller's domain as the home on first use. Traps if the home is another domain.
  @usableFromInline
  mutating func settle(_ isolation: (any Actor)? = nil, for what: StaticString) {
    if isSettled {
      verify(what)
      verifyActor(isolation, what)
    } else {
      self = ThreadState.current.settlesNothing ? .nowhere : .current(isolation)
    }
  }

  /// True if the caller is not on the thread of the home; `verify` then traps, even in release builds, unless the home has closed.
  /// An actor, and a value without a home, have no thread to compare with.
  ///
  /// - Complexity: One load and a comparison. Separate from `verify`, so that the mailbox is not retained.
  @inlinable @inline(__always)
  var isOtherThread: Bool { headwater_is_outside(domain) }

  /// True if the home is settled and owns the caller's thread, so that `settle` is not needed. One load and two
  /// comparisons.
  @inlinable @inline(__always)
  var isThisThread: Bool { domain != 0 && !headwater_is_outside(domain) }

  /// True if the caller is in the home domain, or if this cannot be decided.
  var isHere: Bool { mailbox?.isCurrent != false }

  /// True if the caller is in the home domain, or there is no home. False if this cannot be decided.
  var isSurelyHere: Bool {
    guard let mailbox else { return true }
    return mailbox.isCurrent == true
  }

  /// Checks the thread, unless the home has closed: its values belong to no domain.
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

  /// True if the home was a loop that has closed, so that no observer is notified.
  var hasClosed: Bool {
    guard let mailbox, !(mailbox is ActorMailbox) else { return false }
    return mailbox.isCurrent == nil
  }

  /// Traps if an actor other than the home observes.
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

  /// Runs `job` in the home domain: immediately if the caller is in the home domain or there is none, otherwise posted. The job must
  /// own all values that it uses, because deinitializers call this.
  ///
  /// If the home has closed, its values belong to no domain, and the job runs on this thread, one such job at a time. If the home
  /// is an actor that was deallocated, no thread can be in its domain, and the job runs immediately.
  @usableFromInline
  func perform(_ job: @escaping () -> Void) {
    guard let mailbox, mailbox.isCurrent != true, (mailbox as? ActorMailbox)?.isClosed != true else { return job() }
    // Sent to the domain that owns its captures.
    nonisolated(unsafe) let job = job
    if !mailbox.postWhileClosing(job), Home.leftBehind.append(job) { Home.leftBehind.run() }
  }

  /// The jobs of closed domains. The threads that release the last references run them.
  private static var leftBehind: SerialJobs {
    #if DEBUG
    if let domains = ThreadState.current.closedDomains { return domains.jobs }
    #endif
    return ofAllThreads
  }

  private static let ofAllThreads = SerialJobs()
}

/// Returns the ID of the domain that owns the caller's thread, or 0. For values that are checked without a `Home`.
@usableFromInline
func currentDomain() -> UInt { ThreadState.hasHomeForSubscriptions ? headwater_domain() : 0 }

/// Traps if a subscription of `domain` is used here, unless the loop of that domain has closed.
@usableFromInline @inline(never)
func subscriptionUsedOutside(of domain: UInt) {
  if HomeThread.hasClosed(domain) { return }
  misuse(
    """
    A subscription was paused, resumed, or disposed on another thread than the one that observes. Go back to the observer's \
    queue with Queue.async first, or keep the subscription in a Confined.\(HomeThread.adviceWithoutLoop(for: domain))
    """)
}

/// Traps because a producer sends here to an observer in `domain`. Returns if the loop of that domain has closed, whose streams
/// deliver no more elements.
@usableFromInline @inline(never)
func producerSentOutside(of domain: UInt) {
  if HomeThread.hasClosed(domain) { return }
  misuse(
    """
    A producer sent to its observer from another thread than the one that observes. Deliver with an Inlet, which any thread \
    may send to, or go back to the observer's queue with Queue.async first.\(HomeThread.adviceWithoutLoop(for: domain))
    """)
}

/// Runs `body` as part of `isolation`: values that are first used in it have their home there. Threads of a loop or of the main
/// actor do not need this.
@usableFromInline
func withIsolation<Result>(_ isolation: any Actor, _ body: () -> Result) -> Result {
  if isolation === MainActor.shared, ThreadState.hasHome { return body() }
  let state = ThreadState.current
  let previous = state.isolation
  state.isolation = isolation
  defer { state.isolation = previous }
  return body()
}

/// The loop of the calling thread, for the implementation of a loop.
@usableFromInline
package enum HomeThread {
  /// Sets the home of values that are first used on this thread from now on, and the clock of time-based operators. Nil removes them.
  package static func set(mailbox: (any Mailbox)?, scheduler: (any Scheduler)?) {
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

  /// Closes the domain of the calling thread. Its values belong to no thread afterwards.
  static func closeDomain() {
    let number = headwater_domain()
    if number != 0, number != mainDomain { domains.withLock { $0.open[number] = nil } }
    headwater_set_open_subscriptions(nil)
  }

  /// Another possible cause, for a message, if the main thread owns `domain` in a program without a loop.
  static func adviceWithoutLoop(for domain: UInt) -> String {
    if domain != mainDomain || ThreadState.loops != nil { return "" }
    return """
       After dispatchMain() other threads serve the main actor: make main async instead, or depend on the product \
      EventLoops and call Loop.main.run().
      """
  }

  /// The ID of the main thread's domain, which never closes.
  static let mainDomain: UInt = 1

  /// The domains whose loops are open, by ID, and the last ID.
  private static let domains = Lock<(open: [UInt: OpenSubscriptions], last: UInt)>(([:], mainDomain))

  /// Calls `body` under the lock of all domains, with the subscriptions of `domain`, or with nil if that has closed.
  static func withTable<Result>(of domain: UInt32, _ body: (OpenSubscriptions?) -> Result) -> Result {
    domains.withLock { domains in
      // Created under the lock, and owned by the caller.
      nonisolated(unsafe) let result = body(domains.open[UInt(domain)])
      return result
    }
  }

  /// Returns whether the loop of `domain` has closed, so that its values belong to no thread.
  package static func hasClosed(_ domain: UInt) -> Bool {
    domain != mainDomain && domains.withLock { $0.open[domain] == nil }
  }

  /// The ID of the domain that owns the calling thread, or 0.
  package static var domain: UInt { ThreadState.hasHome ? headwater_domain() : 0 }

  /// Runs `body`, whose subscriptions belong to no thread, because a composed property has its home where it is observed and not
  /// where it is created.
  @usableFromInline
  package static func composing<Result>(_ body: () -> Result) -> Result {
    let state = ThreadState.current
    let wasComposing = state.isComposing
    state.isComposing = true
    defer { state.isComposing = wasComposing }
    return body()
  }

  /// Settles no home on this thread. For the package's own loop, to which tasks without an isolation lend their streams.
  package static func settleNothing() { ThreadState.current.settlesNothing = true }

  /// True on the first thread of the process.
  package static var isMain: Bool { ThreadState.current.isMainThread }

  /// The mailbox of this thread's loop, if it has one.
  package static var mailbox: (any Mailbox)? { ThreadState.current.mailbox }

  /// Runs `body` with another scheduler for the time-based operators that are observed in it, for virtual time in tests.
  package static func withScheduler<Result, Failure: Error>(
    _ scheduler: any Scheduler, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let state = ThreadState.current
    let previous = state.override
    state.override = scheduler
    defer { state.override = previous }
    return try body()
  }
}
