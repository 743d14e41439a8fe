public import Dispatch
public import Streams

extension ExecutionContext {
  /// The main queue: jobs run on the main loop, on its next turn.
  public static var main: ExecutionContext { Queue.main.context }

  /// At once where the caller runs on `queue` already and nothing is queued there; on the queue's next turn otherwise. Jobs
  /// never overtake each other.
  public static func immediate(on queue: Queue) -> ExecutionContext {
    ExecutionContext { [mailbox = queue.mailbox] job in
      if mailbox.isCurrent == true, mailbox.isIdle { job() } else { _ = mailbox.post(job) }
    }
  }

  /// A queue of libdispatch.
  public static func dispatch(_ queue: DispatchQueue) -> ExecutionContext {
    ExecutionContext { job in
      // Given up by the caller: Dispatch's closures are @Sendable, not sending.
      nonisolated(unsafe) let job = job
      queue.async { job() }
    }
  }
}

extension Loop {
  /// The loop as an execution context: closures run on its thread, in a later loop iteration, in order.
  public var context: ExecutionContext { ExecutionContext(mailbox) }
}
