import Foundation
import Testing

/// The built program in a git repository: changes of ignored files are not printed and run no command.
@Suite(.serialized, .timeLimit(.minutes(15))) struct IgnoringTests {
  private func makeRepository() -> Scratch {
    let scratch = Scratch()
    scratch.run("mkdir -p .git/info; echo ref: refs/heads/main >.git/HEAD; mkdir -p build/deep src")
    scratch.write(".gitignore", "build/\n*.log\n")
    return scratch
  }

  /// Waits for a run that only `name` has caused.
  private func expectOnly(_ name: String, _ program: Program, after count: Int) async throws {
    try await program.wait(for: "the run for \(name)") { program.lines.contains("<\(name)>") }
    #expect(program.lines.count == count + 1)
  }

  private let command = ["--", "sh", "-c", "echo \"<$HEADWATCH_PATH>\""]

  @Test func `with a command what git ignores is ignored`() async throws {
    let scratch = makeRepository()
    let program = try Program(command, in: scratch)
    try await program.wait(for: "the first run") { program.text == "<>\n" }
    // The watches of the directory and src, of the directories above it, and of .git/info and the user's directory for
    // the rules there; of .git, /etc, and the user's directories for git's configuration.
    #expect(scratch.watches(of: program.pid) <= 11)
    let before = scratch.watches(of: program.pid)
    scratch.run("touch build/a build/deep/b a.log src/c.log; mkdir -p src/build/more")
    scratch.write("src/d", "x")
    try await expectOnly("src/d", program, after: 1)
    #expect(scratch.watches(of: program.pid) == before)
    // The rules change while the program runs. This is a change itself.
    scratch.write(".gitignore", "*.c\n")
    try await expectOnly(".gitignore", program, after: 2)
    scratch.run("touch src/e.c")
    scratch.write("build/f", "x")
    try await expectOnly("build/f", program, after: 3)
  }

  @Test func `no gitignore turns it off`() async throws {
    let scratch = makeRepository()
    scratch.write(".ignore", "*.md\n")
    let program = try Program(["--no-gitignore"] + command, in: scratch)
    try await program.wait(for: "the first run") { program.text == "<>\n" }
    scratch.write("a.log", "x")
    try await expectOnly("a.log", program, after: 1)
    scratch.write("a.md", "x")
    try await expectOnly("a.md", program, after: 2)
  }

  @Test(arguments: [false, true]) func `printing shows all unless asked otherwise`(_ isAsked: Bool) async throws {
    let scratch = makeRepository()
    let program = try Program(["--kinds", "created,removed"] + (isAsked ? ["--gitignore"] : []), in: scratch)
    try await program.waitUntilWatching(scratch)
    scratch.run("touch a.log build/b; touch c")
    try await program.wait(for: "the last file") { program.lines.contains("created   c") }
    let expected = ["created   a.log", "created   build/b", "created   c"]
    #expect(program.lines == (isAsked ? Array(expected.suffix(1)) : expected))
  }

  /// Nested files, negation, anchors, `**`, classes, trailing blanks, .git/info/exclude, and the user's own file.
  @Test func `the decisions are those of git`() async throws {
    let scratch = Scratch()
    scratch.run(
      """
      git init -q . && touch ../outside/possible
      mkdir -p ../outside/config/git a/b/c d/a src/deep
      printf '*.global\\n' >../outside/config/git/ignore
      printf '*.excluded\\n' >.git/info/exclude
      printf '/anchored\\n*.o\\n!keep.o\\na/**/z\\n**/tail\\n[a-c]x\\n[!a-c]y\\nblank   \\nspace\\\\ \\nsrc/*.c\\nonly/\\n' >.gitignore
      printf '!w.o\\n/here\\n' >a/.gitignore
      """)
    guard !scratch.readOutside("possible").isEmpty || access("\(scratch.outside)/possible", F_OK) == 0 else { return }
    let names = [
      "anchored", "d/anchored", "x.o", "keep.o", "a/w.o", "w.o", "a/b/c/z", "a/z", "d/a/z", "d/tail", "ax", "dx", "ay",
      "dy", "blank", "space ", "space", "src/f.c", "src/deep/f.c", "only", "a/here", "a/b/here", "f.global",
      "f.excluded",
      "a/b/f.excluded", "plain",
    ]
    let environment = ["XDG_CONFIG_HOME": "\(scratch.outside)/config", "GIT_CONFIG_NOSYSTEM": "1"]
    let program = try Program(
      ["--gitignore", "--kinds", "created,removed"], in: scratch, environment: environment)
    try await program.waitUntilWatching(scratch)
    for name in names { scratch.write(name, "") }
    scratch.write("end", "")
    try await program.wait(for: "the end") { program.lines.last == "created   end" }
    let list = names.map { "'\($0)'" }.joined(separator: " ")
    scratch.run(
      "XDG_CONFIG_HOME=$PWD/../outside/config GIT_CONFIG_NOSYSTEM=1 git check-ignore \(list) >../outside/ignored")
    let ignored = scratch.readOutside("ignored").split(separator: "\n")
      .map { $0.hasPrefix("\"") ? String($0.dropFirst().dropLast()) : String($0) }
    #expect(ignored.count > 10 && ignored.count < names.count - 5)
    #expect(Set(program.lines.dropLast().map { String($0.dropFirst(10)) }) == Set(names).subtracting(ignored))
  }

  @Test func `files named ignore count outside of a repository`() async throws {
    let scratch = Scratch()
    scratch.run("mkdir sub; echo '*.md' >.ignore; echo '!b.md' >sub/.ignore")
    let program = try Program(command, in: scratch)
    try await program.wait(for: "the first run") { program.text == "<>\n" }
    scratch.run("touch a.md sub/a.md")
    scratch.write("sub/b.md", "x")
    try await expectOnly("sub/b.md", program, after: 1)
  }

  @Test func `files of rules are named and broken lines reported`() async throws {
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
