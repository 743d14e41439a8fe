import Foundation
import Testing

/// The built program: exit codes, messages, signals, and closed pipes.
@Suite(.serialized, .timeLimit(.minutes(15))) struct MannersTests {
  @Test func `a missing path is a message and code one`() async throws {
    let program = try Program(["nosuch"], in: Scratch())
    #expect(try await program.exitCode() == 1)
    #expect(program.errorText == "headwatch: cannot watch nosuch: no such file or directory\n")
    #expect(program.text.isEmpty)
  }

  @Test(arguments: [
    ["--nosuch"], ["--debounce", "5"], ["--ignore", "[a"], ["--json", "--", "true"], ["--shell", "make"], ["--"],
    ["--poll=0"], ["--timeout", "0", "--", "true"], ["--kinds", "nosuch"],
  ])
  func `a bad option is code 64`(_ arguments: [String]) async throws {
    let program = try Program(arguments, in: Scratch())
    #expect(try await program.exitCode() == 64)
    #expect(program.errorText.hasPrefix("headwatch: "))
    #expect(program.errorText.hasSuffix("\nFor help: headwatch --help\n"))
  }

  @Test func `an unknown option suggests the nearest`() async throws {
    let program = try Program(["--igonre", "x"], in: Scratch())
    #expect(try await program.exitCode() == 64)
    #expect(
      program.errorText
        == "headwatch: There is no option '--igonre'. Did you mean '--ignore'?\nFor help: headwatch --help\n")
  }

  @Test func `elsewhere than on a terminal there is only the output`() async throws {
    let scratch = Scratch()
    let program = try Program(["--clear", "--", "sh", "-c", "echo run; exit 3"], in: scratch)
    try await program.wait(for: "the first run") { program.text == "run\n" }
    scratch.write("file", "x")
    try await program.wait(for: "the second run") { program.text == "run\nrun\n" }
    program.send(SIGTERM)
    #expect(try await program.exitCode() == 143)
    #expect(program.text == "run\nrun\n" && program.errorText.isEmpty)
  }

  /// Otherwise, each line or each run would cause the next one.
  @Test(arguments: [[], ["--no-initial", "--", "echo", "created   a"]])
  func `its own output in the watched tree is not reported`(_ arguments: [String]) async throws {
    let scratch = Scratch()
    let program = try Program(arguments, in: scratch, output: "out")
    func printed() -> [Substring] {
      let text = (try? String(contentsOfFile: "\(scratch.path)/out", encoding: .utf8)) ?? ""
      return text.split(separator: "\n")
    }
    try await program.waitUntilAsleep(watches: 1, in: scratch)
    mkdir("\(scratch.path)/a", 0o755)
    // By then, the kernel has reported the write to the output.
    try await program.wait(for: "the message") { program.errorText.contains("output") }
    let lines = printed().count
    mkdir("\(scratch.path)/b", 0o755)
    try await program.wait(for: "the second change") { printed().count > lines }
    program.send(SIGTERM)
    #expect(try await program.exitCode() == 143)
    #expect(printed().allSatisfy { !$0.contains("out") } && printed().first?.hasPrefix("created   a") == true)
    #expect(
      program.errorText
        == "headwatch: the output goes to out, which is watched, so changes of out are not reported\n")
  }

  @Test func `version and help`() async throws {
    let version = try Program(["--version"], in: Scratch())
    #expect(try await version.exitCode() == 0)
    #expect(version.text == "headwatch 0.2.0\n")
    let help = try Program(["--help"], in: Scratch())
    #expect(try await help.exitCode() == 0)
    #expect(help.text.contains("--on-busy <policy>"))
    // The help fits a terminal of 24 lines, with the prompt.
    #expect(help.lines.count < 24)
    #expect(help.lines.allSatisfy { $0.count <= 80 })
    let full = try Program(["--help-all"], in: Scratch())
    #expect(try await full.exitCode() == 0)
    #expect(full.text.contains("Examples:"))
    #expect(full.lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `the manual page and the completions name all options`() async throws {
    let scratch = Scratch()
    let manual = try Program(["--manual"], in: scratch)
    #expect(try await manual.exitCode() == 0)
    let help = try Program(["--help-all"], in: scratch)
    #expect(try await help.exitCode() == 0)
    let options = help.lines.filter { $0.hasPrefix("  -") }.map { line in
      line.split(separator: " ").last { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "[" && $0 != "," }) }
        ?? line
    }
    #expect(options.count > 20)
    for option in options {
      #expect(manual.text.contains(option.split(separator: "-").joined(separator: "\\-")), "\(option)")
    }
    for shell in ["bash", "zsh", "fish"] {
      let script = try Program(["--completions", shell], in: scratch)
      #expect(try await script.exitCode() == 0)
      for option in options {
        #expect(script.text.contains(shell == "fish" ? " -l \(option.dropFirst(2))" : option), "\(shell) \(option)")
      }
    }
    // Each installed shell can parse its script.
    for shell in ["bash", "zsh", "fish"] {
      scratch.run(
        """
        command -v \(shell) || exit 0
        \(Program.path) --completions \(shell) >../outside/c && \(shell) -n ../outside/c && exit 0
        echo \(shell) >>../outside/bad
        """)
    }
    #expect(scratch.readOutside("bad") == "")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129), (SIGQUIT, 131)] as [(Int32, Int32)])
  func `a signal ends it with its code`(_ signal: Int32, _ code: Int32) async throws {
    let scratch = Scratch()
    let program = try Program([], in: scratch)
    try await program.waitUntilWatching(scratch)
    program.send(signal)
    #expect(try await program.exitCode() == code)
    #expect(program.errorText.isEmpty)
  }

  @Test func `a recording that cannot begin ends it with a message`() async throws {
    let scratch = Scratch()
    let program = try Program(["--trace", "/nowhere/trace.json"], in: scratch)
    #expect(try await program.exitCode() == 64)
    #if Tracing
    #expect(program.errorText.contains("'/nowhere/trace.json' cannot be written: No such file or directory."))
    #else
    #expect(program.errorText.contains("it is built without the trait Tracing"))
    #endif
  }

  @Test func `a hang up that is ignored already does not end it`() async throws {
    let scratch = Scratch()
    let program = try Program(["-c", "trap '' HUP; exec \"$0\"", Program.path], in: scratch, running: "sh")
    try await program.waitUntilWatching(scratch)
    program.send(SIGHUP)
    scratch.write("after", "x")
    try await program.wait(for: "the change") { program.lines.contains("created   after") }
    program.send(SIGTERM)
    #expect(try await program.exitCode() == 143)
  }

  @Test func `a closed pipe ends it quietly`() async throws {
    let scratch = Scratch()
    let program = try Program([], in: scratch)
    try await program.waitUntilWatching(scratch)
    program.closeOutput()
    // The program ends immediately, even if nothing changes.
    #expect(try await program.exitCode() == 0)
    #expect(program.errorText.isEmpty)
  }

  @Test func `an idle program uses no processor time`() async throws {
    let scratch = Scratch()
    let program = try Program([], in: scratch)
    try await program.waitUntilWatching(scratch)
    let before = scratch.switches(of: program.pid)
    try await Task.sleep(for: .milliseconds(500))
    // A loop that polls would wake up many times.
    #expect(scratch.switches(of: program.pid) - before <= 3)
  }

  @Test func `an explicit dot is printed`() async throws {
    let scratch = Scratch()
    let program = try Program(["."], in: scratch)
    var number = 0
    try await program.wait(for: "a line") {
      number += 1
      scratch.write("file\(number)", "")
      return program.text.contains("created   ./file")
    }
  }
}
