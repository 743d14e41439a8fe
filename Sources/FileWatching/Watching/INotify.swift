import EventLoops
import Glibc

/// The kernel's queue of file events: a descriptor that watches directories, and becomes readable when one of them has
/// changed.
///
/// It is the source of the module's callbacks: libuv calls back when events can be read. It has its own descriptor,
/// because libuv's `uv_fs_event` drops information that a recursive watcher needs: cookies, overflows, and `IN_ISDIR`.
///
/// Ownership: libuv ===> PollHandle ===> `onReadable`, until the handle has closed. The descriptor is closed
/// afterwards.
final class INotify {
  let descriptor: Int32
  private let handle: PollHandle

  /// All events of a directory. All directories are watched with the same mask, because the kernel has one watch for
  /// each inode.
  static let directoryMask = UInt32(
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF
      | IN_MOVE_SELF | IN_EXCL_UNLINK | IN_ONLYDIR)

  /// The events that report that a name in a directory was added or removed.
  static let sentinelMask = UInt32(
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  /// The events that report that a directory itself has moved.
  static let ancestorMask = UInt32(IN_MOVE_SELF | IN_ONLYDIR)

  /// The events that report that a directory in a directory was removed, or replaced by a rename. The kernel sends
  /// `IN_DELETE_SELF` to a removed directory only after the last process has closed or left it.
  static let removalMask = UInt32(IN_DELETE | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR)

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

  /// Calls `onReadable` each time events can be read.
  func start(_ onReadable: @escaping (Result<PollEvents, UVError>) -> Void) throws(FileWatchError) {
    do { try handle.start(.readable, onReadable) } catch { throw .instanceLimit(error) }
  }

  /// Closes the handle. The descriptor with all its watches is closed in a later loop iteration.
  func close() { handle.dispose() }

  /// Watches the directory that is open as `directory`, and returns the number of the watch.
  ///
  /// The same directory always has the same number, whatever path it was opened by, so the number identifies it. The
  /// mask is added to the mask of an existing watch. Returns a negative number with `errno` set if the directory cannot
  /// be watched. A negative descriptor is one that could not be opened.
  func watch(_ directory: Int32, _ mask: UInt32 = directoryMask) -> Int32 {
    if directory < 0 { return -1 }
    // A path would be resolved again, and could lead to another directory by now.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { path in
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
      // Without `IN_MASK_ADD`, the kernel clears the mask of a watch for a moment, and drops events in between.
      return inotify_add_watch(descriptor, path.baseAddress!, mask | UInt32(IN_MASK_ADD))
    }
  }

  /// Ends a watch. Its events that are already in the queue are still delivered.
  func unwatch(_ number: Int32) { inotify_rm_watch(descriptor, number) }
}
