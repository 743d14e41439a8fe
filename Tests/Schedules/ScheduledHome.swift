#if canImport(Glibc)
package import EventLoops

/// A queue on a thread whose order a `Schedule` decides.
package final class ScheduledHome: @unchecked Sendable {
  // Sendable: only the thread that has the turn uses it.

  package let queue: Queue
  /// Runs at home before any thread has a turn.
  package var whenPrepared: (() -> Void)?

  /// Adds a thread that runs a queue: `first`, then the jobs that are posted, until `close` is called or no thread has anything to do.
  package init(_ name: String, in schedule: Schedule, _ first: @escaping (ScheduledHome) -> Void) {
    let queue = Queue(label: name) { schedule.thread(name, beginsLater: true, $0) }
    self.queue = queue
    // The thread runs it.
    nonisolated(unsafe) let first = first
    queue.async {
      self.whenPrepared.take()?()
      schedule.begin {
        schedule.expect(queue.isEmpty, "\(name) waits although it has jobs.")
        queue.stop()
      }
      first(self)
    }
  }

  /// True at home. Nil after it has closed.
  package var isCurrent: Bool? { queue.isCurrent }

  @discardableResult
  package func post(_ job: sending @escaping () -> Void) -> Bool { queue.post(job) }

  /// Ends the queue after the jobs that were posted before.
  package func close() { queue.stop() }
}
#endif
