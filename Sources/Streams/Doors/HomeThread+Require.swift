extension HomeThread {
  /// The mailbox of the domain that observes something here and now; stops the program with `message` where there is none.
  package static func requireMailbox(_ message: String) -> any Mailbox {
    guard let mailbox = Home.current(nil).mailbox else { misuse(message) }
    return mailbox
  }

  /// Has `body` called when this thread ends, on it; nil takes that back. There is one such closure.
  package static func onEnd(_ body: (() -> Void)?) { ThreadState.current.onEnd = body }
}
