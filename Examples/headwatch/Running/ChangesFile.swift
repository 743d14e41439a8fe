import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls the system's `write`, whose name is hidden by a method of the type below.
private nonisolated func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// The temporary file that lists the changes for a command, and the environment variables that describe them.
///
/// `HEADWATCH_CHANGES_FILE` is the path of the file, which has a JSON object on each line, in the format of `--json`.
/// `HEADWATCH_PATH` is the changed path if there is only one. `HEADWATCH_PATHS` lists all changed paths, one per line.
/// A run without a change has an empty file. The file is removed when this object is deallocated, which happens when
/// the next run begins or the program ends.
final class ChangesFile {
  /// The maximum size of `HEADWATCH_PATHS` in bytes. Linux limits a variable to 128 KiB.
  private static let variableBound = 65_536

  private let path: [CChar]
  /// The descriptor of the file with the input for the command, or -1 if there is none.
  private let inputFile: Int32

  /// Writes the file and sets the variables, which child processes inherit. Throws if the directory for temporary files
  /// cannot be written to, or is full.
  init(_ changes: ChangeSet, _ input: Options.StandardInput = .inherit) throws(UVError) {
    // Changes the program's own environment instead of a copy, so that values that are not UTF-8 stay unchanged.
    unsetenv("HEADWATCH_CHANGES_FILE")
    unsetenv("HEADWATCH_PATH")
    unsetenv("HEADWATCH_PATHS")
    if let only = changes.onlyPath { Self.set("HEADWATCH_PATH", Array(only)) }
    let lines = Array(changes.paths.joined(separator: [UInt8(ascii: "\n")]))
    if !lines.isEmpty, lines.count <= Self.variableBound { Self.set("HEADWATCH_PATHS", lines) }
    let (path, file) = try Self.create(changes.records)
    close(file)
    do throws(UVError) {
      inputFile =
        switch input {
        case .inherit, .null: -1
        case .json: try Self.unnamed(changes.records)
        case .paths: try Self.unnamed(changes.paths.flatMap { $0 + [UInt8(ascii: "\n")] })
        case .print0: try Self.unnamed(changes.paths.flatMap { $0 + [0] })
        }
    } catch {
      unlink(path)
      throw error
    }
    setenv("HEADWATCH_CHANGES_FILE", path, 1)
    self.path = path
  }

  /// Opens the input for the command at its beginning, and returns a descriptor that the caller closes. Returns nil if
  /// there is none.
  func openInput() -> Int32? {
    if inputFile < 0 { return nil }
    // A duplicate of the descriptor would continue where the previous command has stopped reading.
    let copy = open("/proc/self/fd/\(inputFile)", O_RDONLY | O_CLOEXEC)
    if copy >= 0 { return copy }
    lseek(inputFile, 0, SEEK_SET)
    return dup(inputFile)
  }

  /// Creates a file without a name, and returns its descriptor.
  private static func unnamed(_ content: [UInt8]) throws(UVError) -> Int32 {
    let (path, file) = try create(content)
    unlink(path)
    return file
  }

  /// Creates a temporary file, and returns its path and its descriptor.
  private static func create(_ content: [UInt8]) throws(UVError) -> (path: [CChar], file: Int32) {
    // Not a string, because a directory may have a name that is not UTF-8.
    let directory = getenv("TMPDIR").map { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) }
    let name = "/\(DefaultIgnores.ownFilePrefix)XXXXXX".utf8CString
    var path = (directory ?? Array("/tmp".utf8CString.dropLast())) + name
    let file = mkstemp(&path)
    guard file >= 0 else { throw UVError(errno: errno, call: "mkstemp") }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    if let error = write(content, to: file) {
      close(file)
      unlink(path)
      throw error
    }
    return (path, file)
  }

  private static func write(_ content: [UInt8], to descriptor: Int32) -> UVError? {
    content.withUnsafeBytes { buffer in
      var offset = 0
      while offset < buffer.count {
        let count = writeBytes(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
        if count < 0, errno != EINTR { return UVError(errno: errno, call: "write") }
        offset += max(0, count)
      }
      return nil
    }
  }

  private static func set(_ name: String, _ value: [UInt8]) {
    _ = (value + [0]).withUnsafeBytes { setenv(name, $0.baseAddress!.assumingMemoryBound(to: CChar.self), 1) }
  }

  isolated deinit {
    if inputFile >= 0 { close(inputFile) }
    unlink(path)
  }
}
