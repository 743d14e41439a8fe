import Foundation
import Testing

@testable import CallbackWrapping

/// The tutorial Docs/Tutorials/WrapACLibrary.md: its choices, its program, and the output of the program.
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

  @Test func `its program prints what the page says`() throws {
    let blocks = try blocks()
    let choices = try #require(blocks.first { $0.hasPrefix("XML_SetCommentHandler/1") })
    let place = try #require(blocks.firstIndex { $0.hasPrefix("import CExpat") })
    let folder = try HeaderTests.Folder(["main.swift": blocks[place], "Expat.choices": choices])
    _ = try WrapCallbacks.run(
      try CommandOptions([
        "expat.h", "--module", "Expat", "--output", folder.path, "--choices", folder.path + "/Expat.choices", "--link",
        "expat",
      ]))
    try Built.compile("Expat", in: folder.path)
    let printed = try Built.run("main.swift", with: "Expat", in: folder.path, ["-lexpat"])
    #expect(printed == blocks[place + 1])
  }
}
