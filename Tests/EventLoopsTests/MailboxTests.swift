import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// Jobs that are posted to a loop, by its own thread and by others.
@Suite("Posts", .noLiveResources)
struct MailboxTests {
  @Test func `what the loop's own thread posts runs on the next turn, in order, without waking the loop`() async throws
  {
    let queue = Queue(label: "own")
    let log = Lock<[Int]>([])
    try await onOwnThread {
      try queue.sync {
        let before = queue.mailbox.signals
        for number in 1...1_000 { queue.async { log.withLock { $0.append(number) } } }
        queue.async {
          // Runs after the other jobs. Its own post runs after their posts.
          queue.async { log.withLock { $0.append(2_000) } }
          log.withLock { $0.append(1_001) }
        }
        #expect(log.withLock { $0.isEmpty })
        #expect(queue.mailbox.signals == before)
      }
    }
    queue.shutdown()
    #expect(log.withLock { $0 } == Array(1...1_001) + [2_000])
  }

  @Test func `run does not return before what was posted here has run, and posting keeps no loop alive afterwards`()
    async throws
  {
    let log = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let log = Lock<[String]>([])
      let mailbox = loop.mailbox
      _ = mailbox.post {
        log.withLock { $0.append("first") }
        _ = mailbox.post { log.withLock { $0.append("second") } }
      }
      loop.run()
      loop.run()
      return log.withLock { $0 }
    }
    #expect(log == ["first", "second"])
  }

  @Test func `a chain of posts takes turns: other threads and timers are served in between`() async throws {
    let queue = Queue(label: "chain")
    let isOver = Lock(false)
    @Sendable func next() { if !isOver.withLock({ $0 }) { queue.async { next() } } }
    queue.async { next() }
    // Neither the other thread nor the timer would be served if the chain occupied the loop.
    try await onOwnThread { try queue.sync {} }
    await withCheckedContinuation { continuation in
      queue.after(.milliseconds(2)) { continuation.resume() }
    }
    isOver.withLock { $0 = true }
    queue.shutdown()
  }

  @Test func `each of several loops on threads of their own hands a token to the next`() async {
    let queues = (0..<4).map { Queue(label: "ring \($0)") }
    let hops = 10_000
    let wrong = Lock(0)
    let last: Int = await withCheckedContinuation { continuation in
      @Sendable func hop(_ number: Int) {
        if Queue.current !== queues[number % queues.count] { wrong.withLock { $0 += 1 } }
        if number == hops { return continuation.resume(returning: number) }
        queues[(number + 1) % queues.count].async { hop(number + 1) }
      }
      queues[0].async { hop(0) }
    }
    #expect(last == hops)
    #expect(wrong.withLock { $0 } == 0)
    for queue in queues { queue.shutdown() }
  }

  @Test func `a callback awaits what runs elsewhere, and goes on where it was, with other callbacks in between`() async
  {
    let queue = Queue(label: "home")
    let other = Queue(label: "other")
    let labels: [String?] = await withCheckedContinuation { continuation in
      queue.after(.zero) {
        Task(executorPreference: queue) {
          var labels = [Queue.current?.label]
          labels.append(await Task(executorPreference: other) { Queue.current?.label }.value)
          labels.append(Queue.current?.label)
          try? await Task.sleep(for: .milliseconds(1))
          labels.append(Queue.current?.label)
          continuation.resume(returning: labels)
        }
      }
    }
    #expect(labels == ["home", "other", "home", "home"])
    queue.shutdown()
    other.shutdown()
  }
}
