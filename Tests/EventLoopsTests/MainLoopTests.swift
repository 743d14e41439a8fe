import Foundation
import Testing

@testable import EventLoops

/// Tests that need the first thread of a process run small programs.
@Suite("Loop.main")
struct MainLoopTests {
  @Test func `an idle main loop uses no CPU`() async throws {
    let result = try await probe("idle")
    let used = try #require(Int(result.output.dropFirst(5).dropLast()))
    // A busy loop would use about 900 ms of this second.
    #expect(used < 50, "milliseconds of processor time in one idle second")
  }

  @Test(arguments: 0...12)
  func `a program without descriptors for it is told, however many are missing`(free: Int) async throws {
    let result = try await probe("no-descriptors \(free)")
    if free >= 9 {
      #expect(result.output == "ended\n" && result.errorOutput == "", "\(result.errorOutput)")
    } else if free < 8 || result.output != "ended\n" {
      #expect(
        result.errorOutput.contains(
          "No event loop can be made: uv_loop_init: too many open files (EMFILE). Close some descriptors,"),
        "\(result.errorOutput)")
    }
  }

  @Test func `without descriptors, a name is not called unknown`() async throws {
    let result = try await probe("no-descriptors-for-names")
    #expect(
      result.output == "failed(uv_getaddrinfo localhost: too many open files (EMFILE))\n", "\(result.errorOutput)")
  }

  // A sanitizer reserves more memory than the test allows.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] == nil))
  func `without threads for the pool, requests fail, and jobs wait`() async throws {
    let result = try await probe("no-threads")
    #expect(
      result.output == "failed(uv_fs_stat /: resource temporarily unavailable (EAGAIN))\n3\n", "\(result.errorOutput)")
    #expect(
      result.errorOutput.contains("The system has no threads for libuv's pool, so that requests fail and jobs wait"))
  }

  @Test func `each allocation of libuv that fails is an error of its stream, or a trap that says so`() async throws {
    let whole = try await probe("no-memory 0")
    let count = try #require(whole.output.split(separator: " ").last.flatMap { Int($0.dropLast()) })
    #expect(whole.output == "left 0 of \(count)\n" && count >= 4)
    var silent: [Int] = []
    for number in 1...count {
      let result = try await probe("no-memory \(number)")
      let isTold = result.errorOutput.contains(
        "No event loop can be made: uv_default_loop: not enough memory (ENOMEM).")
      if !isTold, result.status != .exited(0) || !result.output.contains("left 0 of") { silent.append(number) }
    }
    // libuv aborts the program if it has no memory for its table of descriptors.
    #expect(silent.count <= 1, "\(silent)")
  }

  @Test(arguments: [
    "timers", "signals", "queues", "tasks", "tcp", "serving", "udp", "pipes", "names", "files", "directories",
    "watches", "children", "terminals", "input", "system",
  ])
  func `a program that uses all of one part ends without a message; Scripts/fail-calls fails its calls`(
    _ area: String
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("area-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let result = try await probe("area \(area) \(directory.path)")
    #expect(result.output.hasSuffix("\ndone\n") && result.errorOutput == "", "\(result.output)\(result.errorOutput)")
  }

  @Test func `a program that forgets to run it is told`() async throws {
    let result = try await probe("never-run")
    #expect(result.errorOutput.contains("its main loop has not run once. End main with Loop.main.run()"))
    #expect(result.errorOutput.contains("- SignalHandle") && result.errorOutput.contains("- deadlines of timers"))
  }

  @Test func `running it serves the main actor and DispatchQueue.main`() async throws {
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

  @Test func `Loop.run runs an async program on the main thread and gives its result or error`() async throws {
    #expect(try await probe("async-body").output == "returned on main: true\nthrew Wrong()\n")
  }

  @Test func `what was posted before run runs`() async throws {
    #expect(
      try await probe("posts-before-run").output == "posted before\nposted from a thread, current: main\n")
  }

  @Test func `it runs until operators on another queue have delivered what they hold`() async throws {
    #expect(
      try await probe("delayed-crossing").output == "next(1)\nnext(2)\nnext(3)\ncompleted\nreturned\n")
  }

  @Test func `a task that iterates over what another queue sends ends when that queue closes`() async throws {
    #expect(try await probe("source-queue-closes").output == "true\ntrue\ntrue\nended\nreturned\n")
  }

  @Test func `a time-based operator that is observed before the main loop has been touched runs on it`() async throws {
    #expect(try await probe("clock-before-loop").output == "tick 0\ntick 1\ntick 2\nreturned\n")
  }

  @Test func `Queue.main.stop ends run from any thread`() async throws {
    #expect(try await probe("stop-from-thread").output == "stopped\n")
  }

  @Test(arguments: [
    ("nested-run", "Return from the callback instead"), ("run-in-task", "Queue.main.async"),
    ("run-in-drained-task", "await Loop.main.run()"), ("run-in-block", "synchronous code of the main thread"),
    ("dispatch-main-entry", "Call Loop.main.run()"), ("run-off-main", "Queue.async"),
    ("main-off-main", "Queue.main.async"),
    ("handle-after-shutdown", "This loop has been shut down"),
  ])
  func `entering run wrongly traps with the fix`(_ name: String, _ sentence: String) async throws {
    let result = try await probe(name)
    #expect(result.errorOutput.contains(sentence))
    if case .exited = result.status { Issue.record("\(name) has not trapped") }
  }

  @Test func `after shutdown .immediate(on:) runs nothing, like all that posts to a queue`() async throws {
    #expect(try await probe("immediate-after-shutdown").output == "ended\n")
  }

  @Test func `after its shutdown, the streams of the main thread and their subscriptions stay`() async throws {
    #expect(
      try await probe("streams-after-shutdown").output
        == "early next(1)\nlate next(2)\nnew next(3)\nnew completed\nopen: 2\ndisposed\n")
  }

  @Test func `a main-actor object's bag that dies on another thread is disposed on the main thread`() async throws {
    #expect(try await probe("bag-dies-elsewhere").output == "disposed on main: true\n")
  }

  @Test func `200 child processes at once: each exit status arrives`() async throws {
    #expect(try await probe("fork-bomb").output == "left 0\n")
  }
}
