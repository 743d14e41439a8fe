import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's `write`, under a name that no method here has.
private nonisolated func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// The temporary file that tells a command what has changed, and the variables of the environment that name it.
///
/// `HEADWATCH_CHANGES_FILE` is the file's path, a JSON object on each line, as `--json` prints them. `HEADWATCH_PATH` is
/// the path that has changed where it is only one, and `HEADWATCH_PATHS` are all of them, a line each. A run without a change
/// has an empty file. The file is removed with this object, when the next run begins or the program ends.
final class ChangesFile {
  /// More bytes of paths than these are not put into the environment: the system takes 128 KiB in one variable.
  private static let variableBound = 65_536

  private let path: UnsafeMutablePointer<CChar>
  /// A file without a name, with what the command is to read; -1 if there is none.
  private var inputFile: Int32 = -1

  /// Writes the file and sets the variables, which children inherit. Nil where no file can be made: the command then runs
  /// without.
  init?(_ changes: ChangeSet, _ input: Options.StandardInput = .inherit) {
    // The program's own environment, and not a copy with additions: values that are not UTF-8 stay what they are.
    unsetenv("HEADWATCH_CHANGES_FILE")
    unsetenv("HEADWATCH_PATH")
    unsetenv("HEADWATCH_PATHS")
    if let only = changes.onlyPath { Self.set("HEADWATCH_PATH", Array(only)) }
    let lines = Array(changes.paths.joined(separator: [UInt8(ascii: "\n")]))
    if !lines.isEmpty, lines.count <= Self.variableBound { Self.set("HEADWATCH_PATHS", lines) }
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    path = strdup("\(directory)/\(DefaultIgnores.ownFilePrefix)XXXXXX")
    let descriptor = mkstemp(path)
    guard descriptor >= 0 else {
      free(path)
      return nil
    }
    Self.write(changes.records, to: descriptor)
    close(descriptor)
    setenv("HEADWATCH_CHANGES_FILE", path, 1)
    switch input {
    case .inherit, .null: break
    case .json: inputFile = open(path, O_RDONLY | O_CLOEXEC)
    case .paths: inputFile = Self.file(changes.paths.flatMap { $0 + [UInt8(ascii: "\n")] }, in: directory)
    case .print0: inputFile = Self.file(changes.paths.flatMap { $0 + [0] }, in: directory)
    }
  }

  /// A descriptor from which the command reads what has changed, from the beginning; the caller closes it.
  func openInput() -> Int32? {
    if inputFile < 0 { return nil }
    // A copy of the descriptor would go on where the command before has stopped reading.
    let copy = open("/proc/self/fd/\(inputFile)", O_RDONLY | O_CLOEXEC)
    if copy >= 0 { return copy }
    lseek(inputFile, 0, SEEK_SET)
    return dup(inputFile)
  }

  /// A file without a name.
  private static func file(_ content: [UInt8], in directory: String) -> Int32 {
    let path = strdup("\(directory)/\(DefaultIgnores.ownFilePrefix)XXXXXX")!
    defer { free(path) }
    let descriptor = mkstemp(path)
    if descriptor < 0 { return -1 }
    unlink(path)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    write(content, to: descriptor)
    return descriptor
  }

  private static func write(_ content: [UInt8], to descriptor: Int32) {
    content.withUnsafeBytes { buffer in
      var offset = 0
      while offset < buffer.count {
        let count = writeBytes(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
        if count < 0, errno != EINTR { break }
        offset += max(0, count)
      }
    }
  }

  private static func set(_ name: String, _ value: [UInt8]) {
    _ = (value + [0]).withUnsafeBytes { setenv(name, $0.baseAddress!.assumingMemoryBound(to: CChar.self), 1) }
  }

  isolated deinit {
    if inputFile >= 0 { close(inputFile) }
    unlink(path)
    free(path)
  }
}
