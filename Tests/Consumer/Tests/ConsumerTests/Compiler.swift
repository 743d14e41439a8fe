import Foundation
import StreamsTesting
import Testing

/// Compiles programs that import this package, as a target of a consumer would, and links them with it.
///
/// To object files: type-checking alone does not find that a value leaves its isolation domain.
enum Compiler {
  struct Result {
    /// Whether the compiler accepts the program.
    let accepts: Bool
    /// What the compiler writes.
    let output: String
  }

  /// The root of the repository.
  static let root: URL = {
    var directory = URL(fileURLWithPath: #filePath)
    for _ in 1...5 { directory.deleteLastPathComponent() }
    return directory
  }()

  /// Where SwiftPM has put what it built: the directory of the running tests.
  static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  /// The modules of the package that are written in C.
  private static let moduleMaps: [String] = {
    let sources = root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(atPath: sources.path)?.allObjects as? [String] ?? []
    return files.filter { $0.hasSuffix("/module.modulemap") }.map { sources.appendingPathComponent($0).path }
  }()

  /// As many compilers at a time as the machine has processors.
  private static let turns = Turns(ProcessInfo.processInfo.activeProcessorCount)

  /// Compiles `source` as the `main.swift` of a module.
  static func check(
    _ source: String, _ settings: Settings = .defaults, options: [String] = []
  ) async throws -> Result {
    try await withFolder { folder in
      let object = folder.appendingPathComponent("main.o").path
      return try await compile(source, settings, in: folder, to: options + ["-c", "-o", object])
    }
  }

  /// Compiles `source`, with other files, and links it to the program `program` in `folder`.
  static func build(
    _ source: String, and files: [URL] = [], _ settings: Settings, in folder: URL
  ) async throws -> Result {
    try await compile(
      source, and: files, settings, in: folder,
      to: [
        "-o", folder.appendingPathComponent("program").path, "-L", products.path, "-lEverything", "-Xlinker", "-rpath",
        "-Xlinker", products.path,
      ])
  }

  /// Runs `body` with a folder of its own, which is removed afterwards.
  static func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }

  private static func compile(
    _ source: String, and files: [URL] = [], _ settings: Settings, in folder: URL, to output: [String]
  ) async throws -> Result {
    // A program with a type that is marked @main has no code at the top level.
    let hasMain = source.contains("@main ")
    let file = folder.appendingPathComponent(hasMain ? "App.swift" : "main.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let arguments =
      ["swiftc", "-swift-version", "6", "-module-name", "App"] + output + [
        "-I", products.appendingPathComponent("Modules").path,
      ]
      + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
      + ["-load-plugin-executable", "\(products.path)/DelegateMacrosPlugin-tool#DelegateMacrosPlugin", file.path]
      + files.map(\.path) + settings.arguments + (hasMain ? ["-parse-as-library"] : [])
    return try await run(arguments, in: folder)
  }

  /// Runs a tool of Swift, and waits for its end.
  static func run(_ arguments: [String], in folder: URL) async throws -> Result {
    try await turns.take {
      // Waiting blocks: not a thread of the concurrency pool.
      try await onOwnThread {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.currentDirectoryURL = folder
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Result(accepts: process.terminationStatus == 0, output: text)
      }
    }
  }
}

/// Lets a number of tasks do something at a time, in the order in which they ask.
actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  /// Runs `body` when it is its turn.
  nonisolated func take<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value {
    await begin()
    do {
      let value = try await body()
      await end()
      return value
    } catch {
      await end()
      throw error
    }
  }

  private func begin() async {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
  }

  private func end() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
