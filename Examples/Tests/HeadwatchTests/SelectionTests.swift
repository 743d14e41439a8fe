import FileWatching
import Foundation
import Testing

@testable import headwatch

/// The built program: the options that select changes.
@Suite(.serialized, .timeLimit(.minutes(15))) struct SelectionTests {
  /// Starts the program, runs a script, and returns the lines before the one about `probe.end`. The lines are a set,
  /// because their order may vary: the contents of a new directory may be found before the event about another file is
  /// read.
  private func lines(_ arguments: [String], _ script: String, before: String = "true") async throws -> Set<String> {
    let scratch = Scratch()
    scratch.run(before)
    let program = try Program(["--kinds", "created,removed,renamed"] + arguments, in: scratch)
    try await program.waitUntilWatching(scratch)
    scratch.run("\(script)\ntouch probe.end")
    try await program.wait(for: "the end") { program.lines.last == "created   probe.end" }
    let lines = program.lines.dropLast()
    #expect(Set(lines).count == lines.count)
    return Set(lines)
  }

  @Test func `patterns select`() async throws {
    let script = "mkdir src; touch a.c src/a.c src/b.c src/b.h b.h"
    #expect(
      try await lines(["-f", "src/*.c", "-f", "!b.c", "-f", "probe.*", "-f", "b.h"], script) == [
        "created   src/a.c", "created   src/b.h", "created   b.h",
      ])
    #expect(
      try await lines(
        ["--filter-file", "../outside/f"], script, before: "printf '# c\\n\\n*.c\\r\\n\\r\\nprobe.*\\n' >../outside/f")
        == ["created   a.c", "created   src/a.c", "created   src/b.c"])
    #expect(try await lines(["-f", "!*.c"], script) == ["created   src/", "created   src/b.h", "created   b.h"])
  }

  @Test func `hidden names and depth`() async throws {
    let script = "mkdir -p .h d/e/f; touch .a .h/b d/c d/e/g d/e/f/h"
    #expect(
      try await lines(["--no-hidden", "--max-depth", "2"], script) == [
        "created   d/", "created   d/e/", "created   d/c",
      ])
  }

  @Test func `symbolic links are followed on request`() async throws {
    let before = "mkdir -p ../outside/d; ln -s ../outside/d link; ln -s .. ../outside/d/loop; ln -s . self"
    let script = "touch ../outside/d/file"
    #expect(try await lines(["--follow"], script, before: before) == ["created   link/file"])
    #expect(try await lines([], script, before: before) == [])
  }

  @Test func `files behind links are followed on request`() async throws {
    let scratch = Scratch()
    scratch.run(
      "mkdir ../outside/d; echo >../outside/file; ln -s ../outside/file link; ln -s ../outside/d directory; rmdir ../outside/d"
    )
    let program = try Program(["--follow"], in: scratch)
    try await program.waitUntilWatching(scratch)
    scratch.run("echo x >../outside/new; mv ../outside/new ../outside/file")
    try await program.wait(for: "the save") { program.lines == ["modified  link"] }
    scratch.run("mkdir ../outside/d; touch ../outside/d/file")
    try await program.wait(for: "the directory") { program.lines.contains("created   directory/file") }
    scratch.run("rm -r ../outside/d")
    try await program.wait(for: "its end") { program.lines.contains("removed   directory/") }
    scratch.run("mkdir ../outside/d; touch ../outside/d/again")
    try await program.wait(for: "the directory again") { program.lines.contains("created   directory/again") }
  }

  @Test func `kinds select`() async throws {
    let scratch = Scratch()
    scratch.write("a", "1")
    let program = try Program(["--kinds", "renamed,attributes"], in: scratch)
    try await program.wait(for: "the watch to stand") {
      scratch.run("chmod 600 a; chmod 644 a")
      return program.text.contains("attrib")
    }
    scratch.run("echo 2 >>a; : >b; rm b; mv a c")
    try await program.wait(for: "the rename") { program.lines.contains("renamed   a -> c") }
    #expect(program.lines.dropLast().allSatisfy { $0 == "attrib    a" }, "\(program.lines)")
  }

  @Test func `paths from standard input may end in a zero byte`() async throws {
    let scratch = Scratch()
    scratch.run("touch a; printf 'x' >\"$(printf 'b\\nc')\"; printf 'a\\0b\\nc\\0' >../outside/list")
    let program = try Program(["-", "--print0"], in: scratch, input: "\(scratch.outside)/list")
    try await program.waitUntilAsleep(watches: 1, in: scratch)
    scratch.write("b\nc", "x")
    // A writer that is interrupted between two calls of the system changes the file twice.
    try await program.wait(for: "the change") { program.text.hasPrefix("b\nc\0") }
    #expect(program.text.split(separator: "\0").allSatisfy { $0 == "b\nc" })
  }

  @Test func `newer files only`() async throws {
    let script = "touch -d 2001-01-01 ../outside/old; mv ../outside/old .; touch new; rm new"
    #expect(
      try await lines(["--newer", "../outside/stamp"], script, before: "touch -d 2010-01-01 ../outside/stamp")
        == ["created   new", "removed   new"])
  }

  @Test func `paths from standard input`() async throws {
    let scratch = Scratch()
    scratch.run("touch a b c; printf 'a\\nc\\n' >../outside/list")
    let program = try Program(["-", "--kinds", "modified"], in: scratch, input: "\(scratch.outside)/list")
    try await program.waitUntilAsleep(watches: 1, in: scratch)
    for name in ["a", "b", "c"] { scratch.write(name, "x") }
    try await program.wait(for: "the last") { program.lines.contains("modified  c") }
    #expect(program.lines.first == "modified  a")
    #expect(!program.text.contains("b"))
    let nothing = try Program(["-"], in: scratch, input: "/dev/null")
    #expect(try await nothing.exitCode() == 64)
    #expect(nothing.errorText.contains("lists no path"))
  }

  @Test func `a save of the same content is no change`() async throws {
    let scratch = Scratch()
    scratch.write("a", "one")
    scratch.write("b", "one")
    let program = try Program(["--content", "-d", "0"], in: scratch)
    try await program.waitUntilWatching(scratch)
    // `1<>` opens the file without truncating it, because that would be a change.
    scratch.run("touch a; chmod 600 a; printf one 1<>a; printf one >new; mv new b; printf one >c")
    // Waits before `a` changes, because a late comparison would already find the new content.
    try await program.wait(for: "the new file") { program.lines.contains("created   c") }
    scratch.run("printf two 1<>a")
    try await program.wait(for: "the change") { program.lines.contains("modified  a") }
    let lines = program.lines.filter { !$0.hasSuffix(" new") }
    #expect(lines.first == "created   c" && lines.last == "modified  a" && !program.text.contains(" b"), "\(lines)")
    scratch.run("rm c; printf one >c")
    try await program.wait(for: "the file that comes back") {
      program.lines.count { $0 == "created   c" } == 2
    }
  }

  @Test func `with the content compared nothing is printed that is gone`() async throws {
    let scratch = Scratch()
    scratch.run("printf same >file; mkdir d; printf same >d/file")
    let program = try Program(["--content", "-d", "0"], in: scratch)
    try await program.waitUntilWatching(scratch)
    // A file replaces one with the same content, and a directory replaces one with the same file.
    scratch.run(
      "printf same >new; mv new file; mv d e; mkdir d; printf same >../outside/file; mv ../outside/file d/; mkdir end")
    try await program.wait(for: "the end") { program.lines.contains("created   end/") }
    #expect(
      program.lines.filter { !$0.hasPrefix("modified") } == [
        "created   new", "removed   new", "renamed   d/ -> e/", "created   d/", "created   d/file", "created   end/",
      ])
  }

  @Test func `contents are told`() throws {
    let scratch = Scratch()
    let comparison = ContentComparison()
    let path = BytePath("\(scratch.path)/file")
    var text = String(repeating: "x", count: 200_000)
    scratch.write("file", text)
    comparison.remember(FileEvent(.created, path))
    #expect(comparison.isChange(FileEvent(.created, path)))
    #expect(!comparison.isChange(FileEvent(.modified, path)))
    for change in ["y", "x\0", ""] {
      text = text.dropLast() + change
      scratch.write("file", text)
      #expect(comparison.isChange(FileEvent(.modified, path)))
      #expect(!comparison.isChange(FileEvent(.modified, path)))
    }
    scratch.remove("file")
    #expect(comparison.isChange(FileEvent(.removed, path)))
  }

  @Test func `a file that is too large to read does not block the program`() async throws {
    let scratch = Scratch()
    let program = try Program(["--content", "-d", "0"], in: scratch)
    try await program.waitUntilWatching(scratch)
    scratch.run("truncate -s 1T large")
    try await program.wait(for: "the file") { program.lines.contains("created   large") }
    try await program.wait(for: "the sleep") { scratch.isAsleep(program.pid) }
    program.send(SIGINT)
    #expect(try await program.exitCode() == 130)
  }
}
