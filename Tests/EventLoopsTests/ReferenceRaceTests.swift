import Dispatch
import EventLoops
import Streams
import StreamsTesting
import TestSupport
import Testing

/// Objects whose last reference one thread releases while another loads a weak one. The schedules of Tests/SchedulesTests have no step
/// inside the runtime's reference counts, so these are left to luck and ThreadSanitizer.
@Suite("Last references", .noLiveResources, .timeLimit(.minutes(60)))
struct ReferenceRaceTests {
  /// Counts the deallocations, and whether each was on the queue.
  private final class Guest: Sendable {
    let isHome: @Sendable () -> Bool
    let counts: Lock<(all: Int, astray: Int)>

    init(_ counts: Lock<(all: Int, astray: Int)>, _ isHome: @escaping @Sendable () -> Bool) {
      (self.counts, self.isHome) = (counts, isHome)
    }

    deinit {
      let isHome = isHome()
      counts.withLock { counts in
        counts.all += 1
        if !isHome { counts.astray += 1 }
      }
    }
  }

  /// Runs `body` at the same time on some threads, with the number of each.
  private static func together(_ threads: Int = 3, _ body: @escaping @Sendable (Int) -> Void) async throws {
    try await onOwnThread { DispatchQueue.concurrentPerform(iterations: threads) { body($0) } }
  }

  @Test func `a queue's last reference is released while its jobs load it: each job runs`() async throws {
    for round in 0..<Effort.rounds {
      let (ran, ended) = (Lock(0), DispatchGroup())
      let references = Lock<[Queue]>([])
      do {
        let queue = Queue(label: "last")
        references.withLock { $0 = [queue, queue, queue] }
      }
      try await Self.together { _ in
        let queue = references.withLock { $0.removeLast() }
        for _ in 0..<4 {
          ended.enter()
          queue.async {
            // Loads the weak reference of the queue's mailbox.
            if let current = Queue.current { #expect(current.label == "last") }
            ran.withLock { $0 += 1 }
            ended.leave()
          }
        }
      }
      try await onOwnThread { ended.wait() }
      #expect(ran.withLock { $0 } == 12, "round \(round)")
    }
  }

  @Test func `a confined value is released once, on its queue, whichever thread or job releases the box last`()
    async throws
  {
    let queue = Queue(label: "home")
    let counts = Lock((all: 0, astray: 0))
    for _ in 0..<Effort.rounds {
      let boxes = Lock<[Confined<Guest>]>([])
      do {
        let box = Confined(at: queue) { Guest(counts) { queue.isCurrent == true } }
        boxes.withLock { $0 = [box, box, box] }
      }
      try await Self.together { number in
        let box = boxes.withLock { $0.removeLast() }
        for _ in 0..<number { box.async { _ in } }
      }
    }
    try queue.sync {}
    #expect(counts.withLock { $0 } == (Effort.rounds, 0))
    queue.shutdown()
  }

  @Test func `an inlet is released while it sends and while its observer leaves: nothing comes afterwards`()
    async throws
  {
    let queue = Queue(label: "home")
    let (ends, disposals) = (Lock(0), Lock(0))
    for _ in 0..<Effort.rounds {
      let inlets = Lock<[Inlet<Int>]>([])
      try queue.sync {
        let inlet = Inlet<Int>(capacity: 4, whenFull: .dropOldest)
        let subscription = inlet.stream.doOn(disposed: { disposals.withLock { $0 += 1 } }).observe(
          next: { _ in }, termination: { _ in ends.withLock { $0 += 1 } })
        queue.async { subscription.dispose() }
        inlets.withLock { $0 = [inlet, inlet, inlet] }
      }
      try await Self.together { number in
        let inlet = inlets.withLock { $0.removeLast() }
        inlet.send(number)
      }
    }
    try queue.sync {}
    #expect(disposals.withLock { $0 } == Effort.rounds)
    #expect(ends.withLock { $0 } <= Effort.rounds)
    queue.shutdown()
  }
}
