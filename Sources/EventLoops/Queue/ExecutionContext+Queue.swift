public import Dispatch
public import Streams

extension ExecutionContext {
  /// The main queue: jobs run on the main loop, in its next iteration.
  public static var main: ExecutionContext { Queue.main.context }

  /// Runs jobs at once if the caller runs on `queue` and nothing is queued there, and in the queue's next loop
  /// iteration otherwise. Jobs never overtake each other.
  public static func immediate(on queue: Queue) -> ExecutionContext {
    .attempting { [mailbox = queue.mailbox] job in
      if mailbox.isCurrent != true || !mailbox.isIdle { return mailbox.post(job) }
      job()
      return true
    }
  }

  /// A libdispatch queue.
  public static func dispatch(_ queue: DispatchQueue) -> ExecutionContext {
    ExecutionContext { job in
      // The caller gives the job up. Dispatch requires @Sendable closures and does not accept sending ones.
      nonisolated(unsafe) let job = job
      queue.async { job() }
    }
  }
}

extension Loop {
  /// The loop as an execution context: closures run on its thread, in a later loop iteration, in order.
  public var context: ExecutionContext { ExecutionContext(mailbox) }
}
