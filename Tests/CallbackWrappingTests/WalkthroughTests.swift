import Foundation
import Testing

@testable import CallbackWrapping

/// What is built beside the tests.
private enum Built {
  static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static var canRun: Bool {
    let files = FileManager.default
    return files.fileExists(atPath: "/usr/include/expat.h")
      && files.fileExists(atPath: products.appendingPathComponent("Modules/Headwater.swiftmodule").path)
      && ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] == nil
  }
}

/// The walk-through of Docs/WrappingCLibraries.md: its choices, its program, and what that prints.
// Links with the modules that are built beside the tests.
@Suite("Walk-through", .enabled(if: Built.canRun))
struct WalkthroughTests {
  /// The blocks of the page, without their indentation.
  private func blocks() throws -> [String] {
    let page = try String(
      contentsOf: Built.root.appendingPathComponent("Docs/WrappingCLibraries.md"), encoding: .utf8)
    let parts = page.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    return parts.map { part in
      let lines = part.components(separatedBy: "\n").dropFirst()
      let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
      return lines.map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
    }
  }

  @Test("Its program prints what the page says")
  func program() throws {
    let blocks = try blocks()
    let choices = try #require(blocks.first { $0.hasPrefix("XML_SetCommentHandler/1") })
    let place = try #require(blocks.firstIndex { $0.hasPrefix("import CExpat") })
    let folder = try HeaderTests.Folder(["main.swift": blocks[place], "Expat.choices": choices])
    _ = try WrapCallbacks.run(
      try CommandOptions([
        "expat.h", "--module", "Expat", "--output", folder.path, "--choices", folder.path + "/Expat.choices", "--link",
        "expat",
      ]))
    var maps = ["-Xcc", "-fmodule-map-file=\(folder.path)/CExpat/module.modulemap"]
    for name in ["CStreams/include", "CEventLoops/include", "CUV"] {
      maps += ["-Xcc", "-fmodule-map-file=\(Built.root.path)/Sources/\(name)/module.modulemap"]
    }
    let common =
      ["swiftc", "-swift-version", "6", "-I", folder.path, "-I", Built.products.path + "/Modules"] + maps
    try run(
      common + [
        "-module-name", "Expat", "-parse-as-library", "-emit-module", "-emit-module-path",
        folder.path + "/Expat.swiftmodule", "-c", folder.path + "/Expat/Expat.swift", "-o", folder.path + "/Expat.o",
      ])
    try run(
      common + ["-module-name", "program", folder.path + "/main.swift", folder.path + "/Expat.o"] + objects()
        + ["-luv", "-lexpat", "-o", folder.path + "/program"])
    let printed = try run([folder.path + "/program"])
    #expect(printed == blocks[place + 1])
  }

  /// The object files of Headwater and of what it depends on.
  private func objects() -> [String] {
    let modules = [
      "CStreams", "CEventLoops", "Streams", "Properties", "Stores", "Delegates", "Callbacks", "EventLoops",
      "FileWatching", "Headwater", "DequeModule", "InternalCollectionsUtilities", "ContainersPreview",
      "BasicContainers", "TrailingElementsModule",
    ]
    return modules.flatMap { module in
      let folder = Built.products.appendingPathComponent(module + ".build").path
      let files = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
      // Not those of sources that are gone: the build leaves them.
      let sources = try? String(contentsOfFile: folder + "/sources", encoding: .utf8)
      return files.filter { file in
        guard file.hasSuffix(".o") else { return false }
        return sources.map { $0.contains("/" + file.dropLast(2)) } ?? true
      }.map { folder + "/" + $0 }
    }
  }

  @discardableResult
  private func run(_ command: [String]) throws -> String {
    let process = try #require(FinishedProcess.run(command))
    #expect(process.status == 0, "\(process.errors)")
    #expect(!process.errors.contains("warning:"), "\(process.errors)")
    return process.text
  }
}
