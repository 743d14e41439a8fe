/// The mailbox of a domain that a loop serves.
package protocol LoopHome: Mailbox {
  /// Keeps the loop running until the token is disposed. Both happen in the domain.
  func keepAlive(for reason: String) -> any Disposable

  /// The executor on which a task that is isolated to `isolation`, and waits for something of this domain, resumes on the
  /// loop's thread without a hop to another one; nil if `isolation` does not live here.
  func executor(resuming isolation: any Actor) -> (any TaskExecutor)?
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
  var loopHome: (any LoopHome)? {
    if case .at(let mailbox) = self { return mailbox.loopHome }
    return nil
  }
}

/// Suspends the task until the continuation that `body` gets is resumed. If the caller's isolation lives on the loop of
/// `home`, the task resumes on the loop's thread, without a hop to the global executor and back.
package func suspend(
  isolation: isolated (any Actor)?, on home: (any LoopHome)?, _ body: (UnsafeContinuation<Void, Never>) -> Void
) async {
  let executor = isolation.flatMap { home?.executor(resuming: $0) }
  if let executor {
    await withTaskExecutorPreference(executor, isolation: isolation) {
      await withUnsafeContinuation(isolation: isolation) { body($0) }
    }
  } else {
    await withUnsafeContinuation(isolation: isolation) { body($0) }
  }
}
