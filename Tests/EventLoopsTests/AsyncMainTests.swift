import Testing

@testable import EventLoops

/// Programs whose main is async, built with the settings of a new package.
@Suite("An async main")
struct AsyncMainTests {
  private func output(_ name: String) async throws -> String {
    let result = try await probe(name, in: "async-probe")
    #expect(result.status == .exited(0), "\(result.errorOutput)")
    return result.output
  }

  @Test func `is served by the main loop: for await, observers, and requests`() async throws {
    #expect(try await output("interval") == "0\n1\n2\nobserved 0\nobserved 1\non main: true\n")
    #expect(try await output("status") == "characterDevice\n")
  }

  @Test func `of a program that uses no loop runs as ever`() async throws {
    #expect(try await output("no-loop") == "on main: true\n")
  }

  @Test func `ends the process with the error that it throws`() async throws {
    let result = try await probe("error", in: "async-probe")
    #expect(result.errorOutput.contains("Wrong"))
    if case .exited(0) = result.status { Issue.record("the program has ended as if nothing had happened") }
  }

  @Test func `awaits run() until the loop is idle, stopped, or the task cancelled`() async throws {
    #expect(try await output("run") == "0\n1\nidle\nstopped\ncancelled\n")
  }

  @Test func `ignores stop() before the loop runs`() async throws {
    #expect(try await output("stop-early") == "0\n1\nidle\n")
  }

  @Test func `awaits the static run(), which says nothing of a signal that is observed as well`() async throws {
    let result = try await probe("run-at-top-level", in: "async-probe")
    #expect(result.output == "0\n1\nreturned\n")
    #expect(result.errorOutput == "")
  }

  @Test func `hears why run() returns at once`() async throws {
    let result = try await probe("signal-alone", in: "async-probe")
    #expect(result.output == "returned\n")
    #expect(result.errorOutput.contains("SignalHandle, SIGHUP") && result.errorOutput.contains("keepsLoopAlive: true"))
  }

  @Test func `gets a value without an isolation, and meets nothing of the subscription afterwards`() async throws {
    #expect(try await output("nonisolated") == "0\n0\nnil\nfailed\nover\n")
  }

  @Test func `uses in a task without an isolation what it has observed there`() async throws {
    #expect(try await output("used-afterwards") == "[49, 1225]\n")
  }

  @Test func `gets values of Sendable requests in a default actor`() async throws {
    #expect(try await output("actor") == "0 3 16\nhello\nfailed\n")
  }

  @Test(
    arguments: [
      ("run-traps", "await Loop.main.run()"), ("stop-traps", "await Loop.main.run()"),
      ("shutdown-traps", "await Loop.main.run()"), ("shutdown-early", "await Loop.main.run()"),
      ("foreign-call", "@Sendable"), ("inlet-of-main", "Make the Inlet in the actor that observes it"),
      ("values-trap", "@MainActor"),
      ("values-trap", "NonisolatedNonsendingByDefault"),
    ])
  func `traps with the fix if the loop is misused`(_ name: String, _ fix: String) async throws {
    let result = try await probe(name, in: "async-probe")
    #expect(result.errorOutput.contains(fix))
    if case .exited = result.status { Issue.record("\(name) has not trapped") }
  }
}

/// Work that keeps `Loop.main.run()` from returning.
@Suite("What keeps the loop alive")
struct KeepAliveTests {
  @Test func `Tasks of the main actor, also while they run on the global executor`() async throws {
    #expect(try await probe("tasks-keep-alive").output == "1\n2\n3\nrounds 400\n")
  }

  @Test func `Tasks that wait for a queue, or for a request without an isolation`() async throws {
    #expect(try await probe("tasks-on-queues").output == "[20, 20, 20, 20, 20]\n")
  }

  @Test(arguments: [("execute", "1\n"), ("crossing", "1\n2\n3\n"), ("inlet", "1\n"), ("work", "1\n"), ("pool", "1\n")])
  func `Streams that wait for another thread`(_ kind: String, _ output: String) async throws {
    #expect(try await probe("waits-keep-alive \(kind)").output == output + "returned\n")
  }

  @Test func `Not an inlet that was told so, nor what has been disposed`() async throws {
    #expect(try await probe("no-keep-alive").output == "Nothing keeps the loop alive.\n")
  }

  @Test func `Not a signal, which is reported if it is all there is`() async throws {
    let result = try await probe("signal-alone")
    #expect(result.output == "returned\n")
    #expect(result.errorOutput.contains("SignalHandle, SIGHUP"))
    #expect(result.errorOutput.contains("keepsLoopAlive: true"))
  }

  @Test func `A signal is not reported beside a handle that has failed, and has said so`() async throws {
    let result = try await probe("signal-and-failure")
    #expect(result.output == "EADDRNOTAVAIL\nreturned\n")
    #expect(result.errorOutput == "")
  }

  @Test func `A signal that is told to`() async throws {
    #expect(try await probe("signal-keeps-alive").output == "returned\n")
  }

  @Test func `run(until:) waits for a task or for an element`() async throws {
    let lines = try await probe("run-until").output.split(separator: "\n")
    try #require(lines.count == 6)
    #expect(lines[..<4] == ["SIGHUP", "5", "7", "nil"])
    #expect(lines[4].hasPrefix("Wrong"))
    #expect(lines[5].contains("shut down"))
  }

  @Test func `The loop says what it waits for`() async throws {
    let output = try await probe("describe").output
    for part in [
      "TCPListener, descriptor", "1 requests (fs)", "deadlines", "1 waiting for: elements of an Inlet",
      "1 waiting for: elements of execute(on:)", "FileEventHandle, /", "socket:",
    ] {
      #expect(output.contains(part))
    }
  }

  #if !Tracing
  @Test func `a program that cannot be recorded says why`() async throws {
    let result = try await probe("run-loop-entry", environment: ["HEADWATER_TRACE": "trace.json"])
    #expect(
      result.errorOutput.contains("HEADWATER_TRACE: This program cannot be recorded, because it is built without"))
  }
  #endif

  @Test func `The loop says so at SIGUSR1 if the environment asks for it`() async throws {
    let result = try await probe("describe-on-signal", environment: ["HEADWATER_DESCRIBE_ON_SIGUSR1": "1"])
    #expect(result.errorOutput.contains("deadlines"))
    #expect(result.status == .exited(0))
  }

  @Test func `Foundation's run loop serves the loop`() async throws {
    let result = try await probe("run-loop-entry")
    for line in ["tick 0", "tick 1", "tick 2", "status", "value 0", "value 1", "value 2"] {
      #expect(result.output.contains(line + "\n"))
    }
    #expect(result.status == .exited(3))
  }
}

/// The test runner is itself a program whose main is async.
@Suite("The main loop in the test runner")
struct TestRunnerTests {
  @MainActor
  @Test func `serves timers and requests on the main actor`() async throws {
    var ticks: [Int] = []
    for await tick in Stream<Int>.interval(.milliseconds(1)).take(3).values() { ticks.append(tick) }
    #expect(ticks == [0, 1, 2])
    #expect(try await Files.status(of: "/dev/null").value.size == 0)
  }

  @Test func `serves an exit test`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      for await _ in Stream<Int>.interval(.milliseconds(1)).take(3).values() {}
      _ = try await Files.status(of: "/dev/null").value
    }
  }
}
