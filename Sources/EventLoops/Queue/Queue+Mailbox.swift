public import Streams

extension Queue: Mailbox {
  /// Runs `job` on the queue, after the jobs that the same thread posted before.
  ///
  /// Returns false if the queue has shut down; the job is then released without running. Equal to `async`.
  @discardableResult
  public func post(_ job: sending @escaping () -> Void) -> Bool { mailbox.post(job) }

  /// True if the caller runs on the queue's thread. Nil after the queue has shut down.
  public var isCurrent: Bool? { mailbox.isCurrent }
}
