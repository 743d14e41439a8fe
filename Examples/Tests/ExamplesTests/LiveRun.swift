import Foundation
import Testing

/// A run of an example that goes on until a signal ends it, with its output. Blocks: use it on a thread of its own.
final class LiveRun {
  private let process = Process()
  private let watchdog: DispatchWorkItem
  private let source: FileHandle
  private(set) var output = ""

  /// Starts the example beside the running tests, with its output in a pipe, or in a terminal of its own.
  init(_ name: String, _ arguments: [String], inTerminal: Bool = false) throws {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    process.executableURL = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    var childEnd: FileHandle?
    if inTerminal {
      let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      // TIOCSPTLCK and TIOCGPTN: the functions of the C library for these are hidden from Swift.
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
    // The end of the program is the end of what is read.
    try childEnd?.close()
    // Decides nothing but how long a failure takes.
    let pid = process.processIdentifier
    watchdog = DispatchWorkItem { kill(pid, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watchdog)
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    watchdog.cancel()
  }

  /// Reads until the output so far is what is wanted. False at its end.
  func read(until isEnough: (String) -> Bool) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while !isEnough(output) {
      // A terminal without a program fails.
      let count = Foundation.read(source.fileDescriptor, &chunk, chunk.count)
      guard count > 0 else { return false }
      output += String(decoding: chunk[..<count], as: UTF8.self)
    }
    return true
  }

  /// Sends a signal, and reads what is written until the end: the exit code, or nil after a signal that nobody has handled.
  func end(by signal: Int32) -> Int32? {
    kill(process.processIdentifier, signal)
    _ = read { _ in false }
    process.waitUntilExit()
    watchdog.cancel()
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }
}
