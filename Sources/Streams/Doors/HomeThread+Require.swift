extension HomeThread {
  /// The mailbox of the domain that observes something here and now; stops the program with `message` where there is none.
  package static func requireMailbox(_ message: String) -> any Mailbox {
    guard case .at(let mailbox) = Home.current(nil) else { misuse(message) }
    return mailbox
  }
}
