import Foundation
import Testing

/// The built program with a command: runs, restarts, and the end of all processes.
///
/// The commands write to files outside of the watched directory, and the test reads their output from the pipe.
@Suite(.serialized, .timeLimit(.minutes(15))) struct CommandTests {
  private func count(_ word: String, in text: String) -> Int { text.components(separatedBy: word).count - 1 }

  @Test func `the command runs at once and once for a burst`() async throws {
    let scratch = Scratch()
    let program = try Program(
      ["-d", "1s", "--", "sh", "-c", "echo run; cat \"$HEADWATCH_CHANGES_FILE\"; echo done"], in: scratch)
    try await program.wait(for: "the first run") { program.text == "run\ndone\n" }
    for number in 0..<200 { scratch.write("file\(number)", "x") }
    try await program.wait(for: "the second run") { count("done", in: program.text) >= 2 }
    let paths = program.lines.filter { $0.hasPrefix("{") }
    #expect(Set(paths).count == 200)
    // The second run has received the whole burst, so only another change causes a third run.
    scratch.write("last", "x")
    try await program.wait(for: "the last run") {
      program.text.contains("\"last\"") && program.text.hasSuffix("done\n")
    }
    #expect(count("run", in: program.text) == 3)
  }

  @Test func `what a stopped run was told the next one is told too`() async throws {
    let scratch = Scratch()
    let script = "cat \"$HEADWATCH_CHANGES_FILE\"; echo told; exec sleep 1000"
    let program = try Program(["--", "sh", "-c", script], in: scratch)
    for (round, name) in ["one", "two", "three"].enumerated() {
      try await program.wait(for: "run \(round)") { count("told", in: program.text) == round + 1 }
      scratch.write(name, "x")
    }
    try await program.wait(for: "the last run") { count("told", in: program.text) == 4 }
    #expect(program.lines.count { $0.contains("\"one\"") } == 3)
    #expect(program.lines.count { $0.contains("\"two\"") } == 2)
    #expect(program.lines.count { $0.contains("\"three\"") } == 1)
    program.send(SIGTERM)
    #expect(try await program.exitCode() == 143)
  }

  @Test func `the only changed path is in the environment`() async throws {
    let scratch = Scratch()
    let program = try Program(["--", "sh", "-c", "echo \"<$HEADWATCH_PATH>\""], in: scratch)
    try await program.wait(for: "the first run") { program.text == "<>\n" }
    scratch.write("file", "x")
    try await program.wait(for: "the second run") { program.text == "<>\n<file>\n" }
  }

  @Test func `a run is stopped and over before the next`() async throws {
    let scratch = Scratch()
    // The command takes 0.2 s to exit after the signal, and reports an overlap with another run.
    let script = """
      mkdir ../outside/lock || echo OVERLAP
      trap 'sleep 0.2; rmdir ../outside/lock; echo stopped; exit' TERM
      echo started
      while :; do sleep 0.01; done
      """
    let program = try Program(["--", "sh", "-c", script], in: scratch)
    try await program.wait(for: "the first run") { count("started", in: program.text) == 1 }
    for round in 1...3 {
      scratch.write("file\(round)", "x")
      try await program.wait(for: "the stop") { count("stopped", in: program.text) == round }
      try await program.wait(for: "the next run") { count("started", in: program.text) == round + 1 }
    }
    #expect(!program.text.contains("OVERLAP"))
    program.send(SIGTERM)
    #expect(try await program.exitCode() == 143)
    #expect(count("stopped", in: program.text) == 4)
  }

  @Test func `a command that ignores the signal is killed`() async throws {
    let scratch = Scratch()
    let program = try Program(
      ["--stop-timeout", "100ms", "--", "sh", "-c", "trap '' TERM; echo \"pid $$\"; while :; do sleep 0.05; done"],
      in: scratch)
    try await program.wait(for: "the first run") { program.lines.count == 1 }
    let first = try #require(program.lines[0].split(separator: " ").last.flatMap { pid_t($0) })
    scratch.write("file", "x")
    try await program.wait(for: "the second run") { program.lines.count == 2 }
    #expect(Program.Process.living(in: first).isEmpty)
    program.send(SIGINT)
    #expect(try await program.exitCode() == 130)
    let second = try #require(program.lines[1].split(separator: " ").last.flatMap { pid_t($0) })
    #expect(Program.Process.living(in: second).isEmpty)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `no descendant outlives the program`(_ signal: Int32) async throws {
    let scratch = Scratch()
    let program = try Program(["--", "sh", "-c", "sleep 1000 & sleep 1000 & echo \"pid $$\"; sleep 1000"], in: scratch)
    try await program.wait(for: "the run") { program.lines.count == 1 }
    let group = try #require(program.lines[0].split(separator: " ").last.flatMap { pid_t($0) })
    try await program.wait(for: "the children") { Program.Process.living(in: group).count == 4 }
    program.send(signal)
    #expect(try await program.exitCode() == 128 + signal)
    #expect(Program.Process.living(in: group).isEmpty)
  }

  @Test func `what an ended command left behind is stopped`() async throws {
    let scratch = Scratch()
    let program = try Program(["--", "sh", "-c", "sleep 1000 & echo \"pid $$\""], in: scratch)
    try await program.wait(for: "the run") { program.lines.count == 1 }
    let first = try #require(program.lines[0].split(separator: " ").last.flatMap { pid_t($0) })
    try await program.wait(for: "the leader's end") { Program.Process.living(in: first).count == 1 }
    scratch.write("file", "x")
    try await program.wait(for: "the second run") { program.lines.count == 2 }
    #expect(Program.Process.living(in: first).isEmpty)
    let second = try #require(program.lines[1].split(separator: " ").last.flatMap { pid_t($0) })
    program.send(SIGTERM)
    #expect(try await program.exitCode() == 143)
    #expect(Program.Process.living(in: second).isEmpty)
  }

  @Test func `the second interrupt kills at once`() async throws {
    let scratch = Scratch()
    let program = try Program(
      [
        "--stop-timeout", "10m", "--", "sh", "-c",
        "trap 'echo asked' INT TERM; echo \"pid $$\"; while :; do sleep 0.05; done",
      ],
      in: scratch)
    try await program.wait(for: "the run") { program.lines.count == 1 }
    let group = try #require(program.lines[0].split(separator: " ").last.flatMap { pid_t($0) })
    program.send(SIGINT)
    try await program.wait(for: "the request") { program.text.contains("asked") }
    program.send(SIGINT)
    #expect(try await program.exitCode() == 130)
    #expect(Program.Process.living(in: group).isEmpty)
  }

  @Test func `queue runs again after the end and never stops`() async throws {
    let scratch = Scratch()
    let script = "echo started; while [ ! -e ../outside/go ]; do sleep 0.01; done; echo ended"
    let program = try Program(["--on-busy", "queue", "-d", "5ms", "--", "sh", "-c", script], in: scratch)
    try await program.wait(for: "the first run") { program.text == "started\n" }
    for number in 0..<3 {
      scratch.write("file\(number)", "x")
      try await Task.sleep(for: .milliseconds(20))
    }
    scratch.run("touch ../outside/go")
    try await program.wait(for: "the second run") { count("ended", in: program.text) == 2 }
    #expect(program.text.hasPrefix("started\nended\nstarted\n"))
    scratch.run("rm ../outside/go")
  }

  @Test func `a signal and nothing else`() async throws {
    let scratch = Scratch()
    let script = "trap 'echo reload' HUP; echo started; while :; do sleep 0.01; done"
    let program = try Program(
      ["--on-busy", "signal", "-s", "HUP", "--stop-timeout", "100ms", "--", "sh", "-c", script], in: scratch)
    try await program.wait(for: "the run") { program.text == "started\n" }
    scratch.write("file", "x")
    try await program.wait(for: "the signal") { program.text == "started\nreload\n" }
    program.send(SIGTERM)
    #expect(try await program.exitCode() == 143)
  }

  @Test func `a command that does not exist is a message and the watch goes on`() async throws {
    let scratch = Scratch()
    let program = try Program(["--", "nosuch-command"], in: scratch)
    let message = "headwatch: cannot run nosuch-command: no such file or directory\n"
    try await program.wait(for: "the message") { program.errorText == message }
    scratch.write("file", "x")
    try await program.wait(for: "the message again") { program.errorText == message + message }
    program.send(SIGTERM)
    #expect(try await program.exitCode() == 143)
  }

  @Test func `once ends with the commands code`() async throws {
    let scratch = Scratch()
    let program = try Program(["--once", "--", "sh", "-c", "test -e file && exit 7; echo ready"], in: scratch)
    try await program.wait(for: "the first run") { program.text == "ready\n" }
    scratch.write("file", "x")
    #expect(try await program.exitCode() == 7)
  }

  @Test func `a change of mode runs nothing`() async throws {
    let scratch = Scratch()
    scratch.write("file", "")
    let program = try Program(["--", "sh", "-c", "echo run; cat \"$HEADWATCH_CHANGES_FILE\""], in: scratch)
    try await program.wait(for: "the first run") { program.text == "run\n" }
    scratch.run("chmod 600 file; touch other")
    try await program.wait(for: "the second run") { program.text.contains("other") }
    #expect(!program.text.contains("attributes"))
  }

  @Test func `a command that cannot be told the changes runs only if it does not read them`() async throws {
    let scratch = Scratch()
    let missing = ["TMPDIR": scratch.outside + "/missing"]
    let reading = try Program(["--once", "--stdin", "paths", "--", "wc", "-l"], in: scratch, environment: missing)
    try await reading.waitUntilAsleep(watches: 4, in: scratch)
    scratch.write("a", "x")
    #expect(try await reading.exitCode() == 126)
    #expect(reading.text.isEmpty)
    #expect(reading.errorText.contains("cannot write the changes"))
    let other = try Program(
      ["--once", "--no-initial", "--", "echo", "ran"], in: scratch, environment: missing)
    try await other.waitUntilAsleep(watches: 4, in: scratch)
    scratch.write("a", "x")
    #expect(try await other.exitCode() == 0)
    #expect(other.text == "ran\n")
    #expect(other.errorText.contains("cannot write the changes"))
  }
}
