/// The mailbox of a domain that a loop serves.
package protocol LoopHome: Mailbox {
  /// Keeps the loop running until the result is disposed. Call both in the domain.
  func keepAlive(for reason: String) -> any Disposable

  /// Returns whether code that is isolated to `isolation` runs on the loop's thread.
  func hosts(_ isolation: any Actor) -> Bool

  /// Resumes a task that is isolated to `isolation` in a job of this loop, without a hop to the global executor. Call it on the
  /// loop's thread.
  func resume(_ continuation: UnsafeContinuation<Void, Never>, isolatedTo isolation: any Actor)

  /// Begins the wait of the caller's task for this loop. Returns true if the main thread waits for that task: a synchronous `run()`
  /// of the main loop then does not return before `endWait`, which the caller must call once.
  func beginWait() -> Bool

  /// Resumes the task in `resume`.
  func endWait(_ resume: () -> Void)
}

/// The loops that streams can need before the program has used one.
package struct LoopProvider: Sendable {
  /// The clock of the main thread's loop.
  let mainScheduler: @Sendable () -> any Scheduler
  /// The main thread's loop. Called on the main thread.
  let mainHome: @Sendable () -> any LoopHome
  /// A loop of the package's own, which is never shut down.
  let shared: @Sendable () -> any LoopHome

  package init(
    mainScheduler: @escaping @Sendable () -> any Scheduler, mainHome: @escaping @Sendable () -> any LoopHome,
    shared: @escaping @Sendable () -> any LoopHome
  ) {
    self.mainScheduler = mainScheduler
    self.mainHome = mainHome
    self.shared = shared
  }
}

extension HomeThread {
  /// Sets the loops. The loop's module calls it at load time, before there is another thread.
  package static func setLoops(_ loops: LoopProvider) { ThreadState.loops = loops }
}

extension HomeThread {
  /// The actor that is observing on this thread, if the thread has no loop.
  package static var actorWithoutLoop: (any Actor)? { ThreadState.hasHome ? nil : ThreadState.current.isolation }
}

extension Mailbox {
  /// The mailbox as a `LoopHome`, if a loop serves the domain. Creates the main loop if the domain is the main thread.
  package var loopHome: (any LoopHome)? {
    if self is MainMailbox { return ThreadState.isMainThread ? ThreadState.loops?.mainHome() : nil }
    return self as? any LoopHome
  }

  /// Keeps the domain's loop, if there is one, running until the result is disposed. Call both in the domain.
  func keepAlive(for reason: String) -> any Disposable { loopHome?.keepAlive(for: reason) ?? .none }
}

extension Home {
  /// The loop that serves this home.
  var loopHome: (any LoopHome)? { mailbox?.loopHome }
}

/// A task that waits for a domain.
@usableFromInline
package struct Waiter {
  private let continuation: UnsafeContinuation<Void, Never>
  /// The loop and the isolation of the task.
  private let place: (loop: any LoopHome, isolation: any Actor)?

  /// Creates a waiter for a task that is isolated to `isolation` and waits for the domain of `loop`.
  package init(_ continuation: UnsafeContinuation<Void, Never>, _ isolation: (any Actor)?, on loop: (any LoopHome)?) {
    self.continuation = continuation
    if let isolation, let loop, loop.hosts(isolation) { place = (loop, isolation) } else { place = nil }
  }

  @usableFromInline
  init(_ continuation: UnsafeContinuation<Void, Never>, _ isolation: (any Actor)?, on loop: WaitingLoop) {
    self.init(continuation, isolation, on: loop.home)
  }

  /// Resumes the task once, from any thread. On the thread of the task's loop this needs no other thread.
  @usableFromInline
  package func resume() {
    if let place, place.loop.isCurrent == true {
      place.loop.resume(continuation, isolatedTo: place.isolation)
    } else {
      continuation.resume()
    }
  }
}

/// The loop that serves a home, if there is one. Looked up once, for a task that waits repeatedly.
@usableFromInline
struct WaitingLoop {
  let home: (any LoopHome)?

  @usableFromInline
  init(_ home: Home) { self.home = home.loopHome }
}
