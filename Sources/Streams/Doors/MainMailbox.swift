/// The main actor as a mailbox, for as long as no loop runs on the main thread. It serves each job as a task.
final class MainMailbox: Mailbox {
  static let shared = MainMailbox()

  var isCurrent: Bool? { ThreadState.isMainThread }

  func post(_ job: sending @escaping () -> Void) -> Bool {
    let transfer = Transfer(job)
    Task { @MainActor in transfer.value() }
    return true
  }
}
