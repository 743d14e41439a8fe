public import Streams

extension Queue: Mailbox {
  /// Runs `job` on the queue, after the jobs that the same thread posted before.
  ///
  /// Returns false if the queue has shut down; the job is then released without running. Equal to `async`.
  @discardableResult
  public func post(_ job: sending @escaping () -> Void) -> Bool { mailbox.post(job) }

  /// True if the caller runs on the queue's thread. Nil after the queue has shut down.
  public var isCurrent: Bool? { mailbox.isCurrent }

  /// True if no job is pending. Call it on the queue's thread.
  package var isEmpty: Bool { mailbox.isEmpty }
}

// What is released on the queue is also released there while the queue is shutting down.
extension Queue: ClosingMailbox {
  package func postWhileClosing(_ job: sending @escaping () -> Void) -> Bool { mailbox.postWhileClosing(job) }

  package func notifyOfClosing(_ observer: any ClosingObserver) -> Bool { mailbox.notifyOfClosing(observer) }
}
