#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The mailbox of the main actor while the main thread has no loop. Each job is a task.
final class MainMailbox: Mailbox {
  static let shared = MainMailbox()

  var isCurrent: Bool? { ThreadState.isMainThread }

  func post(_ job: sending @escaping () -> Void) -> Bool {
    _ = Self.reportsAtExit
    let transfer = Transfer(recorded("posted to the main actor", job))
    Task { @MainActor in
      Self.hasServed.withLock { $0 = true }
      transfer.value()
    }
    return true
  }

  /// True after a job has run.
  private static let hasServed = Lock(false)

  /// Reports at exit if a program without a loop posted a job that never ran. A loop makes its own report.
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
