import Foundation
import StreamsTesting
import Testing

/// Runs the program reminders from the directory of build products of the tests.
private func run(_ arguments: [String], input: String = "") async throws -> (output: String, status: Int32) {
  // Waiting blocks the thread, so it must not be a thread of the concurrency pool.
  try await onOwnThread {
    let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let process = Foundation.Process()
    process.executableURL = directory.appendingPathComponent("reminders")
    process.arguments = arguments
    // Globals live until the program exits. LeakSanitizer reports a global object that has weak references, because it
    // cannot follow the packed pointer.
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
