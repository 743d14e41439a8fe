import EventLoops
import Glibc

/// The stage that watches: it makes the kernel report changes of directories, and identifies the directories by the
/// numbers of their watches. `PollingStage` handles directories that cannot be watched.
final class WatchingStage {
  let inotify: INotify
  let table: WatchTable
  private let options: FileWatchOptions
  private let polling: PollingStage
  /// The flag that prevents opening a directory through a symbolic link, unless links are followed.
  let linkFlag: Int32
  /// The directories that have been reported as unreadable.
  private var unreadable: Set<BytePath> = []
  /// Called with each directory that is dropped.
  var onDropped: (Directory) -> Void = { _ in }

  init(_ inotify: INotify, _ polling: PollingStage, _ options: FileWatchOptions) {
    self.inotify = inotify
    self.polling = polling
    self.options = options
    table = WatchTable(inotify)
    linkFlag = options.followsLinks ? 0 : O_NOFOLLOW
  }

  enum Probe {
    /// The parent directory is not at its expected path.
    case unreachable
    case missing
    /// A directory, with the number of its watch. The watch may have no user.
    case found(Int32)
  }

  /// Finds the directory that currently has a name. The caller handles an unreachable parent.
  func probe(_ name: NameBytes, in directory: Directory) throws(FileWatchError) -> Probe {
    let result = try withVerified(directory) { descriptor throws(FileWatchError) -> Probe in
      try probe(name, in: directory, descriptor)
    }
    return result ?? .unreachable
  }

  /// Finds the directory that currently has a name in an open directory.
  func probe(_ name: NameBytes, in directory: Directory, _ descriptor: Int32) throws(FileWatchError) -> Probe {
    let child = withTerminated(name) { openat(descriptor, $0, openPathOnly | O_DIRECTORY | linkFlag | O_CLOEXEC) }
    if child < 0 {
      let error = errno
      try passOver(error, "open", { directory.path(of: name) }, retrying: directory)
      return FileWatchError.isTransient(error) ? .unreachable : .missing
    }
    defer { close(child) }
    let number = inotify.watch(child)
    if number < 0 {
      // It cannot be distinguished from another polled directory.
      if errno == ENOSPC, options.polling != .never { return .found(-1) }
      try passOver(errno, "inotify_add_watch", { directory.path(of: name) })
      return .missing
    }
    table.dropIfUnused(number)
    return .found(number)
  }

  /// Opens a directory by its path, and calls `body` if it is the directory that is watched under this path. Returns
  /// nil otherwise.
  func withVerified<Result>(
    _ directory: Directory, _ body: (Int32) throws(FileWatchError) -> Result
  ) throws(FileWatchError) -> Result? {
    guard directory.number >= 0 || directory.isPolled else { return nil }
    let descriptor = openDirectory(directory.location, O_RDONLY | (directory.isTop ? 0 : linkFlag))
    if descriptor < 0 {
      try passOver(errno, "open", { directory.path }, retrying: directory)
      return nil
    }
    defer { close(descriptor) }
    if directory.isPolled { return try body(descriptor) }
    let number = inotify.watch(descriptor)
    if number != directory.number {
      table.dropIfUnused(number)
      return nil
    }
    return try body(descriptor)
  }

  /// Watches the directory that is open as `descriptor`, or polls it. Returns false if neither is possible.
  func bind(_ directory: Directory, _ descriptor: Int32, path: () -> BytePath) throws(FileWatchError) -> Bool {
    if let reason = polling.reason(for: descriptor) {
      poll(directory, reason, path)
      return true
    }
    let number = inotify.watch(descriptor)
    if number < 0 {
      if errno == ENOSPC, options.polling != .never {
        poll(directory, .watchLimit, path)
        return true
      }
      try passOver(errno, "inotify_add_watch", path)
      return false
    }
    table.bind(directory, to: number)
    return true
  }

  private func poll(_ directory: Directory, _ reason: PollingStage.Reason, _ path: () -> BytePath) {
    table.unbind(directory)
    polling.add(directory, reason, path: path)
  }

  /// Ends the watches of a directory that has left the tree, and of everything below it. Its further events, and those
  /// in the queue, have no path here any more.
  func drop(_ directory: Directory?) {
    directory?.dismantle {
      table.unbind($0)
      onDropped($0)
    }
  }

  /// Throws if `errno` does not concern one directory only. A directory that cannot be read is reported once. After an error of its
  /// device, `directory` is compared again later, because no event will say that it can be read.
  func passOver(
    _ errno: Int32, _ call: String, _ path: () -> BytePath, retrying directory: Directory? = nil
  ) throws(FileWatchError) {
    if !FileWatchError.isPassedOver(errno) { throw .system(errno, call, path()) }
    let isTransient = FileWatchError.isTransient(errno)
    if isTransient, let directory { polling.retry(directory) }
    if isTransient || errno == EACCES || errno == EPERM { notice(errno, call, path()) }
  }

  /// Reports once that something is left out.
  func notice(_ errno: Int32, _ call: String, _ path: BytePath) {
    if unreadable.insert(path).inserted {
      options.onNotice(.unreadable(path, UVError(errno: errno, call: call, path: path.description)))
    }
  }
}
