/// The mailbox of a domain that a loop serves.
package protocol LoopHome: Mailbox {
  /// Keeps the loop running until the token is disposed. Both happen in the domain.
  func keepAlive(for reason: String) -> any Disposable

  /// Whether what is isolated to `isolation` runs on the loop's thread.
  func hosts(_ isolation: any Actor) -> Bool

  /// Resumes a task that is isolated to `isolation`, which lives here, in a job of this loop: without a hop to the global
  /// executor and back. Called on the loop's thread.
  func resume(_ continuation: UnsafeContinuation<Void, Never>, isolatedTo isolation: any Actor)

  /// The caller's task waits for something on this loop. True if the main thread waits for that task: a synchronous `run()`
  /// of the main loop then does not return before `endWait`, which the caller calls once.
  func beginWait() -> Bool

  /// Resumes the task in `resume`.
  func endWait(_ resume: () -> Void)
}

/// The loops that streams may need before the program has used one.
package struct LoopProvider: Sendable {
  /// The clock of the main thread's loop.
  let mainScheduler: @Sendable () -> any Scheduler
  /// The main thread's loop, asked on the main thread.
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
  /// Sets the loops. The implementation of the loop calls it at load time, before there is another thread.
  package static func setLoops(_ loops: LoopProvider) { ThreadState.loops = loops }
}

extension HomeThread {
  /// The actor that is observing something here and now, if no loop runs on this thread.
  package static var actorWithoutLoop: (any Actor)? { ThreadState.hasHome ? nil : ThreadState.current.isolation }
}

extension Mailbox {
  /// The mailbox as that of a loop, if a loop serves the domain. Makes the main loop if the domain is the main thread.
  package var loopHome: (any LoopHome)? {
    if self is MainMailbox { return ThreadState.isMainThread ? ThreadState.loops?.mainHome() : nil }
    return self as? any LoopHome
  }

  /// Keeps the domain's loop, if there is one, running until the token is disposed. Both happen in the domain.
  func keepAlive(for reason: String) -> any Disposable { loopHome?.keepAlive(for: reason) ?? .none }
}

extension Home {
  /// The loop that serves this home.
  var loopHome: (any LoopHome)? { mailbox?.loopHome }
}

/// A task that waits for something of a domain.
@usableFromInline
package struct Waiter {
  private let continuation: UnsafeContinuation<Void, Never>
  /// The loop on which the task lives, and its isolation.
  private let place: (loop: any LoopHome, isolation: any Actor)?

  /// A task that is isolated to `isolation` waits for something of the domain that `loop` serves.
  package init(_ continuation: UnsafeContinuation<Void, Never>, _ isolation: (any Actor)?, on loop: (any LoopHome)?) {
    self.continuation = continuation
    if let isolation, let loop, loop.hosts(isolation) { place = (loop, isolation) } else { place = nil }
  }

  @usableFromInline
  init(_ continuation: UnsafeContinuation<Void, Never>, _ isolation: (any Actor)?, on loop: WaitingLoop) {
    self.init(continuation, isolation, on: loop.home)
  }

  /// Resumes the task, once, from any thread. On the thread of its loop it needs no other thread.
  @usableFromInline
  package func resume() {
    if let place, place.loop.isCurrent == true {
      place.loop.resume(continuation, isolatedTo: place.isolation)
    } else {
      continuation.resume()
    }
  }
}

/// The loop that serves a home, if there is one: looked up once, for a task that waits again and again.
@usableFromInline
struct WaitingLoop {
  let home: (any LoopHome)?

  @usableFromInline
  init(_ home: Home) { self.home = home.loopHome }
}
