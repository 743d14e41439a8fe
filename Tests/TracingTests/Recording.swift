import Foundation
import StreamsTesting
import Testing

/// A recording that a program wrote, read with a strict parser.
struct Recording {
  let events: [[String: Any]]
  let output: String
  let bytes: Int

  /// Runs `traced-probe` and reads what it has recorded.
  init(of program: String, limit: Int? = nil, status: Int32 = 0) async throws {
    let path = Self.newPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    var environment = ProcessInfo.processInfo.environment
    environment["HEADWATER_TRACE"] = path
    environment["HEADWATER_TRACE_LIMIT"] = limit.map { "\($0)" }
    output = try await Self.run(program, environment, status: status)
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes = data.count
    // In a file that is full, the newest lines are not the last.
    events = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
      .sorted { ($0["ts"] as? Double ?? 0) < ($1["ts"] as? Double ?? 0) }
  }

  /// The first line of the probe that contains `text`.
  static func line(of text: String) -> Int? {
    let probe = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("TracedProbe/TracedProbe.swift")
    let lines = try? String(contentsOf: probe, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    return lines?.firstIndex { $0.contains(text) }.map { $0 + 1 }
  }

  static func newPath() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("trace-\(UUID().uuidString).json").path
  }

  /// The standard output of a program that is built beside the tests.
  static func run(
    _ arguments: String, _ environment: [String: String], status: Int32 = 0, of program: String = "traced-probe"
  ) async throws -> String {
    // Waiting blocks, so it does not happen on a thread of the concurrency pool.
    try await onOwnThread {
      let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      let process = Foundation.Process()
      process.executableURL = directory.appendingPathComponent(program)
      process.arguments = arguments.split(separator: " ").map(String.init)
      process.environment = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == status)
      return text
    }
  }

  func named(_ name: String, _ phase: String) -> [[String: Any]] {
    events.filter { $0["name"] as? String == name && $0["ph"] as? String == phase }
  }

  func category(_ category: String, _ phase: String) -> [[String: Any]] {
    events.filter { $0["cat"] as? String == category && $0["ph"] as? String == phase }
  }

  /// The names of the events of a category in their order, or one of their arguments.
  func names(_ category: String, _ phase: String) -> [String] {
    self.category(category, phase).map { $0["name"] as! String }
  }

  func values(_ argument: String, _ events: [[String: Any]]) -> [String] {
    events.map { ($0["args"] as? [String: Any])?[argument].map { "\($0)" } ?? "" }
  }

  /// True if each slice that ends has begun. Those of other threads can be open when the program exits.
  var isNested: Bool {
    var depths: [Int: Int] = [:]
    for event in events {
      let thread = event["tid"] as? Int ?? 0
      if event["ph"] as? String == "B" { depths[thread, default: 0] += 1 }
      if event["ph"] as? String == "E" { depths[thread, default: 0] -= 1 }
      if depths[thread, default: 0] < 0 { return false }
    }
    return true
  }
}
