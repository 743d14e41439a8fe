import EventLoops
import Glibc

/// The kernel's queue of file events: a descriptor on which directories are watched, and which becomes readable when
/// something has happened in one of them.
///
/// This is the callback source under the module: libuv calls back when there is something to read. It has a descriptor of
/// its own because libuv's `uv_fs_event` drops what a recursive watcher lives on: cookies, overflows, `IN_ISDIR`.
///
/// Ownership: libuv ===> PollHandle ===> `onReadable`, until the handle has closed. The descriptor is closed after it.
final class INotify {
  let descriptor: Int32
  private let handle: PollHandle

  /// Everything that can happen in a directory. All directories are watched with the same mask: the kernel has one watch
  /// for each inode, whoever asks for it.
  static let directoryMask = UInt32(
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF
      | IN_MOVE_SELF | IN_EXCL_UNLINK | IN_ONLYDIR)

  /// What tells that a name in a directory has come or gone.
  static let sentinelMask = UInt32(
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  /// What tells that a directory itself has moved.
  static let ancestorMask = UInt32(IN_MOVE_SELF | IN_ONLYDIR)

  init(keepsLoopAlive: Bool) throws(FileWatchError) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    if descriptor < 0 { throw .instanceLimit(UVError(errno: errno, call: "inotify_init1")) }
    do {
      handle = try PollHandle(descriptor: descriptor)
    } catch {
      Glibc.close(descriptor)
      throw .instanceLimit(error)
    }
    handle.keepsLoopAlive = keepsLoopAlive
    handle.onClosed { [descriptor] in Glibc.close(descriptor) }
  }

  /// Calls back each time that there is something to read.
  func start(_ onReadable: @escaping (Result<PollEvents, UVError>) -> Void) throws(FileWatchError) {
    do { try handle.start(.readable, onReadable) } catch { throw .instanceLimit(error) }
  }

  /// Closes the handle, and on a later turn of the loop the descriptor with all its watches.
  func close() { handle.dispose() }

  /// Watches the directory that is open as `directory`, and returns the watch's number: the same number for the same
  /// directory, by whatever path it was opened, which makes it the identity of a directory. The mask is added to the one
  /// that the watch may have already. Negative with `errno` set when it cannot be watched.
  func watch(_ directory: Int32, _ mask: UInt32 = directoryMask) -> Int32 {
    // A path would be resolved again, and could lead to another directory by now.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { path in
      var length = 0
      for byte in "/proc/self/fd/".utf8 {
        path[length] = CChar(bitPattern: byte)
        length += 1
      }
      var divisor: Int32 = 1
      while directory / divisor >= 10 { divisor *= 10 }
      while divisor > 0 {
        path[length] = CChar(48 + directory / divisor % 10)
        length += 1
        divisor /= 10
      }
      path[length] = 0
      // Without `IN_MASK_ADD` the kernel empties the mask of a watch for a moment, and drops what happens just then.
      return inotify_add_watch(descriptor, path.baseAddress!, mask | UInt32(IN_MASK_ADD))
    }
  }

  /// Takes a watch back. Events of it that are in the queue still come.
  func unwatch(_ number: Int32) { inotify_rm_watch(descriptor, number) }
}
