import EventLoops
import Glibc

extension FileWatchError {
  /// Returns the error for `errno` after `call` failed for `path`.
  static func system(_ errno: Int32, _ call: String, _ path: BytePath) -> FileWatchError {
    switch errno {
    case ENOSPC: .watchLimit(path, limit: watchLimit())
    default: .cannotWatch(path, UVError(errno: errno, call: call, path: path.description))
    }
  }

  /// Returns whether a directory below a root is skipped after `errno`: it was removed or replaced, or is not readable. Other errors must not
  /// go unnoticed.
  static func isPassedOver(_ errno: Int32) -> Bool {
    switch errno {
    case ENOENT, ENOTDIR, ELOOP, EACCES, EPERM, ESTALE, EIO, ENXIO, ENODEV: true
    default: false
    }
  }

  /// Returns whether nothing is there: it does not exist, or another kind of file is in its place.
  static func isAbsent(_ errno: Int32) -> Bool { [ENOENT, ENOTDIR, ELOOP, ESTALE].contains(errno) }

  /// Returns whether a directory may be readable later without any event: its device has reported an error.
  static func isTransient(_ errno: Int32) -> Bool { errno == EIO || errno == ENXIO || errno == ENODEV }

  /// The sysctl `fs.inotify.max_user_watches`.
  static func watchLimit() -> Int? {
    let file = open("/proc/sys/fs/inotify/max_user_watches", O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
      let length = read(file, buffer.baseAddress!, buffer.count)
      var limit: Int?
      for byte in buffer.prefix(max(0, length)) {
        guard byte >= 48, byte <= 57 else { break }
        limit = (limit ?? 0) * 10 + Int(byte - 48)
      }
      return limit
    }
  }
}
