import Foundation
import Testing

/// The built program with a command: the changed paths that it receives, and the options for a run.
@Suite(.serialized, .timeLimit(.minutes(15))) struct RunOptionTests {
  /// Waits until the program watches the directory and the three directories above it, and sleeps.
  private func waitForWatch(_ program: Program, _ scratch: Scratch) async throws {
    try await program.waitUntilAsleep(watches: 4, in: scratch)
  }

  @Test func `each path has a run`() async throws {
    let scratch = Scratch()
    let script = "echo \"[$1]\"; test \"$1\" != bad || exit 3"
    let program = try Program(
      ["-d", "300ms", "--once", "--", "sh", "-c", script, "sh", "{}", "--then", "echo", "after {}"], in: scratch)
    try await waitForWatch(program, scratch)
    for name in ["a b", "bad", "-c"] { scratch.write(name, "x") }
    // The exit code of the first command that failed. The other lists have run.
    #expect(try await program.exitCode() == 3)
    #expect(program.lines == ["[a b]", "after a b", "[bad]", "[./-c]", "after ./-c"])
  }

  @Test func `all paths reach one run also if they are not UTF 8`() async throws {
    let scratch = Scratch()
    let program = try Program(
      [
        "-d", "300ms", "--once", "--kinds", "created", "--", "sh", "-c",
        "for f; do printf %s \"$f\" | od -An -tx1; done", "sh", "{+}",
      ], in: scratch)
    try await waitForWatch(program, scratch)
    scratch.run("touch a \"$(printf 'b\\377')\"")
    #expect(try await program.exitCode() == 0)
    #expect(program.lines.map { $0.replacingOccurrences(of: " ", with: "") } == ["61", "62ff"])
  }

  @Test func `a program that is not UTF 8 runs`() async throws {
    let scratch = Scratch()
    let program = try Program(["--once", "--", "{}"], in: scratch)
    try await waitForWatch(program, scratch)
    scratch.run("cd ../outside; printf '#!/bin/sh\\necho ran\\n' >p; chmod +x p; mv p \"$OLDPWD/$(printf 'b\\377')\"")
    #expect(try await program.exitCode() == 0)
    #expect(program.text == "ran\n")
  }

  @Test func `a command that is not told of all changes is a message`() async throws {
    let scratch = Scratch()
    let program = try Program(["-d", "1s", "--once", "--no-initial", "--", "true"], in: scratch)
    try await waitForWatch(program, scratch)
    scratch.run("seq -f f%.0f 65600 | xargs touch")
    #expect(try await program.exitCode() == 0)
    #expect(program.errorText.contains("only of the first 65536"))
  }

  @Test func `an argument that is not UTF 8 is an error`() async throws {
    let scratch = Scratch()
    let program = try Program(
      ["-c", "exec \"$0\" \"$(printf 'b\\377')\"", Program.path], in: scratch, running: "sh")
    #expect(try await program.exitCode() == 64)
    #expect(program.errorText.contains("is not UTF-8"))
  }

  @Test func `the shell gets one line with quoted paths`() async throws {
    let scratch = Scratch()
    let program = try Program(["--once", "--shell", "--", "cat {} | tr a-z A-Z; echo $((1 + 1))"], in: scratch)
    try await waitForWatch(program, scratch)
    scratch.write("it's; echo no", "content\n")
    #expect(try await program.exitCode() == 0)
    #expect(program.text == "CONTENT\n2\n")
  }

  @Test(arguments: [("paths", "a\nb\n"), ("print0", "a|b|"), ("null", "")])
  func `standard input`(_ form: String, _ expected: String) async throws {
    let scratch = Scratch()
    let program = try Program(
      [
        "-d", "300ms", "--once", "--postpone", "--stdin", form, "--", "sh", "-c", "tr '\\0' '|'", "--then", "sh", "-c",
        "tr '\\0' '|'",
      ],
      in: scratch)
    try await waitForWatch(program, scratch)
    scratch.run("touch a b")
    #expect(try await program.exitCode() == 0)
    // Each command of the run reads the whole input.
    #expect(program.text == expected + expected)
  }

  @Test func `standard input as JSON and the environment`() async throws {
    let scratch = Scratch()
    let program = try Program(
      [
        "-d", "300ms", "--once", "--postpone", "--stdin", "json", "--env", "GREETING=hello there", "--print-command",
        "--",
        "sh", "-c", "cat; echo \"$GREETING\"; echo \"$HEADWATCH_PATHS\"",
      ], in: scratch)
    try await waitForWatch(program, scratch)
    scratch.run("touch a; mkdir d; touch d/b")
    #expect(try await program.exitCode() == 0)
    #expect(program.lines.prefix { $0.hasPrefix("{") }.count == 3)
    #expect(program.lines.drop { $0.hasPrefix("{") } == ["hello there", "a", "d", "d/b"])
    #expect(program.errorText == "+ sh -c 'cat; echo \"$GREETING\"; echo \"$HEADWATCH_PATHS\"'\n")
  }

  @Test func `commands run in order until one fails`() async throws {
    let scratch = Scratch()
    let program = try Program(
      [
        "--once", "--postpone", "--", "echo", "one", "--then", "sh", "-c", "echo two; exit 5", "--then", "echo",
        "three",
      ],
      in: scratch)
    try await waitForWatch(program, scratch)
    scratch.write("file", "x")
    #expect(try await program.exitCode() == 5)
    #expect(program.text == "one\ntwo\n")
  }

  @Test func `literally the command is what it says`() async throws {
    let scratch = Scratch()
    let program = try Program(["--literal", "--once", "--", "echo", "{}", "--then", "{+}"], in: scratch)
    try await program.wait(for: "the first run") { program.text == "{} --then {+}\n" }
    scratch.write("file", "x")
    #expect(try await program.exitCode() == 0)
  }

  @Test func `standard input is the commands on request`() async throws {
    let scratch = Scratch()
    scratch.run("echo typed >../outside/in")
    let program = try Program(
      ["--stdin", "inherit", "--once", "--", "cat"], in: scratch, input: "\(scratch.outside)/in")
    try await program.wait(for: "the first run") { program.text == "typed\n" }
    scratch.write("file", "x")
    #expect(try await program.exitCode() == 0)
    #expect(program.text == "typed\n")
  }

  @Test func `nothing of a run of several commands is left behind`() async throws {
    let scratch = Scratch()
    let script = "sleep 1000 & echo \"pid $$\""
    let program = try Program(["--", "sh", "-c", script, "--then", "sh", "-c", "\(script); sleep 1000"], in: scratch)
    try await program.wait(for: "both commands") { program.lines.count == 2 }
    let groups = program.lines.compactMap { $0.split(separator: " ").last.flatMap { pid_t($0) } }
    try await program.wait(for: "the children") {
      groups.allSatisfy { !Program.Process.living(in: $0).isEmpty }
    }
    scratch.write("file", "x")
    try await program.wait(for: "the second run") { program.lines.count == 4 }
    #expect(groups.allSatisfy { Program.Process.living(in: $0).isEmpty })
    program.send(SIGTERM)
    #expect(try await program.exitCode() == 143)
    for line in program.lines {
      let group = try #require(line.split(separator: " ").last.flatMap { pid_t($0) })
      #expect(Program.Process.living(in: group).isEmpty)
    }
  }

  @Test func `a signal on change and another to stop`() async throws {
    let scratch = Scratch()
    let script = "trap 'echo reload' USR1; trap 'echo stop; exit' TERM; echo started; while :; do sleep 0.01; done"
    let program = try Program(["--signal", "USR1", "--", "sh", "-c", script], in: scratch)
    try await program.wait(for: "the run") { program.text == "started\n" }
    scratch.write("file", "x")
    try await program.wait(for: "the signal") { program.text == "started\nreload\n" }
    program.send(SIGINT)
    #expect(try await program.exitCode() == 130)
    #expect(program.text == "started\nreload\nstop\n")
  }

  @Test func `a run that takes too long is stopped`() async throws {
    let scratch = Scratch()
    let program = try Program(
      ["--timeout", "200ms", "--once", "--", "sh", "-c", "echo \"pid $$\"; sleep 1000; echo no"], in: scratch)
    try await program.wait(for: "the first run") { program.lines.count == 1 }
    let group = try #require(program.lines[0].split(separator: " ").last.flatMap { pid_t($0) })
    try await program.wait(for: "its end") { Program.Process.living(in: group).isEmpty }
    scratch.write("file", "x")
    #expect(try await program.exitCode() == 124)
    #expect(!program.text.contains("no"))
  }

  @Test func `a delayed run knows all changes of the meantime`() async throws {
    while true {
      let scratch = Scratch()
      let program = try Program(
        ["-d", "1ms", "--delay-run", "1s", "--once", "--postpone", "--", "sh", "-c", "echo \"$HEADWATCH_PATHS\""],
        in: scratch)
      try await waitForWatch(program, scratch)
      let begin = ContinuousClock.now
      scratch.write("a", "x")
      // The delay begins when the program handles the change.
      let switches = scratch.switches(of: program.pid)
      try await program.wait(for: "the change to be taken") {
        scratch.switches(of: program.pid) > switches || ContinuousClock.now - begin > .milliseconds(500)
      }
      scratch.write("b", "x")
      let written = ContinuousClock.now - begin
      #expect(try await program.exitCode() == 0)
      #expect(ContinuousClock.now - begin >= .seconds(1))
      // The machine was so busy that the second change may have missed the delay.
      if written > .milliseconds(600) { continue }
      #expect(program.text == "a\nb\n")
      return
    }
  }

  @Test func `changes in the meantime do not make the delay longer`() async throws {
    let scratch = Scratch()
    let program = try Program(["-d", "1ms", "--delay-run", "500ms", "--no-initial", "--", "echo", "run"], in: scratch)
    try await waitForWatch(program, scratch)
    let begin = ContinuousClock.now
    var number = 0
    // Each of these changes is a separate burst.
    try await program.wait(for: "a run while changes go on", every: .milliseconds(50)) {
      number += 1
      scratch.write("file", "\(number)")
      return program.text.contains("run")
    }
    #expect(ContinuousClock.now - begin >= .milliseconds(500))
  }

  @Test func `a directory to run in that is missing is named`() async throws {
    let scratch = Scratch()
    let program = try Program(["--workdir", "nowhere", "--once", "--", "true"], in: scratch)
    try await program.wait(for: "the message") { program.errorText.hasSuffix("\n") }
    #expect(program.errorText == "headwatch: cannot run true in nowhere: no such file or directory\n")
    scratch.run("mkdir nowhere")
    #expect(try await program.exitCode() == 0)
  }

  @Test func `elsewhere the paths are absolute`() async throws {
    let scratch = Scratch()
    let program = try Program(
      ["--workdir", scratch.outside, "--once", "--", "sh", "-c", "pwd; cat \"$1\"", "sh", "{}"], in: scratch)
    try await waitForWatch(program, scratch)
    scratch.write("file", "content\n")
    #expect(try await program.exitCode() == 0)
    #expect(program.text == "\(scratch.outside)\ncontent\n")
  }

  @Test func `the end of standard input ends it`() async throws {
    let scratch = Scratch()
    scratch.run("mkfifo ../outside/in")
    let writer = open("\(scratch.outside)/in", O_RDWR | O_CLOEXEC)
    let program = try Program(
      ["--stdin-quit", "--", "sh", "-c", "echo \"pid $$\"; sleep 1000"], in: scratch, input: "\(scratch.outside)/in")
    try await program.wait(for: "the run") { program.lines.count == 1 }
    close(writer)
    #expect(try await program.exitCode() == 0)
    let group = try #require(program.lines[0].split(separator: " ").last.flatMap { pid_t($0) })
    #expect(Program.Process.living(in: group).isEmpty)
  }
}
