import Foundation
import Testing

/// The built program in a git repository: what is ignored neither runs a command nor is printed.
@Suite(.serialized, .timeLimit(.minutes(15))) struct IgnoringTests {
  private func makeRepository() -> Scratch {
    let scratch = Scratch()
    scratch.run("mkdir -p .git/info; echo ref: refs/heads/main >.git/HEAD; mkdir -p build/deep src")
    scratch.write(".gitignore", "build/\n*.log\n")
    return scratch
  }

  /// Waits for a run that was caused by `name` alone.
  private func expectOnly(_ name: String, _ program: Program, after count: Int) async throws {
    try await program.wait(for: "the run for \(name)") { program.lines.contains("<\(name)>") }
    #expect(program.lines.count == count + 1)
  }

  private let command = ["--", "sh", "-c", "echo \"<$HEADWATCH_PATH>\""]

  @Test func withACommandWhatGitIgnoresIsIgnored() async throws {
    let scratch = makeRepository()
    let program = try Program(command, in: scratch)
    try await program.wait(for: "the first run") { program.text == "<>\n" }
    // The watched directory and src; the ones above; .git/info and the user's directory for the rules there.
    #expect(scratch.watches(of: program.pid) <= 8)
    let before = scratch.watches(of: program.pid)
    scratch.run("touch build/a build/deep/b a.log src/c.log; mkdir -p src/build/more")
    scratch.write("src/d", "x")
    try await expectOnly("src/d", program, after: 1)
    #expect(scratch.watches(of: program.pid) == before)
    // The rules change while it runs; that is a change itself.
    scratch.write(".gitignore", "*.c\n")
    try await expectOnly(".gitignore", program, after: 2)
    scratch.run("touch src/e.c")
    scratch.write("build/f", "x")
    try await expectOnly("build/f", program, after: 3)
  }

  @Test func noGitignoreTurnsItOff() async throws {
    let scratch = makeRepository()
    scratch.write(".ignore", "*.md\n")
    let program = try Program(["--no-gitignore"] + command, in: scratch)
    try await program.wait(for: "the first run") { program.text == "<>\n" }
    scratch.write("a.log", "x")
    try await expectOnly("a.log", program, after: 1)
    scratch.write("a.md", "x")
    try await expectOnly("a.md", program, after: 2)
  }

  @Test(arguments: [false, true]) func printingShowsAllUnlessAskedOtherwise(_ isAsked: Bool) async throws {
    let scratch = makeRepository()
    let program = try Program(["--kinds", "created,removed"] + (isAsked ? ["--gitignore"] : []), in: scratch)
    try await program.waitUntilWatching(scratch)
    scratch.run("touch a.log build/b; touch c")
    try await program.wait(for: "the last file") { program.lines.contains("created   c") }
    let expected = ["created   a.log", "created   build/b", "created   c"]
    #expect(program.lines == (isAsked ? Array(expected.suffix(1)) : expected))
  }

  @Test func filesOfRulesAreNamedAndBrokenLinesReported() async throws {
    let scratch = Scratch()
    try Data("*.o\n[a\n*.tmp\n".utf8).write(to: URL(fileURLWithPath: "\(scratch.outside)/rules"))
    let program = try Program(
      ["--kinds", "created,removed", "--ignore-file", "../outside/rules", "-i", "*.x", "-i", "!b.x"], in: scratch)
    try await program.waitUntilWatching(scratch)
    scratch.run("touch a.o a.tmp a.x b.x c")
    try await program.wait(for: "the last file") { program.lines.contains("created   c") }
    #expect(program.lines == ["created   b.x", "created   c"])
    #expect(
      program.errorText
        == "headwatch: ../outside/rules:2: the rule '[a' has a [ without its ] and is left out\n")
  }
}
