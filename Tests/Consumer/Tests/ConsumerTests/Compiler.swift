import Foundation
import StreamsTesting
import Testing

/// Compiles programs that import this package, as a target of a consumer does, and links them with it.
///
/// Compiles to object files, because type-checking alone does not find that a value leaves its isolation domain.
enum Compiler {
  struct Result {
    /// Whether the compiler accepts the program.
    let accepts: Bool
    /// The output of the compiler.
    let output: String
  }

  /// The root of the repository.
  static let root: URL = {
    var directory = URL(fileURLWithPath: #filePath)
    for _ in 1...5 { directory.deleteLastPathComponent() }
    return directory
  }()

  /// The directory in which SwiftPM has put its products: that of the running tests.
  static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  /// The modules of the package that are written in C.
  private static let moduleMaps: [String] = {
    let sources = root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(atPath: sources.path)?.allObjects as? [String] ?? []
    return files.filter { $0.hasSuffix("/module.modulemap") }.map { sources.appendingPathComponent($0).path }
  }()

  /// Limits the compilers that run at a time to the number of processors.
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

  /// Compiles `source` and `files`, and links them into the executable `program` in `folder`.
  static func build(
    _ source: String, and files: [URL] = [], _ settings: Settings, options: [String] = [], in folder: URL
  ) async throws -> Result {
    try await compile(
      source, and: files, settings, in: folder,
      to: options + [
        "-o", folder.appendingPathComponent("program").path, "-L", products.path, "-lEverything", "-Xlinker", "-rpath",
        "-Xlinker", products.path,
      ])
  }

  /// Runs `body` with a new folder, and removes the folder afterwards.
  static func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }

  private static func compile(
    _ source: String, and files: [URL] = [], _ settings: Settings, in folder: URL, to output: [String]
  ) async throws -> Result {
    // Top-level code belongs in main.swift. A program with a type that is marked @main has none.
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

  /// Runs a Swift tool and waits until it exits.
  static func run(_ arguments: [String], in folder: URL) async throws -> Result {
    try await turns.take {
      // Waiting blocks, so it does not happen on a thread of the concurrency pool.
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

/// Limits how many tasks run a body at a time. The others wait in the order in which they ask.
actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  /// Runs `body` when a turn is free.
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
