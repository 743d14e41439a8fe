import Foundation
import StreamsTesting
import Testing

/// A finished run of an example.
struct Run {
  let output: String
  let exitCode: Int32

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Runs the example that is built beside the tests, with `input` as standard input. Waits for its end on another thread.
  static func example(_ name: String, _ arguments: [String] = [], input: String = "") async throws -> Run {
    try await onOwnThread {
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name)
      process.arguments = arguments
      let (standardInput, standardOutput) = (Pipe(), Pipe())
      process.standardInput = standardInput
      process.standardOutput = standardOutput
      try process.run()
      // The pipe has room for the whole input, even if the program does not read it.
      try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try standardInput.fileHandleForWriting.close()
      let output = standardOutput.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Run(output: String(decoding: output, as: UTF8.self), exitCode: process.terminationStatus)
    }
  }
}
