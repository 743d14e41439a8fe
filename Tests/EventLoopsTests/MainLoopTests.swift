import Testing

@testable import EventLoops

/// What needs the first thread of a process runs in small programs of its own.
@Suite("Loop.main")
struct MainLoopTests {
  @Test("An idle main loop uses no CPU")
  func idle() async throws {
    let result = try await probe("idle")
    let used = try #require(Int(result.output.dropFirst(5).dropLast()))
    // A loop that spins would use some 900 ms of this second.
    #expect(used < 50, "milliseconds of processor time in one idle second")
  }

  @Test("A program that forgets to run it is told")
  func neverRun() async throws {
    let result = try await probe("never-run")
    #expect(result.errorOutput.contains("its main loop has not run once. End main with Loop.main.run()"))
    #expect(result.errorOutput.contains("- SignalHandle") && result.errorOutput.contains("- deadlines of timers"))
  }

  @Test("Running it serves the main actor and DispatchQueue.main")
  func servesMainActor() async throws {
    let result = try await probe("serves-main-actor")
    #expect(
      result.output == """
        block on main: true
        task on main: true
        after await on main: true
        callback isolated: true, ticks: true
        ended

        """)
    #expect(result.status == .exited(0))
  }

  @Test("Loop.run runs an async program on the main thread and gives its result or error")
  func asyncBody() async throws {
    #expect(try await probe("async-body").output == "returned on main: true\nthrew Wrong()\n")
  }

  @Test("What was posted before run runs")
  func postsBeforeRun() async throws {
    #expect(
      try await probe("posts-before-run").output == "posted before\nposted from a thread, current: main\n")
  }

  @Test("It runs until operators on another queue have delivered what they hold")
  func delayedCrossing() async throws {
    #expect(
      try await probe("delayed-crossing").output == "next(1)\nnext(2)\nnext(3)\ncompleted\nreturned\n")
  }

  @Test("A task that iterates over what another queue sends ends when that queue closes")
  func sourceQueueCloses() async throws {
    #expect(try await probe("source-queue-closes").output == "true\ntrue\ntrue\nended\nreturned\n")
  }

  @Test("A time-based operator that is observed before the main loop has been touched runs on it")
  func clockBeforeLoop() async throws {
    #expect(try await probe("clock-before-loop").output == "tick 0\ntick 1\ntick 2\nreturned\n")
  }

  @Test("Queue.main.stop ends run from any thread")
  func stopFromThread() async throws {
    #expect(try await probe("stop-from-thread").output == "stopped\n")
  }

  @Test(
    "Entering run wrongly traps with the cure",
    arguments: [
      ("nested-run", "Return from the callback instead"), ("run-in-task", "Queue.main.async"),
      ("run-in-drained-task", "await Loop.main.run()"), ("run-in-block", "synchronous code of the main thread"),
      ("dispatch-main-entry", "Call Loop.main.run()"), ("run-off-main", "Queue.async"),
      ("main-off-main", "Queue.main.async"),
      ("handle-after-shutdown", "This loop has been shut down"),
    ])
  func traps(_ name: String, _ sentence: String) async throws {
    let result = try await probe(name)
    #expect(result.errorOutput.contains(sentence))
    if case .exited = result.status { Issue.record("\(name) has not trapped") }
  }

  @Test("After shutdown .immediate(on:) runs nothing, like all that posts to a queue")
  func immediateAfterShutdown() async throws {
    #expect(try await probe("immediate-after-shutdown").output == "ended\n")
  }

  @Test("A main-actor object's bag that dies on another thread is disposed on the main thread")
  func bagDiesElsewhere() async throws {
    #expect(try await probe("bag-dies-elsewhere").output == "disposed on main: true\n")
  }

  @Test("200 child processes at once: each exit status arrives")
  func forkBomb() async throws {
    #expect(try await probe("fork-bomb").output == "left 0\n")
  }
}
