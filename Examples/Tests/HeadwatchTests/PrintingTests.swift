import Foundation
import Testing

/// The built program without a command: the output when files change.
@Suite(.serialized, .timeLimit(.minutes(15))) struct PrintingTests {
  @Test func `files in directories made a moment ago are all reported`() async throws {
    let scratch = Scratch()
    let program = try Program([], in: scratch)
    try await program.waitUntilWatching(scratch)
    var expected: Set<String> = []
    for number in 0..<200 {
      var directory = ""
      for level in ["r\(number)", "b", "c", "d"] {
        directory += "\(level)/"
        mkdir("\(scratch.path)/\(directory)", 0o755)
        scratch.write("\(directory)f", "x")
        expected.insert("\(directory)f")
      }
    }
    try await program.wait(for: "all 800 files") { expected.isSubset(of: names(program.lines)) }
  }

  @Test func `a copied tree is reported whole`() async throws {
    let scratch = Scratch()
    scratch.run(
      "mkdir ../outside/t && cd ../outside/t && for d in $(seq 100); do mkdir d$d; (cd d$d && touch $(seq 20)); done")
    let program = try Program([], in: scratch)
    try await program.waitUntilWatching(scratch)
    scratch.run("cp -r ../outside/t .")
    let expected = Set((1...100).flatMap { d in (1...20).map { "t/d\(d)/\($0)" } })
    try await program.wait(for: "all 2,000 files") { expected.isSubset(of: names(program.lines)) }
    #expect(program.lines.count < 6000)
  }

  @Test func `lines for people have no colours in a pipe`() async throws {
    let scratch = Scratch()
    let program = try Program([], in: scratch, environment: ["TERM": "xterm"])
    try await program.waitUntilWatching(scratch)
    scratch.write("a", "1")
    scratch.run("mv a b; mkdir d; rm b")
    try await program.wait(for: "the removal") { program.lines.contains("removed   b") }
    #expect(
      program.lines.filter { !$0.hasPrefix("modified") } == [
        "created   a", "renamed   a -> b", "created   d/", "removed   b",
      ])
  }

  @Test func `colours are for terminals and no color turns them off`() async throws {
    for (environment, isColoured) in [
      (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false),
    ] {
      let scratch = Scratch()
      let terminal = try Terminal()
      // A shell redirects the output from the pipe to the terminal.
      let program = try Program(
        ["--quiet"], in: scratch, environment: environment.merging(["NO_COLOR": environment["NO_COLOR"] ?? ""]) { $1 },
        output: terminal.path)
      var number = 0
      try await program.wait(for: "a line on the terminal") {
        number += 1
        scratch.write("file\(number)", "")
        // The first event may be the write to a file whose creation was missed.
        return terminal.text.contains("created   file") || terminal.text.contains("created\u{1b}[0m   file")
      }
      #expect(terminal.text.contains("\u{1b}[32mcreated\u{1b}[0m   file") == isColoured)
      #expect(terminal.text.contains("created   file") != isColoured)
      program.send(SIGTERM)
      _ = try await program.exitCode()
    }
  }

  @Test func `objects are JSON for all names`() async throws {
    let scratch = Scratch()
    let program = try Program(["--json"], in: scratch)
    try await program.waitUntilWatching(scratch)
    scratch.run(
      "printf x > \"$(printf 'a\\377b')\"; mv \"$(printf 'a\\377b')\" \"$(printf 'new\\nline')\"; mkdir d; echo > end")
    try await program.wait(for: "the last file") { program.text.contains("\"end\"") }
    // Creating and filling a file is one event or two, depending on when the program reads them.
    let objects = try program.lines.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    }.filter { $0["kind"] != "modified" }
    let odd = Data([0x61, 0xFF, 0x62])
    #expect(objects.count == 4)
    #expect(objects[0]["kind"] == "created" && objects[0]["path"] == "a\u{FFFD}b" && objects[0]["type"] == "file")
    #expect(objects[0]["path_b64"].flatMap { Data(base64Encoded: $0) } == odd)
    #expect(objects[1]["kind"] == "renamed" && objects[1]["to"] == "new\nline" && objects[1]["to_b64"] == nil)
    #expect(objects[1]["path_b64"].flatMap { Data(base64Encoded: $0) } == odd)
    #expect(objects[2] == ["kind": "created", "path": "d", "type": "directory"])
  }

  @Test func `paths can end in a zero byte`() async throws {
    let scratch = Scratch()
    let program = try Program(["--print0", "."], in: scratch)
    try await program.wait(for: "the watch to stand") {
      scratch.write("probe", "")
      return program.text.contains("./probe\0")
    }
    scratch.run("echo > 'a\nb'; mv 'a\nb' c")
    try await program.wait(for: "the rename") { program.text.hasSuffix("\0./a\nb\0./c\0") }
  }

  @Test func `ignored names and other extensions are silent`() async throws {
    let scratch = Scratch()
    let program = try Program(["--ignore", "out/", "--ignore", "/x/*.c", "--ext", "swift,c,last"], in: scratch)
    var number = 0
    try await program.wait(for: "the watch to stand") {
      number += 1
      scratch.write("probe\(number).c", "")
      return program.text.contains("probe")
    }
    let watches = scratch.watches(of: program.pid)
    scratch.run(
      """
      mkdir -p .git out x y; echo > .git/a.c; echo > out/a.c; echo > x/a.c; echo > y/a.c; echo > a.txt; echo > a.swift.swp
      mv a.swift.swp a.swift; echo > z.last
      """)
    try await program.wait(for: "the last file") { program.text.contains("z.last") }
    let lines = program.lines.filter { !$0.contains("probe") && !$0.hasPrefix("modified") }
    #expect(lines == ["created   y/a.c", "created   a.swift", "created   z.last"])
    // An ignored directory has no watch, so of the new directories only x and y have one.
    #expect(scratch.watches(of: program.pid) == watches + 2)
  }

  @Test func `a file that is written without pause is printed now and then`() async throws {
    let scratch = Scratch()
    scratch.write("log", "")
    let program = try Program(["--debounce", "200ms"], in: scratch)
    try await program.waitUntilWatching(scratch)
    let start = ContinuousClock.now
    for _ in 0..<5000 { scratch.write("log", "x") }
    scratch.write("end", "")
    try await program.wait(for: "the end") { program.lines.contains("created   end") }
    let windows = Int((ContinuousClock.now - start) / .milliseconds(200))
    let count = program.lines.count { $0 == "modified  log" }
    #expect((1...(windows + 2)).contains(count))
  }

  @Test(.enabled(if: !Program.isSanitized, "a sanitizer's own memory and time would be measured"))
  func `a reader that sleeps loses nothing`() async throws {
    let scratch = Scratch()
    let program = try Program(["--debounce", "0"], in: scratch)
    try await program.waitUntilWatching(scratch)
    // About 2 MB, more than the pipe and the writer hold. The test does not read while it creates the files.
    let name = String(repeating: "n", count: 240)
    for number in 0..<8_000 { scratch.write("\(name)\(number)", "") }
    let expected = Set((0..<8_000).map { "\(name)\($0)" })
    try await program.wait(for: "all files") { program.lineCount >= expected.count }
    try await program.wait(for: "each file", every: .seconds(1)) { expected.isSubset(of: names(program.lines)) }
    #expect(scratch.peakMemory(of: program.pid) < 64 << 20)
  }

  @Test func `once ends after the first changes`() async throws {
    let scratch = Scratch()
    let program = try Program(["--once"], in: scratch)
    var number = 0
    try await program.wait(for: "a line") {
      number += 1
      scratch.write("file\(number)", "")
      return program.text.contains("created   file")
    }
    #expect(try await program.exitCode() == 0)
  }

  /// Returns the paths in the lines.
  private func names(_ lines: [String]) -> Set<String> { Set(lines.map { String($0.dropFirst(10)) }) }
}
