import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The temporary file that tells a command what has changed, and the variables of the environment that name it.
///
/// `HEADWATCH_CHANGES_FILE` is the file's path, a JSON object on each line, as `--json` prints them. `HEADWATCH_PATH` is
/// the path that has changed where it is only one. A run without a change has an empty file. The file is removed with this
/// object, when the next run begins or the program ends.
final class ChangesFile {
  private let path: UnsafeMutablePointer<CChar>

  /// Writes the file and sets the variables, which children inherit. Nil where no file can be made: the command then runs
  /// without.
  init?(_ changes: ChangeSet) {
    // The program's own environment, and not a copy with additions: values that are not UTF-8 stay what they are.
    unsetenv("HEADWATCH_CHANGES_FILE")
    unsetenv("HEADWATCH_PATH")
    if let only = changes.onlyPath {
      _ = (only + [0]).withUnsafeBytes {
        setenv("HEADWATCH_PATH", $0.baseAddress!.assumingMemoryBound(to: CChar.self), 1)
      }
    }
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    path = strdup("\(directory)/\(DefaultIgnores.ownFilePrefix)XXXXXX")
    let descriptor = mkstemp(path)
    guard descriptor >= 0 else {
      free(path)
      return nil
    }
    changes.records.withUnsafeBytes { buffer in
      var offset = 0
      while offset < buffer.count {
        let count = write(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
        if count < 0, errno != EINTR { break }
        offset += max(0, count)
      }
    }
    close(descriptor)
    setenv("HEADWATCH_CHANGES_FILE", path, 1)
  }

  isolated deinit {
    unlink(path)
    free(path)
  }
}
