import Streams
import StreamsTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.noLiveResources) struct OwnThreadTests {
  @Test func `runs on a thread of its own and gives the result`() async throws {
    // Values that are set on a thread end with it, so each call starts on a thread without any.
    for _ in 0..<3 {
      let isFresh = try await onOwnThread {
        let mailbox = HomeThread.mailbox
        HomeThread.set(mailbox: NoMailbox(), scheduler: nil)
        return mailbox == nil && !HomeThread.isMain
      }
      #expect(isFresh)
    }
  }

  @Test func `passes an error on`() async {
    let body: @Sendable () throws -> Int = { throw TestError("no") }
    await #expect(throws: TestError("no")) { try await onOwnThread(body) }
  }

  @Test func `issues belong to the test`() async throws {
    let body: @Sendable () throws -> Void = { Issue.record("on the thread") }
    try await withKnownIssue {
      try await onOwnThread(body)
    } matching: { issue in
      issue.comments.contains("on the thread")
    }
  }

  @Test func `resources are counted with the test`() async throws {
    let isCounted = try await onOwnThread {
      let token = LiveResources.register("token")
      return withExtendedLifetime(token) { LiveResources.current?.alive["token"] == 1 }
    }
    #expect(isCounted)
  }

  @Test func `threads that block do not block each other`() async throws {
    // There are more of them than the pool has threads. Each waits until all have arrived.
    let arrived = Lock(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<32 {
        group.addTask {
          try await onOwnThread {
            arrived.withLock { $0 += 1 }
            while arrived.withLock({ $0 }) < 32 { sched_yield() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(arrived.withLock { $0 } == 32)
  }

  @Test func `a scheduler set on it is its own`() async throws {
    let elements = try await onOwnThread {
      let scheduler = VirtualScheduler()
      HomeThread.set(mailbox: nil, scheduler: scheduler)
      let recorder = Stream.timer(7, after: .seconds(1)).record()
      scheduler.run()
      return recorder.elements
    }
    #expect(elements == [7])
  }
}

private final class NoMailbox: Mailbox {
  var isCurrent: Bool? { true }
  func post(_ job: sending @escaping () -> Void) -> Bool { false }
}

@Suite struct CaptureDiagnosticsTests {
  @Test func `returns what is reported meanwhile`() {
    let reports = captureDiagnostics {
      Diagnostics.report("one")
      Diagnostics.report("two")
    }
    #expect(reports == ["one", "two"])
    #expect(captureDiagnostics {}.isEmpty)
  }

  @Test func `captures of different tasks do not mix`() async {
    await withTaskGroup(of: [String].self) { group in
      for number in 0..<8 {
        group.addTask { captureDiagnostics { Diagnostics.report("\(number)") } }
      }
      for await reports in group { #expect(reports.count == 1) }
    }
  }
}
