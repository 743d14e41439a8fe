import FileWatching

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The regular files that receive standard output and standard error. Reporting a write to one of them would write to
/// it again, in an endless loop.
nonisolated struct OwnOutput {
  private var files: [stat] = []

  /// Reads the standard descriptors of this process.
  init() {
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      var status = stat()
      if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { files.append(status) }
    }
  }

  /// Returns whether the event is a write to one of these files. Makes one system call for each modification if there
  /// are any.
  func causes(_ event: FileEvent) -> Bool {
    guard !files.isEmpty, event.kind == .modified else { return false }
    var status = stat()
    let result = (event.path.bytes + [0]).withUnsafeBytes {
      stat($0.baseAddress!.assumingMemoryBound(to: CChar.self), &status)
    }
    return result == 0 && files.contains { $0.st_dev == status.st_dev && $0.st_ino == status.st_ino }
  }
}
