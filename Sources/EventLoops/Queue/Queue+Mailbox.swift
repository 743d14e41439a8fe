public import Streams

extension Queue: Mailbox {
  /// Runs `job` on the queue. The same as `async`.
  @discardableResult
  public func post(_ job: sending @escaping () -> Void) -> Bool { mailbox.post(job) }

  /// Whether the caller runs on the queue's thread; never nil.
  public var isCurrent: Bool? { mailbox.isCurrent }
}
