import EventLoops
import Glibc

/// The stage that watches: has the kernel report what happens in directories, and finds the directories again by the
/// numbers of their watches. What cannot be watched is left to `PollingStage`.
final class WatchingStage {
  let inotify: INotify
  let table: WatchTable
  private let options: FileWatchOptions
  private let polling: PollingStage
  /// What keeps a directory from being opened by way of a symbolic link, unless links are followed.
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
    /// The directory that should hold the name is not where it was.
    case unreachable
    case missing
    /// A directory, with the number of its watch, which may be in use or not.
    case found(Int32)
  }

  /// What directory is under a name at this moment. The caller makes good what is unreachable.
  func probe(_ name: NameBytes, in directory: Directory) throws(FileWatchError) -> Probe {
    let result = try withVerified(directory) { descriptor throws(FileWatchError) -> Probe in
      try probe(name, in: directory, descriptor)
    }
    return result ?? .unreachable
  }

  /// The same for a directory that is open.
  func probe(_ name: NameBytes, in directory: Directory, _ descriptor: Int32) throws(FileWatchError) -> Probe {
    let child = withTerminated(name) { openat(descriptor, $0, openPathOnly | O_DIRECTORY | linkFlag | O_CLOEXEC) }
    if child < 0 {
      try passOver(errno, "open", { directory.path(of: name) })
      return .missing
    }
    defer { close(child) }
    let number = inotify.watch(child)
    if number < 0 {
      // It cannot be told apart from another that is polled.
      if errno == ENOSPC, options.polling != .never { return .found(-1) }
      try passOver(errno, "inotify_add_watch", { directory.path(of: name) })
      return .missing
    }
    table.dropIfUnused(number)
    return .found(number)
  }

  /// Opens a directory by its path and calls `body` if that is the directory that is watched under this path; nil
  /// otherwise.
  func withVerified<Result>(
    _ directory: Directory, _ body: (Int32) throws(FileWatchError) -> Result
  ) throws(FileWatchError) -> Result? {
    guard directory.number >= 0 || directory.isPolled else { return nil }
    let descriptor = openDirectory(directory.location, O_RDONLY | (directory.isTop ? 0 : linkFlag))
    if descriptor < 0 {
      try passOver(errno, "open", { directory.path })
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

  /// Makes `directory` watch what is open as `descriptor`, or polls it. False when that is not allowed.
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

  /// Ends the watches of a directory that has left the tree, and of all below it: what happens there from now on, and what
  /// is in the queue about it, has no name here any more.
  func drop(_ directory: Directory?) {
    directory?.dismantle {
      table.unbind($0)
      onDropped($0)
    }
  }

  /// Throws if `errno` is not about one directory alone. A directory that may not be read is reported once.
  func passOver(_ errno: Int32, _ call: String, _ path: () -> BytePath) throws(FileWatchError) {
    if !FileWatchError.isPassedOver(errno) { throw .system(errno, call, path()) }
    guard errno == EACCES || errno == EPERM else { return }
    let path = path()
    if unreadable.insert(path).inserted {
      options.onNotice(.unreadable(path, UVError(errno: errno, call: call, path: path.description)))
    }
  }
}
