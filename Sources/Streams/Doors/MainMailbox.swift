#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The main actor as a mailbox, for as long as no loop runs on the main thread. It serves each job as a task.
final class MainMailbox: Mailbox {
  static let shared = MainMailbox()

  var isCurrent: Bool? { ThreadState.isMainThread }

  func post(_ job: sending @escaping () -> Void) -> Bool {
    _ = Self.reportsAtExit
    let transfer = Transfer(job)
    Task { @MainActor in
      Self.hasServed.withLock { $0 = true }
      transfer.value()
    }
    return true
  }

  /// A job has run.
  private static let hasServed = Lock(false)

  /// At the end of a program without a loop that has posted a job in vain. A loop reports what it would have served.
  private static let reportsAtExit: Void = {
    atexit {
      if ThreadState.loops != nil || MainMailbox.hasServed.withLock({ $0 }) { return }
      Diagnostics.report(
        """
        The program ends, and nothing has served the main actor: what was sent to an Inlet or a Confined there has not been \
        delivered. Make main async and await the delivery, or depend on the product EventLoops and end main with \
        Loop.main.run().
        """)
    }
  }()
}
