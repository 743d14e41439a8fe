import Foundation
import StreamsTesting
import Testing

/// Runs the program reminders, which is built beside the tests.
private func run(_ arguments: [String], input: String = "") async throws -> (output: String, status: Int32) {
  // Waiting blocks: not a thread of the concurrency pool.
  try await onOwnThread {
    let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let process = Foundation.Process()
    process.executableURL = directory.appendingPathComponent("reminders")
    process.arguments = arguments
    // A program's globals live to its end, and the leak checker cannot see through the packed pointers of what is held weakly.
    process.environment = ProcessInfo.processInfo.environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
    let (keyboard, screen) = (Foundation.Pipe(), Foundation.Pipe())
    process.standardInput = keyboard
    process.standardOutput = screen
    try process.run()
    try keyboard.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try keyboard.fileHandleForWriting.close()
    let output = String(decoding: screen.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (output, process.terminationStatus)
  }
}

extension ReadlineTests {
  @Test
  static func `the program reads commands from a pipe and reminds when their time has come`() async throws {
    let (output, status) = try await run([], input: "in 0 tea\nwhat\nin 3600 sleep\nlist\nquit\n")
    #expect(status == 0)
    for text in ["*** tea", "in SECONDS TEXT, list, or quit", "2. sleep"] {
      #expect(output.contains(text), "\(output)")
    }
  }
}
