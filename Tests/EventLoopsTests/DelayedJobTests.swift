import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Queue.disposableAfter", .noLiveResources)
struct DelayedJobTests {
  @Test func `it runs on the queue, once, and is disposed from then on`() async throws {
    let queue = Queue(label: "delayed")
    let labels = Lock<[String?]>([])
    let (job, wasPending): (DelayedJob, Bool) = await withCheckedContinuation { continuation in
      // This runs on the queue, so that the job cannot begin before `isDisposed` is read.
      queue.async {
        let made = Lock<DelayedJob?>(nil)
        let wasPending = Lock(false)
        let job = queue.disposableAfter(.milliseconds(1)) {
          labels.withLock { $0.append(Queue.current?.label) }
          continuation.resume(returning: (made.withLock { $0! }, wasPending.withLock { $0 }))
        }
        made.withLock { $0 = job }
        wasPending.withLock { $0 = !job.isDisposed }
      }
    }
    #expect(wasPending)
    #expect(job.isDisposed)
    job.dispose()
    queue.shutdown()
    #expect(labels.withLock { $0 } == ["delayed"])
  }

  @Test func `taken back on any thread it does not run, and what it captured is released on the queue`() async throws {
    final class Witness: Sendable {
      let releasedOn: Lock<[String?]>

      init(_ releasedOn: Lock<[String?]>) { self.releasedOn = releasedOn }

      deinit { releasedOn.withLock { $0.append(Queue.current?.label) } }
    }
    let queue = Queue(label: "home")
    let releasedOn = Lock<[String?]>([])
    let ran = Lock(0)
    for isAtHome in [true, false] {
      let job = queue.disposableAfter(.seconds(100)) { [witness = Witness(releasedOn)] in
        ran.withLock { $0 += 1 }
        _ = witness
      }
      if isAtHome { queue.async { job.dispose() } } else { job.dispose() }
      try await onOwnThread { try queue.sync {} }
      #expect(job.isDisposed)
      job.dispose()
    }
    // The shutdown releases the pending job.
    let left = queue.disposableAfter(.seconds(100)) { [witness = Witness(releasedOn)] in
      _ = witness
    }
    queue.shutdown()
    #expect(left.isDisposed)
    #expect(releasedOn.withLock { $0 } == ["home", "home", "home"])
    #expect(ran.withLock { $0 } == 0)
    #expect(queue.disposableAfter(.zero) { ran.withLock { $0 += 1 } }.isDisposed)
  }

  @Test func `taken back while it becomes due it runs or it does not, but never after dispose has returned`()
    async throws
  {
    let queue = Queue(label: "race")
    try await onOwnThread {
      for _ in 0..<500 {
        let isOver = Lock(false)
        let wasLate = Lock(false)
        // The job records a problem if it runs after `isOver` has been set.
        let job = queue.disposableAfter(.zero) { if isOver.withLock({ $0 }) { wasLate.withLock { $0 = true } } }
        job.dispose()
        // A job that was running has ended when this returns.
        try queue.sync {}
        isOver.withLock { $0 = true }
        try queue.sync {}
        #expect(!wasLate.withLock { $0 })
      }
    }
    queue.shutdown()
  }
}
