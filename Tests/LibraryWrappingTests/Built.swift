import Foundation
import Testing

@testable import LibraryWrapping

/// The products that are built beside the tests.
enum Built {
  static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The program `wrap-library`.
  static let command = products.appendingPathComponent("wrap-library").path

  static var canRun: Bool {
    let files = FileManager.default
    return files.fileExists(atPath: products.appendingPathComponent("Modules/Headwater.swiftmodule").path)
      && ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] == nil
  }

  /// Compiles the generated code of a module as a package with default settings does. A warning is an issue.
  static func compile(_ module: String, in folder: String, flags: [String] = []) throws {
    try run(
      common(module, folder) + flags.flatMap { ["-Xcc", $0] } + [
        "-module-name", module, "-parse-as-library", "-emit-module", "-emit-module-path",
        folder + "/\(module).swiftmodule", "-wmo", "-o", folder + "/\(module).o", "-c",
      ] + sources(module, folder))
  }

  /// Makes all checks of the compiler, but writes nothing. Takes less than half the time of `compile`.
  static func check(_ module: String, in folder: String, flags: [String] = [], options: [String] = []) throws {
    try run(
      common(module, folder) + options + flags.flatMap { ["-Xcc", $0] } + [
        "-module-name", module, "-parse-as-library", "-wmo", "-emit-sil", "-o", "/dev/null",
      ] + sources(module, folder))
  }

  private static func sources(_ module: String, _ folder: String) throws -> [String] {
    let path = "\(folder)/\(module)"
    return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".swift") }.sorted()
      .map { "\(path)/\($0)" }
  }

  /// The text of all Swift files of a module.
  static func code(_ module: String, in folder: String) throws -> String {
    try sources(module, folder).map { try String(contentsOfFile: $0, encoding: .utf8) }.joined(separator: "\n")
  }

  /// Builds and runs a program, and returns what it printed.
  static func run(
    _ file: String, with module: String, in folder: String, _ links: [String], launcher: [String] = [],
    arguments: [String] = [], isCrash: Bool = false, flags: [String] = [], features: [String] = []
  ) throws -> String {
    try run(
      common(module, folder) + features.flatMap { ["-enable-upcoming-feature", $0] } + flags.flatMap { ["-Xcc", $0] }
        + [
          "-module-name", "program", folder + "/" + file, folder + "/\(module).o",
        ] + objects()
        + ["-luv"] + links + ["-o", folder + "/program"])
    if isCrash {
      let process = try #require(FinishedProcess.run(["env", "SWIFT_BACKTRACE=enable=no", folder + "/program"]))
      #expect(process.status != 0)
      return process.errors
    }
    return try run(launcher + [folder + "/program"] + arguments)
  }

  private static func common(_ module: String, _ folder: String) -> [String] {
    var maps = ["-Xcc", "-fmodule-map-file=\(folder)/C\(module)/module.modulemap"]
    for name in ["CStreams/include", "CEventLoops/include", "CUV"] {
      maps += ["-Xcc", "-fmodule-map-file=\(root.path)/Sources/\(name)/module.modulemap"]
    }
    return ["swiftc", "-swift-version", "6", "-I", folder, "-I", products.path + "/Modules"] + maps
  }

  /// The object files of Headwater and its dependencies.
  private static func objects() -> [String] {
    let modules = [
      "CStreams", "CEventLoops", "Streams", "Properties", "Stores", "Delegates", "Callbacks", "EventLoops",
      "FileWatching", "Headwater", "DequeModule", "InternalCollectionsUtilities", "ContainersPreview",
      "BasicContainers", "TrailingElementsModule",
    ]
    return modules.flatMap { module in
      let folder = Built.products.appendingPathComponent(module + ".build").path
      let files = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
      // The build leaves the object files of deleted sources. They are excluded here.
      let sources = try? String(contentsOfFile: folder + "/sources", encoding: .utf8)
      return files.filter { file in
        guard file.hasSuffix(".o") else { return false }
        return sources.map { $0.contains("/" + file.dropLast(2)) } ?? true
      }.map { folder + "/" + $0 }
    }
  }

  @discardableResult
  private static func run(_ command: [String]) throws -> String {
    let process = try #require(FinishedProcess.run(command))
    #expect(process.status == 0, "\(process.errors)")
    #expect(!process.errors.contains("warning:"), "\(process.errors)")
    return process.text
  }
}
