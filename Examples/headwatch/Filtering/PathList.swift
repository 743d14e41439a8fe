import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Functions that read lists of paths and patterns from files and standard input.
nonisolated enum PathList {
  /// Reads all paths from standard input. If there is a zero byte, a zero byte follows each path. Otherwise, each line
  /// is a path.
  static func readStandardInput() throws -> [BytePath] {
    guard let content = read(STDIN_FILENO) else { throw UsageError("Standard input cannot be read.") }
    let separator: UInt8 = content.contains(0) ? 0 : 10
    return content.split(separator: separator).map { BytePath(bytes: Array($0)) }
  }

  /// Returns the lines of a file. Removes a carriage return at the end of a line.
  static func lines(of path: String) throws -> [[UInt8]] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw UsageError("'\(path)' cannot be read: \(UVError(errno: errno, call: "open").message).")
    }
    defer { close(file) }
    guard let content = read(file) else {
      throw UsageError("'\(path)' cannot be read: \(UVError(errno: errno, call: "read").message).")
    }
    return content.split(separator: 10, omittingEmptySubsequences: false).map {
      Array($0.last == 13 ? $0.dropLast() : $0)
    }
  }

  private static func read(_ file: Int32) -> [UInt8]? {
    var content: [UInt8] = []
    return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
      while true {
        let count = unbufferedRead(file, buffer)
        if count < 0 { return nil }
        if count == 0 { return content }
        content += buffer[..<count]
      }
    }
  }
}

/// Calls `read`, and calls it again if a signal interrupts it.
nonisolated func unbufferedRead(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  while true {
    let count = read(file, buffer.baseAddress, buffer.count)
    if count >= 0 || errno != EINTR { return count }
  }
}
