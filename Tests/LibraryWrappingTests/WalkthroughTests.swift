import Foundation
import Testing

@testable import LibraryWrapping

/// The tutorial Docs/Tutorials/WrapACLibrary.md: its program, the output of the program, and its choices.
// The program is linked with the modules that are built beside the tests.
@Suite("Walk-through", .enabled(if: Built.canRun && FileManager.default.fileExists(atPath: "/usr/include/expat.h")))
struct WalkthroughTests {
  /// The code blocks of the page, without their indentation.
  private func blocks() throws -> [String] {
    let page = try String(
      contentsOf: Built.root.appendingPathComponent("Docs/Tutorials/WrapACLibrary.md"), encoding: .utf8)
    let parts = page.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    return parts.map { part in
      let lines = part.components(separatedBy: "\n").dropFirst()
      let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
      return lines.map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
    }
  }

  @Test func `its program prints what the page says, and its choices leave what they name`() throws {
    let blocks = try blocks()
    let place = try #require(blocks.firstIndex { $0.hasPrefix("import Expat") })
    let choices = try #require(blocks.first { $0.hasPrefix("* skip") })
    let folder = try HeaderTests.Folder(["main.swift": blocks[place]])
    let options = ["expat.h", "--module", "Expat", "--output", folder.path, "--link", "expat"]
    _ = try WrapLibrary.run(try CommandOptions(options + ["--thread", "caller"]))
    try Built.compile("Expat", in: folder.path)
    let printed = try Built.run("main.swift", with: "Expat", in: folder.path, ["-lexpat"])
    #expect(printed == blocks[place + 1])
    try choices.write(toFile: folder.path + "/Expat/Expat.choices", atomically: true, encoding: .utf8)
    _ = try WrapLibrary.run(try CommandOptions(options + ["--force"]))
    try Built.compile("Expat", in: folder.path)
    let code = try Built.code("Expat", in: folder.path)
    #expect(code.contains("func remarks()") && code.contains("func parse(") && !code.contains("func elementEnds"))
  }
}
