import Testing

@testable import EventLoops

/// What needs the first thread of a process runs in small programs of its own.
@Suite("Loop.main")
struct MainLoopTests {
  @Test("An idle main loop uses no CPU")
  func idle() throws {
    let result = try probe("idle")
    let used = try #require(Int(result.output.dropFirst(5).dropLast()))
    // A loop that spins would use some 900 ms of this second.
    #expect(used < 50, "milliseconds of processor time in one idle second")
  }

  @Test("Running it serves the main actor and DispatchQueue.main")
  func servesMainActor() throws {
    let result = try probe("serves-main-actor")
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
  func asyncBody() throws {
    #expect(try probe("async-body").output == "returned on main: true\nthrew Wrong()\n")
  }

  @Test("What was posted before run runs")
  func postsBeforeRun() throws {
    #expect(
      try probe("posts-before-run").output == "posted before\nposted from a thread, current: main\n")
  }

  @Test("Queue.main.stop ends run from any thread")
  func stopFromThread() throws {
    #expect(try probe("stop-from-thread").output == "stopped\n")
  }

  @Test(
    "Entering run wrongly traps with the cure",
    arguments: [
      ("nested-run", "Return from the callback instead"), ("run-in-task", "Queue.main.async"),
      ("run-in-block", "Loop.run { … }"), ("run-off-main", "Queue.async"), ("main-off-main", "Queue.main.async"),
    ])
  func traps(_ name: String, _ sentence: String) throws {
    let result = try probe(name)
    #expect(result.errorOutput.contains(sentence))
    if case .exited = result.status { Issue.record("\(name) has not trapped") }
  }

  @Test("A main-actor object's bag that dies on another thread is disposed on the main thread")
  func bagDiesElsewhere() throws {
    #expect(try probe("bag-dies-elsewhere").output == "disposed on main: true\n")
  }

  @Test("200 child processes at once: each exit status arrives")
  func forkBomb() throws {
    #expect(try probe("fork-bomb").output == "left 0\n")
  }
}
