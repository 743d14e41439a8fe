import Foundation
import StreamsTesting
import Testing

@testable import EventLoops

/// Runs the loop-probe program, which is built beside the tests, and gives what it printed.
func probe(_ name: String) async throws -> (output: String, errorOutput: String, status: ProcessExit) {
  // Waiting blocks: not a thread of the concurrency pool.
  try await onOwnThread { try runProbe(name) }
}

private func runProbe(_ name: String) throws -> (output: String, errorOutput: String, status: ProcessExit) {
  let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  let process = Foundation.Process()
  process.executableURL = directory.appendingPathComponent("loop-probe")
  process.arguments = [name]
  process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
  let output = Pipe()
  let errorOutput = Pipe()
  process.standardOutput = output
  process.standardError = errorOutput
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  let errorText = String(decoding: errorOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  let status: ProcessExit =
    process.terminationReason == .exit
    ? .exited(process.terminationStatus) : .signalled(Signal(rawValue: process.terminationStatus))
  return (text, errorText, status)
}

/// Fails the test by ending the loop when what it waits for has not come in time.
func deadline(_ loop: Loop, _ duration: Duration = .seconds(240)) -> TimerHandle {
  let timer = try! TimerHandle(on: loop)
  timer.keepsLoopAlive = false
  timer.start(after: duration) {
    Issue.record("what the test waits for has not come within \(duration)")
    loop.stop()
  }
  return timer
}
