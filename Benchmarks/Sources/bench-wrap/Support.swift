import Foundation

/// The goals that were missed.
var missed: [String] = []

/// Reads a table of Tests/LibraryWrappingTests/Expected.
func table(_ name: String) throws -> [[String]] {
  let path = root + "/Tests/LibraryWrappingTests/Expected/" + name
  return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    .filter { !$0.hasPrefix("#") }
    .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
}

/// Runs a command, and returns its status, its output, and the seconds of processor time of it and its children.
func run(_ command: [String], in directory: URL? = nil) throws -> (status: Int32, output: Data, seconds: Double) {
  let before = processorSeconds()
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = command
  if let directory { process.currentDirectoryURL = directory }
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, data, processorSeconds() - before)
}

/// The processor time of the children that have ended.
private func processorSeconds() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

func goal(_ name: String, _ part: Int, of all: Int, atLeast: Int? = nil, atMost: Int? = nil) {
  let percent = all == 0 ? 0 : Double(part) * 100 / Double(all)
  let bound = atLeast.map { "at least \($0) %" } ?? atMost.map { "at most \($0) %" } ?? ""
  print(
    name.padding(toLength: 44, withPad: " ", startingAt: 0), "\(part)/\(all)", String(format: "%.1f %%", percent), bound
  )
  if let atLeast, percent < Double(atLeast) { missed.append(name) }
  if let atMost, percent > Double(atMost) { missed.append(name) }
}

/// Makes a directory, passes it to `body`, and deletes it.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-wrap-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}
