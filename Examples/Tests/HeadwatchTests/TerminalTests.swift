import Foundation
import Testing

@testable import headwatch

/// The built program on a terminal: the status line, colors, and keys.
@Suite(.serialized, .timeLimit(.minutes(15))) struct TerminalTests {
  /// Starts the program in the foreground of a terminal.
  private func start(
    _ arguments: [String], in scratch: Scratch, on terminal: Terminal, environment: [String: String] = [:]
  ) throws -> Program {
    try Program(
      ["-c", "sh", "-c", "exec \"$0\" \"$@\" 2>&1", Program.path] + arguments, in: scratch,
      environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 }, output: terminal.path,
      input: terminal.path, running: "setsid")
  }

  @Test func `keys run pause and quit`() async throws {
    let scratch = Scratch()
    let terminal = try Terminal()
    terminal.resize(columns: 80)
    let program = try start(
      ["--color", "never", "--", "sh", "-c", "echo \"<$HEADWATCH_PATHS>\""], in: scratch, on: terminal)
    func runs() -> Int { terminal.text.components(separatedBy: "\r\n<").count - 1 }
    // The status line is drawn after the run.
    try await program.wait(for: "the status") { terminal.text.contains("[headwatch] watching . · exited 0 after ") }
    #expect(runs() == 1)
    terminal.type("r")
    try await program.wait(for: "a run") { runs() == 2 }
    terminal.type("?")
    try await program.wait(for: "the keys") { terminal.text.contains("[headwatch] r runs, p pauses, q quits\r\n") }
    terminal.type("p")
    try await program.wait(for: "the pause") { terminal.text.contains("[headwatch] paused · exited 0") }
    scratch.write("a", "x")
    try await program.wait(for: "the change") { terminal.text.contains("1 change: a") }
    #expect(runs() == 2)
    terminal.type("p")
    try await program.wait(for: "the run for it") { terminal.text.contains("<a>") }
    terminal.type("q")
    #expect(try await program.exitCode() == 0)
    #expect(!terminal.text.contains("\u{1b}[3"))
  }

  @Test func `Control-C is an interrupt and the terminal is put back`() async throws {
    let scratch = Scratch()
    let terminal = try Terminal()
    let program = try start(["--", "sh", "-c", "echo \"pid $$\"; sleep 1000"], in: scratch, on: terminal)
    try await program.wait(for: "the run") { terminal.text.contains("pid ") && !terminal.isEchoing }
    terminal.type("\u{3}")
    #expect(try await program.exitCode() == 130)
    #expect(terminal.isEchoing)
    #expect(terminal.text.contains("\u{1b}[2m[headwatch] running: "))
  }

  @Test(arguments: [[], ["-q"], ["--", "sleep", "1000"]])
  func `a terminal that goes away ends it with the code of SIGHUP`(_ arguments: [String]) async throws {
    let scratch = Scratch()
    var terminal: Terminal? = try Terminal()
    let program = try start(["--color", "never"] + arguments, in: scratch, on: try #require(terminal))
    if arguments == ["-q"] {
      // The change is printed, so the program has started.
      try await program.wait(for: "a change", every: .milliseconds(20)) {
        scratch.write("a", "x")
        return terminal?.text.contains("a\r\n") == true
      }
    } else {
      try await program.wait(for: "the status") { terminal?.text.contains("[headwatch] ") == true }
    }
    terminal = nil
    #expect(try await program.exitCode() == 129)
  }

  @Test func `ignore does nothing while it runs`() async throws {
    let scratch = Scratch()
    let terminal = try Terminal()
    let script = "echo started; while [ ! -e ../outside/go ]; do sleep 0.01; done; echo ended"
    let program = try start(["--on-busy", "ignore", "--", "sh", "-c", script], in: scratch, on: terminal)
    func runs() -> Int { terminal.text.components(separatedBy: "\r\nstarted").count - 1 }
    try await program.wait(for: "the first run") { runs() == 1 }
    scratch.write("first", "x")
    try await program.wait(for: "the change") { terminal.text.contains("1 change: first") }
    scratch.run("touch ../outside/go")
    try await program.wait(for: "the end") { terminal.text.contains("ended\r\n") }
    scratch.write("second", "x")
    try await program.wait(for: "the second run") {
      terminal.text.components(separatedBy: "ended\r\n").count == 3
    }
    #expect(runs() == 2)
    terminal.type("q")
    #expect(try await program.exitCode() == 0)
  }

  @Test func `the screen is cleared before each run on request`() async throws {
    let scratch = Scratch()
    let terminal = try Terminal()
    let program = try start(["-c", "--", "echo", "ran"], in: scratch, on: terminal)
    func clears() -> Int { terminal.text.components(separatedBy: "\u{1b}[2J").count - 1 }
    try await program.wait(for: "the first run") { terminal.text.contains("exited 0") && clears() == 1 }
    scratch.write("file", "x")
    try await program.wait(for: "the second run") { clears() == 2 }
    terminal.type("q")
    #expect(try await program.exitCode() == 0)
  }

  @Test func `how a run has ended is said`() async throws {
    let scratch = Scratch()
    let terminal = try Terminal()
    let program = try start(["--", "sh", "-c", "test -e file && kill -9 $$; exit 3"], in: scratch, on: terminal)
    try await program.wait(for: "the failure") { terminal.text.contains("\u{1b}[31m[headwatch] exited 3 after ") }
    scratch.write("file", "x")
    try await program.wait(for: "the signal") {
      terminal.text.contains("\u{1b}[31m[headwatch] ended by SIGKILL after ")
    }
    terminal.type("q")
    #expect(try await program.exitCode() == 0)
  }

  @Test func `a run that was stopped by its time limit shows how it has ended, and is not killed again`() async throws {
    let scratch = Scratch()
    let terminal = try Terminal()
    terminal.resize(columns: 100)
    let program = try start(
      [
        "--color=never", "--timeout", "100ms", "--stop-timeout", "200ms", "--", "sh", "-c",
        "test -e file || sleep 1000",
      ],
      in: scratch, on: terminal)
    try await program.wait(for: "the status") { terminal.text.contains("watching . · ended by SIGTERM after ") }
    // The time limit of the stop passes before the next run.
    scratch.run("sleep 0.4; touch file")
    try await program.wait(for: "the second run") { terminal.text.contains("watching . · exited 0 after ") }
    #expect(!terminal.text.contains("killing it"))
    terminal.type("q")
    #expect(try await program.exitCode() == 0)
  }

  @Test func `what is printed takes the status line away`() async throws {
    let scratch = Scratch()
    let terminal = try Terminal()
    terminal.resize(columns: 40)
    let program = try start(["--color=always"], in: scratch, on: terminal, environment: ["NO_COLOR": "1"])
    try await program.wait(for: "the status") { terminal.text.contains("? for keys") }
    scratch.write("file", "x")
    try await program.wait(for: "the line") {
      terminal.text.contains("\r\u{1b}[K\u{1b}[32mcreated\u{1b}[0m   file\r\n")
    }
    try await program.wait(for: "the status again") {
      terminal.text.components(separatedBy: "\u{1b}[2mwatching .").count >= 3
    }
    terminal.type("q")
    #expect(try await program.exitCode() == 0)
    // The status line has been erased. A held line may follow.
    #expect(terminal.text.components(separatedBy: "\r\u{1b}[K").last?.contains("watching") == false)
  }

  @Test func `the scan shows its progress`() async throws {
    let scratch = Scratch()
    scratch.run("mkdir $(seq 1100)")
    let terminal = try Terminal()
    terminal.resize(columns: 80)
    let program = try start(["--color=never"], in: scratch, on: terminal)
    try await program.wait(for: "the status") { terminal.text.contains("[headwatch] watching . · ? for keys") }
    #expect(terminal.text.hasPrefix("[headwatch] scanning . · 1000 directories\r\u{1b}[K"))
    terminal.type("q")
    #expect(try await program.exitCode() == 0)
  }

  /// The tree is so large that the scan continues for a while after its first progress is shown. If the machine lets this process wait
  /// for longer, the tree is larger the next time.
  @Test(arguments: [("\u{3}", SIGINT), ("", SIGTERM), ("", SIGHUP)])
  func `a signal during the scan ends it`(_ typed: String, _ signal: Int32) async throws {
    let scratch = Scratch()
    var text = ""
    for count in [25, 50, 100] {
      scratch.run("for i in $(seq \(count)); do mkdir -p $i && (cd $i && mkdir -p $(seq 1000)); done")
      let terminal = try Terminal()
      terminal.resize(columns: 80)
      let program = try start(["--color=never", "--", "sleep", "1000"], in: scratch, on: terminal)
      try await program.wait(for: "the progress", every: .microseconds(100)) {
        terminal.text.contains("[headwatch] scanning . · ")
      }
      if typed.isEmpty { program.send(signal) } else { terminal.type(typed) }
      #expect(try await program.exitCode() == 128 + signal)
      #expect(terminal.isEchoing)
      text = terminal.text
      if !text.contains("running") { break }
    }
    #expect(!text.contains("watching") && !text.contains("running") && text.hasSuffix("\r\u{1b}[K"), "\(text)")
  }

  @Test(arguments: [80, 40, 30, 20, 10, 3])
  func `the status fits`(_ columns: Int) {
    let failure = StatusLine.Outcome(text: "exited 1 after 2.3 s", isFailure: true)
    for paths in [["."], ["Sources", "Tests/HeadwatchTests", "Documentation"]] {
      for hasKeys in [false, true] {
        let text = StatusLine(paths: paths, outcome: failure, hasKeys: hasKeys).text(
          columns: columns, isColoured: false)
        #expect(text.count <= columns && !text.isEmpty)
        // The failure is shown as long as there is room for it.
        #expect(columns < 20 || text.contains("exited 1 after 2.3 s"), "\(text)")
      }
    }
  }
}
