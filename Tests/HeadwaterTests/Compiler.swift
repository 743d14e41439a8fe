import Foundation
import StreamsTesting

/// Has the compiler look at a program that imports this package, as a user's target would.
enum Compiler {
  /// The package's root.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Whether the package was built with its macros.
  #if Macros
  static let hasMacros = true
  #else
  static let hasMacros = false
  #endif

  /// One compiler at a time: many at once starve the tests that run meanwhile.
  private static let turn = NSLock()

  /// What the compiler says of `source`, and whether it accepts it. Diagnostics that need SIL are included.
  static func check(_ source: String) async throws -> (accepts: Bool, output: String) {
    // Waiting blocks: not a thread of the concurrency pool.
    try await onOwnThread { try turn.withLock { try run(source) } }
  }

  private static func run(_ source: String) throws -> (accepts: Bool, output: String) {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appendingPathComponent("main.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let plugin = products.appendingPathComponent("DelegateMacrosPlugin-tool").path
    let macros = hasMacros ? ["-load-plugin-executable", "\(plugin)#DelegateMacrosPlugin"] : []
    process.arguments =
      [
        "swiftc", "-swift-version", "6", "-emit-sil", "-o", "/dev/null", "-I",
        products.appendingPathComponent("Modules").path, "-Xcc",
        "-fmodule-map-file=\(root.path)/Sources/CUV/module.modulemap", "-Xcc",
        "-fmodule-map-file=\(root.path)/Sources/CEventLoops/include/module.modulemap", file.path,
      ] + macros
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.currentDirectoryURL = directory
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus == 0, text)
  }
}
