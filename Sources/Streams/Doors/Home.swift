/// The isolation domain that a confined value belongs to.
///
/// It is settled when the value is first used, not when it is made: `#isolation` is nil in the initial value of a stored
/// property. A value that is first used on a thread that belongs to nobody has no home and is never compared by thread.
@usableFromInline
enum Home {
  /// Not used yet.
  case unset
  /// Used first where nobody lives, such as a thread of the concurrency pool outside of any actor.
  case nowhere
  case at(any Mailbox)

  /// Where the caller runs.
  @usableFromInline
  static func current(_ isolation: (any Actor)?) -> Home {
    let state = ThreadState.current
    if let mailbox = state.mailbox { return .at(mailbox) }
    if state.isMainThread { return .at(MainMailbox.shared) }
    if let isolation = isolation ?? state.isolation { return .at(ActorMailbox(isolation)) }
    return .nowhere
  }

  /// Makes the caller's domain the home, the first time; another home later is a misuse.
  @usableFromInline
  mutating func settle(_ isolation: (any Actor)? = nil, for what: StaticString) {
    if case .unset = self { self = .current(isolation) } else { verify(what) }
  }

  /// Stops the program when the caller runs in another domain. Debug builds only.
  @usableFromInline
  func check(_ what: StaticString) {
    #if DEBUG
    verify(what)
    #endif
  }

  /// Whether the caller runs here, as far as anything can tell.
  var isHere: Bool {
    if case .at(let mailbox) = self { return mailbox.isCurrent != false }
    return true
  }

  /// Whether the caller runs here, or there is no home; false where nothing can tell.
  var isSurelyHere: Bool {
    if case .at(let mailbox) = self { return mailbox.isCurrent == true }
    return true
  }

  private func verify(_ what: StaticString) {
    if case .at(let mailbox) = self, mailbox.isCurrent == false {
      misuse(
        """
        \(what) is used outside of the isolation domain in which it was first used. Streams and what belongs to them live \
        on one loop or actor: send elements there with an Inlet, change values there with a Confined, or use \
        Queue.async. A program whose main is async starts with Loop.run { … } in a synchronous main: a plain async main leaves \
        the main thread at its first await.
        """)
    }
  }

  /// Runs `job` at home: in place where the caller is at home or there is none, posted otherwise, dropped where the home
  /// has closed. The job must own all that it needs: deinit calls this.
  ///
  /// A home that is an actor dies with the last reference to it, and what it owned dies then, on whatever thread that is.
  /// No other thread can be in that domain any more, so the job runs in place.
  @usableFromInline
  func perform(_ job: @escaping () -> Void) {
    if case .at(let mailbox) = self, let actor = mailbox as? ActorMailbox, actor.isClosed {
      job()
    } else if case .at(let mailbox) = self, mailbox.isCurrent != true {
      // The job leaves this thread for the domain that owns what it captures.
      nonisolated(unsafe) let job = job
      mailbox.post(job)
    } else {
      job()
    }
  }
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
  }

  /// True on the first thread of the process.
  public static var isMain: Bool { ThreadState.current.isMainThread }

  /// The mailbox of this thread's loop, if it has one.
  public static var mailbox: (any Mailbox)? { ThreadState.current.mailbox }

  /// Runs `body` with another scheduler for the time-based operators that are observed in it: virtual time in tests.
  public static func withScheduler<Result, Failure: Error>(
    _ scheduler: any Scheduler, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let state = ThreadState.current
    let previous = state.scheduler
    state.scheduler = scheduler
    defer { state.scheduler = previous }
    return try body()
  }
}
