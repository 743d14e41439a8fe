import Foundation
import Testing

@testable import headwatch

/// The commands that a run starts.
@Suite struct RunPlanTests {
  private func chains(_ commands: [[String]], _ paths: [String], shell: Bool = false) -> [[[String]]] {
    RunPlan(commands, usesShell: shell).chains(for: paths.map { Array($0.utf8) })
      .map { $0.map { $0.map { String(decoding: $0, as: UTF8.self) } } }
  }

  @Test func `without placeholders the paths do not matter`() {
    #expect(chains([["a", "b"], ["c"]], ["x", "y"]) == [[["a", "b"], ["c"]]])
    #expect(chains([["a"]], []) == [[["a"]]])
    #expect(!RunPlan([["a", "{", "}", "{ }"]]).needsPaths)
  }

  @Test func `braces make a run for each path`() {
    #expect(
      chains([["a", "{}", "-o{}.{}"], ["b"]], ["x", "y z"])
        == [[["a", "x", "-ox.x"], ["b"]], [["a", "y z", "-oy z.y z"], ["b"]]])
    #expect(chains([["a", "{}"]], []) == [])
  }

  @Test func `braces with a plus repeat the word`() {
    #expect(chains([["a", "{+}", "--f={+}", "b"]], ["x", "y"]) == [[["a", "x", "y", "--f=x", "--f=y", "b"]]])
    #expect(chains([["a", "{+}"]], []) == [])
  }

  @Test func `a path is not taken for an option or for more of the line`() {
    #expect(chains([["rm", "{}"]], ["-rf"]) == [[["rm", "./-rf"]]])
    #expect(
      chains([["cat", "{+}", "|", "wc"]], ["a b", "it's", "$(x)"], shell: true)
        == [[["sh", "-c", "cat 'a b' 'it'\\''s' '$(x)' | wc"]]])
    #expect(chains([["cat", "{}"]], ["a;b"], shell: true) == [[["sh", "-c", "cat 'a;b'"]]])
  }

  @Test func `names are bytes`() {
    let name: [UInt8] = [0x61, 0xFF]
    #expect(RunPlan([["a", "{}"]]).chains(for: [name]) == [[[[0x61], name]]])
  }

  @Test func `literal leaves all`() {
    let plan = RunPlan([["a", "{}", "{+}"]], isLiteral: true)
    #expect(!plan.needsPaths)
    #expect(plan.chains(for: [[0x78]]).count == 1)
  }

  @Test func `a changed path that is the program is not searched for`() {
    #expect(chains([["{}", "{}"]], ["sh", "a/b"]) == [[["./sh", "sh"]], [["a/b", "a/b"]]])
    #expect(chains([["{+}"]], ["a", "b"]) == [[["./a", "b"]]])
  }

  @Test func `a script may name all paths several times`() {
    let paths = (0..<30_000).map { "\($0)" }
    let runs = chains([["echo {+}; echo {+} {+}"]], paths, shell: true)
    #expect(runs.allSatisfy { $0[0][2].utf8.count < 128 << 10 })
    #expect(runs.count < 8)
  }

  @Test(arguments: [true, false]) func `more paths than the system allows are several runs`(_ usesShell: Bool) throws {
    let paths = (0..<30_000).map { "\($0)-" + String(repeating: "x", count: 100) }
    let runs = chains([["echo", "{+}"]], paths, shell: usesShell)
    #expect(runs.count > 1)
    let given = runs.flatMap { run in
      usesShell
        ? run[0][2].split(separator: " ").dropFirst().map { String($0.filter { $0 != "'" }) } : Array(run[0][1...])
    }
    #expect(given == paths)
    for run in runs {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = run[0]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
  }
}
