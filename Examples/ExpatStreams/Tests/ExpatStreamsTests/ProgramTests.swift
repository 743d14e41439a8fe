import Foundation
import StreamsTesting
import Testing

/// Runs the program xml-outline from the directory of build products of the tests.
private func run(_ arguments: [String], input: String = "") async throws -> (
  output: String, errors: String, status: Int32
) {
  // Waiting blocks the thread, so it must not be a thread of the concurrency pool.
  try await onOwnThread {
    let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let process = Foundation.Process()
    process.executableURL = directory.appendingPathComponent("xml-outline")
    process.arguments = arguments
    // Globals live until the program exits. LeakSanitizer reports a global object that has weak references, because it
    // cannot follow the packed pointer.
    process.environment = ProcessInfo.processInfo.environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
    let (keyboard, screen, messages) = (Foundation.Pipe(), Foundation.Pipe(), Foundation.Pipe())
    process.standardInput = keyboard
    process.standardOutput = screen
    process.standardError = messages
    try process.run()
    try keyboard.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try keyboard.fileHandleForWriting.close()
    let output = String(decoding: screen.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let errors = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (output, errors, process.terminationStatus)
  }
}

extension ExpatTests {
  @Test
  static func `the program prints the outline of a document, and says where one is wrong`() async throws {
    let good = try await run([], input: #"<a x="1">one<b/> two &lt; three<!--c--><c>d</c></a>"#)
    #expect(good.status == 0)
    #expect(
      good.output == "a x=\"1\"\n  “one”\n  b\n  “two < three”\n  (c)\n  c\n    “d”\nThat is the whole document.\n")
    let wrong = try await run([], input: "<a><b></a>")
    #expect(wrong.status == 65)
    #expect(wrong.output == "a\n  b\n")
    #expect(wrong.errors == "/dev/stdin:1:8: mismatched tag\n")
  }
}
