public import Streams

/// The queue of the main thread. Its closures run on the main actor.
///
/// Posted jobs run when `Loop.main` runs; until then they wait.
public struct MainQueue: Sendable {
  static let mailbox = LoopMailbox(isMain: true)
  static let queue = Queue(main: mailbox)

  /// The main queue as a plain `Queue`, whose closures are not isolated to an actor.
  public var queue: Queue { Self.queue }

  /// Runs `job` on the main actor, on the main loop, after the jobs that the same thread posted before.
  ///
  /// Returns false if the main loop has been shut down; the job is then released without running.
  @discardableResult
  public func async(_ job: @escaping @MainActor () -> Void) -> Bool {
    Self.mailbox.post { MainActor.assumeIsolated(job) }
  }

  /// Runs `body` on the main actor and waits for its result. On the main thread, it runs in place.
  ///
  /// Throws the error of `body`, or `LoopClosed` if the main loop has been shut down. Traps if the main thread waits
  /// for the caller's queue. Waits forever if the main loop never runs.
  public func sync<Result: Sendable>(_ body: @MainActor () throws -> Result) throws -> Result {
    try withoutActuallyEscaping(body) { body in
      try Self.queue.sync { try MainActor.assumeIsolated(body) }
    }
  }

  /// Runs `job` on the main actor after `delay`, unless the main loop shuts down before.
  ///
  /// Returns false if the main loop has already been shut down; the job is then released without running.
  @discardableResult
  public func after(_ delay: Duration, _ job: @escaping @MainActor () -> Void) -> Bool {
    Self.queue.after(delay) { MainActor.assumeIsolated(job) }
  }

  /// Makes `Loop.main.run()` return, from any thread.
  public func stop() { Self.queue.stop() }

  /// The main queue as an execution context.
  public var context: ExecutionContext { Self.queue.context }
}
