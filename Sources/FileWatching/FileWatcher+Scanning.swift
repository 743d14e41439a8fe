import EventLoops
import Glibc

/// Walking the file system: at the start, into new directories, and to compare.
extension FileWatcher {
  private static let directoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
  /// So many directories are held open at most while a tree is walked down.
  private static let openBound = 32

  // MARK: Into new directories

  /// Whether the directories in a directory are watched, unless they are ignored.
  func looksInto(directoriesIn directory: Directory) -> Bool {
    if !options.recursive { return false }
    return options.maximumDepth == .max || directory.depth + 2 <= options.maximumDepth
  }

  /// Watches the directory `name` and walks it, if it is still there and is to be walked.
  func enter(_ name: NameBytes, in directory: Directory, isReported: Bool) throws(FileWatchError) {
    if !looksInto(directoriesIn: directory) || isHidden(name, in: directory, true) { return }
    let isOpen = try withVerified(directory) { descriptor throws(FileWatchError) -> Bool in
      try enter(name, in: directory, descriptor, depth: 0, isReported)
      return true
    }
    if isOpen == nil { markDirty(directory) }
    try finishWalks()
  }

  /// The same for a directory that is open.
  func enter(
    _ name: NameBytes, in directory: Directory, _ descriptor: Int32, depth: Int, _ isReported: Bool
  ) throws(FileWatchError) {
    let child = withTerminated(name) { openat(descriptor, $0, Self.directoryFlags) }
    if child < 0 { return try passOver(errno, "open", { directory.path(of: name) }) }
    defer { close(child) }
    guard let position = directory.entries.find(name), directory.child(at: position) == nil else { return }
    let node = Directory(name: Array(name))
    // First the watch, then the listing: what happens in between is told twice, not never.
    if try !bind(node, child, path: { directory.path(of: name) }) { return }
    directory.attach(node, at: position)
    node.entries = reader.list(child)
    stampFiles(in: node, child)
    ignoring.load(node, child, node.entries)
    if depth < Self.openBound {
      try walk(node, child, depth: depth + 1, isReported)
    } else {
      unfinished.append((node, isReported))
    }
  }

  /// Walks the entries of a directory that has been listed a moment ago.
  func walk(_ directory: Directory, _ descriptor: Int32, depth: Int, _ isReported: Bool) throws(FileWatchError) {
    var position = 0
    while !isStopped, let found = directory.entries.entry(from: position) {
      position = directory.entries.end(of: found)
      let isDirectory = directory.entries.kind(at: found) == .directory
      if !isReported, !isDirectory { continue }
      let name = directory.entries.name(at: found)
      try name.withUnsafeBufferPointer { name throws(FileWatchError) in
        if isReported { reporter.report(.created, name, in: directory, isDirectory: isDirectory) }
        if isDirectory, !isStopped, looksInto(directoriesIn: directory), !isHidden(name, in: directory, true) {
          try enter(name, in: directory, descriptor, depth: depth, isReported)
        }
      }
    }
  }

  /// Walks what was too deep.
  func finishWalks() throws(FileWatchError) {
    while !isStopped, let (directory, isReported) = unfinished.popLast() {
      let isOpen = try withVerified(directory) { descriptor throws(FileWatchError) -> Bool in
        try walk(directory, descriptor, depth: 0, isReported)
        return true
      }
      if isOpen == nil {
        directory.entries = NameTable()
        markDirty(directory)
      }
    }
  }

  // MARK: Reaching directories

  enum Probe {
    /// The directory that should hold the name is not where it was: an event will tell.
    case unreachable
    case missing
    /// A directory, with the number of its watch, which may be in use or not.
    case found(Int32)
  }

  /// What directory is under a name at this moment.
  func probe(_ name: NameBytes, in directory: Directory) throws(FileWatchError) -> Probe {
    let result = try withVerified(directory) { descriptor throws(FileWatchError) -> Probe in
      try probe(name, in: directory, descriptor)
    }
    if let result { return result }
    markDirty(directory)
    return .unreachable
  }

  /// The same for a directory that is open.
  func probe(_ name: NameBytes, in directory: Directory, _ descriptor: Int32) throws(FileWatchError) -> Probe {
    let child = withTerminated(name) { openat(descriptor, $0, openPathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
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
    watches.dropIfUnused(number)
    return .found(number)
  }

  /// Opens a directory by its path and calls `body` if that is the directory that is watched under this path; nil
  /// otherwise.
  func withVerified<Result>(
    _ directory: Directory, _ body: (Int32) throws(FileWatchError) -> Result
  ) throws(FileWatchError) -> Result? {
    guard directory.number >= 0 || directory.isPolled else { return nil }
    let descriptor = openDirectory(directory.location, O_RDONLY | (directory.root == nil ? O_NOFOLLOW : 0))
    if descriptor < 0 {
      try passOver(errno, "open", { directory.path })
      return nil
    }
    defer { close(descriptor) }
    if directory.isPolled { return try body(descriptor) }
    let number = inotify.watch(descriptor)
    if number != directory.number {
      watches.dropIfUnused(number)
      return nil
    }
    return try body(descriptor)
  }

  /// Makes `directory` watch what is open as `descriptor`, or polls it. False when that is not allowed.
  func bind(_ directory: Directory, _ descriptor: Int32, path: () -> BytePath) throws(FileWatchError) -> Bool {
    if let reason = pollReason(descriptor) {
      makePolled(directory, reason, path: path)
      return true
    }
    let number = inotify.watch(descriptor)
    if number < 0 {
      if errno == ENOSPC, options.polling != .never {
        makePolled(directory, .watchLimit, path: path)
        return true
      }
      try passOver(errno, "inotify_add_watch", path)
      return false
    }
    watches.bind(directory, to: number)
    return true
  }

  func passOver(_ errno: Int32, _ call: String, _ path: () -> BytePath) throws(FileWatchError) {
    if !FileWatchError.isPassedOver(errno) { throw .system(errno, call, path()) }
    guard errno == EACCES || errno == EPERM else { return }
    let path = path()
    if unreadable.insert(path).inserted {
      options.onNotice(.unreadable(path, UVError(errno: errno, call: call, path: path.description)))
    }
  }
}
