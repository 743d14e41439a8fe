extension HomeThread {
  /// Returns the mailbox of the domain that is observing on this thread. Traps with `message` if there is none.
  package static func requireMailbox(_ message: String) -> any Mailbox {
    guard let mailbox = Home.current(nil).mailbox else { misuse(message) }
    return mailbox
  }

  /// Calls `body` on this thread when it ends. There is one such closure; nil removes it.
  package static func onEnd(_ body: (() -> Void)?) { ThreadState.current.onEnd = body }
}
