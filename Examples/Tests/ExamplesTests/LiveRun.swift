import Foundation
import Testing

/// A run of an example that continues until a signal ends it, with its output.
///
/// Its methods block, so use it on its own thread.
final class LiveRun {
  private let process = Process()
  private let watchdog: DispatchWorkItem
  private let source: FileHandle
  private(set) var output = ""

  /// Starts the example that is built beside the tests, with its output in a pipe or in its own terminal.
  init(_ name: String, _ arguments: [String], inTerminal: Bool = false) throws {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    process.executableURL = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    var childEnd: FileHandle?
    if inTerminal {
      let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      // The requests are TIOCSPTLCK and TIOCGPTN. Swift does not see the functions of the C library for them.
      var lock: Int32 = 0
      var number: UInt32 = 0
      try #require(ioctl(descriptor, 0x4004_5431, &lock) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0)
      source = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      let end = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
      try #require(end >= 0)
      let handle = FileHandle(fileDescriptor: end, closeOnDealloc: true)
      process.standardOutput = handle
      childEnd = handle
    } else {
      let pipe = Pipe()
      process.standardOutput = pipe
      source = pipe.fileHandleForReading
    }
    try process.run()
    // With this end closed, reading ends when the program does.
    try childEnd?.close()
    // The time limit affects only failing tests.
    let pid = process.processIdentifier
    watchdog = DispatchWorkItem { kill(pid, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watchdog)
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    watchdog.cancel()
  }

  /// Reads until `isEnough` returns true for the output so far. Returns false if the output ends first.
  func read(until isEnough: (String) -> Bool) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while !isEnough(output) {
      // Reading from a terminal fails after its program has ended.
      let count = Foundation.read(source.fileDescriptor, &chunk, chunk.count)
      guard count > 0 else { return false }
      output += String(decoding: chunk[..<count], as: UTF8.self)
    }
    return true
  }

  /// Sends a signal, and reads the rest of the output. Returns the exit code, or nil if an unhandled signal ended the program.
  func end(by signal: Int32) -> Int32? {
    kill(process.processIdentifier, signal)
    _ = read { _ in false }
    process.waitUntilExit()
    watchdog.cancel()
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }
}
