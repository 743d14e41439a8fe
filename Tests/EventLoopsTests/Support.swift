import Foundation
import StreamsTesting
import Testing

@testable import EventLoops

/// Runs a program that is built beside the tests, and returns its output and its exit status.
func probe(
  _ name: String, in program: String = "loop-probe", environment: [String: String] = [:]
) async throws -> (output: String, errorOutput: String, status: ProcessExit) {
  // Waiting blocks, so it does not happen on a thread of the concurrency pool.
  try await onOwnThread { try runProbe(name, program, environment) }
}

private func runProbe(
  _ name: String, _ program: String, _ environment: [String: String]
) throws -> (output: String, errorOutput: String, status: ProcessExit) {
  let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  let process = Foundation.Process()
  process.executableURL = directory.appendingPathComponent(program)
  process.arguments = name.split(separator: " ").map(String.init)
  process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    .merging(environment) { $1 }
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

/// Fails the test and stops the loop after `duration`. Disposing the returned timer prevents that.
func deadline(_ loop: Loop, _ duration: Duration = .seconds(840)) -> TimerHandle {
  let timer = try! TimerHandle(on: loop)
  timer.keepsLoopAlive = false
  timer.start(after: duration) {
    Issue.record("what the test waits for has not come within \(duration)")
    loop.stop()
  }
  return timer
}
