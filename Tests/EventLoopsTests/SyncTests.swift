import Dispatch
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Queue.sync", .noLiveResources)
struct SyncTests {
  /// Makes each queue wait for the next, and the last one for the first.
  static func circle(_ labels: [String]) {
    let queues = labels.map { Queue(label: $0) }
    // No queue waits for another before all of them have begun.
    let ready = DispatchGroup()
    for _ in queues { ready.enter() }
    for index in queues.indices {
      let next = queues[(index + 1) % queues.count]
      queues[index].async {
        ready.leave()
        ready.wait()
        try? next.sync {}
      }
    }
    for queue in queues { try? queue.sync {} }
  }

  @Test func `two queues that wait for each other trap with the names and the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread { SyncTests.circle(["files", "network"]) }
    }
    expect(result, says: "'files'")
    expect(result, says: "'network'")
    expect(result, says: "none of them could ever continue. In one of them, use async or await")
  }

  @Test func `a queue whose sync is over, and which has not woken up, waits for nobody`() async throws {
    try await onOwnThread {
      let (one, two) = (Queue(label: "one"), Queue(label: "two"))
      let done = DispatchSemaphore(value: 0)
      for _ in 0..<2_000 {
        one.async {
          try? two.sync {
            // Runs after this closure.
            _ = Queue.current?.async {
              try? one.sync {}
              done.signal()
            }
          }
        }
        done.wait()
      }
      one.shutdown()
      two.shutdown()
    }
  }

  @Test(arguments: [false, true])
  func `a queue that shuts another one down, which waits for it, traps`(isMutual: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [isMutual] in
      try await onOwnThread {
        let (files, network) = (Queue(label: "files"), Queue(label: "network"))
        let ready = DispatchGroup()
        for _ in 0..<2 { ready.enter() }
        files.async {
          ready.leave()
          ready.wait()
          network.shutdown()
        }
        network.async {
          ready.leave()
          ready.wait()
          if isMutual { files.shutdown() } else { try? files.sync {} }
        }
        DispatchGroup.never.wait()
      }
    }
    expect(result, says: "'files'")
    expect(result, says: "'network'")
    expect(result, says: "none of them could ever continue")
  }

  @Test func `a circle of four traps, too`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread { SyncTests.circle(["a", "b", "c", "d"]) }
    }
    expect(result, says: "none of them could ever continue")
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for label in ["a", "b", "c", "d"] { #expect(text.contains("'\(label)'")) }
  }

  @Test func `the main thread and a queue that wait for each other trap`() async throws {
    let (_, errorOutput, status) = try await probe("sync-deadlock-main")
    #expect(status != .exited(0))
    #expect(errorOutput.contains("'main'") && errorOutput.contains("'worker'"), "\(errorOutput)")
  }

  @Test func `chains that are no circle go on, also when their links change all the time`() async throws {
    let sums = try await onOwnThread {
      let queues = (0..<4).map { Queue(label: "chain \($0)") }
      let sum = Lock(0)
      // Each queue waits only for queues with a higher number.
      for round in 0..<200 {
        for (index, queue) in queues.enumerated() {
          queue.async {
            let later = Array(queues[(index + 1)...])
            if later.isEmpty { return }
            let target = later[round % later.count]
            if let two = try? target.sync({ 1 + ((try? target.sync { 1 }) ?? 0) }) { sum.withLock { $0 += two } }
          }
        }
      }
      for queue in queues { queue.shutdown() }
      return sum.withLock { $0 }
    }
    #expect(sums == 200 * 3 * 2)
  }

  @Test
  func `against a queue that shuts down meanwhile each call gives its result or LoopClosed, and none waits for ever`()
    async throws
  {
    for _ in 0..<20 {
      let queue = Queue(label: "short")
      let ran = Lock(0)
      let answers = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<3 {
          group.addTask {
            try await onOwnThread {
              var answers = 0
              while (try? queue.sync({ ran.withLock { $0 += 1 } })) != nil { answers += 1 }
              return answers
            }
          }
        }
        group.addTask {
          try await onOwnThread {
            while ran.withLock({ $0 }) < 30 {}
            queue.shutdown()
            return 0
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(answers == ran.withLock { $0 })
    }
  }

  @Test func `a queue whose last reference goes on its own thread shuts down behind the job`() async {
    final class Keeper: Sendable {
      let queue = Lock<Queue?>(Queue(label: "own end"))
    }
    let keeper = Keeper()
    let ran = await withCheckedContinuation { continuation in
      keeper.queue.withLock { $0 }?.async {
        let ran = Lock(false)
        keeper.queue.withLock { $0 }?.async {
          ran.withLock { $0 = true }
          continuation.resume(returning: ran.withLock { $0 })
        }
        keeper.queue.withLock { $0 = nil }
      }
    }
    #expect(ran)
  }
}

extension DispatchGroup {
  /// A group that is never left.
  fileprivate static var never: DispatchGroup {
    let group = DispatchGroup()
    group.enter()
    return group
  }
}
