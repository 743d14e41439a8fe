import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Paths that a file or standard input lists.
nonisolated enum PathList {
  /// All that standard input lists: a line each, or a zero byte after each if there is one.
  static func readStandardInput() throws -> [BytePath] {
    guard let content = read(STDIN_FILENO) else { throw UsageError("Standard input cannot be read.") }
    let separator: UInt8 = content.contains(0) ? 0 : 10
    return content.split(separator: separator).map { BytePath(bytes: Array($0)) }
  }

  /// The lines of a file.
  static func lines(of path: String) throws -> [[UInt8]] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw UsageError("'\(path)' cannot be read: \(UVError(errno: errno, call: "open").message).")
    }
    defer { close(file) }
    guard let content = read(file) else {
      throw UsageError("'\(path)' cannot be read: \(UVError(errno: errno, call: "read").message).")
    }
    return content.split(separator: 10).map { Array($0.last == 13 ? $0.dropLast() : $0) }
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

/// Reads what there is, and tries again if a signal comes in between.
nonisolated func unbufferedRead(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  while true {
    let count = read(file, buffer.baseAddress, buffer.count)
    if count >= 0 || errno != EINTR { return count }
  }
}
