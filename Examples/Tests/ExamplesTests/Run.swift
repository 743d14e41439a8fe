import Foundation
import StreamsTesting
import Testing

/// A run of an example to its end.
struct Run {
  let output: String
  let exitCode: Int32

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Runs the example beside the running tests with `input` as standard input. Waits for its end, on a thread of its own.
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
      // Few bytes: the pipe takes them all, whether they are read or not.
      try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try standardInput.fileHandleForWriting.close()
      let output = standardOutput.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Run(output: String(decoding: output, as: UTF8.self), exitCode: process.terminationStatus)
    }
  }
}
