/// The content of the watched directories. It follows names that are added, removed, and moved, and reports each change.
final class TreeStage {
  let options: FileWatchOptions
  let watching: WatchingStage
  let ignoring: IgnoringStage
  let following: FollowingStage
  let scanning: ScanningStage
  let reporter: EventReporter
  let repairs: Repairs

  init(
    _ options: FileWatchOptions, _ watching: WatchingStage, _ ignoring: IgnoringStage, _ following: FollowingStage,
    _ scanning: ScanningStage, _ reporter: EventReporter, _ repairs: Repairs
  ) {
    self.options = options
    self.watching = watching
    self.ignoring = ignoring
    self.following = following
    self.scanning = scanning
    self.reporter = reporter
    self.repairs = repairs
  }

  /// Handles a name that was created in a directory, or moved there from a directory that is not watched.
  func appeared(
    _ name: NameBytes, in directory: Directory, _ isDirectory: Bool, isMove: Bool
  ) throws(FileWatchError) {
    if !directory.isAttached { return }
    // The watched file has become a directory.
    if isDirectory, directory.onlyName != nil {
      try directory.root?.check()
      return
    }
    var isDirectory = isDirectory
    if !isDirectory, options.followsLinks { isDirectory = try leadsToDirectory(name, in: directory) }
    if let position = directory.entries.find(name) {
      if (directory.entries.kind(at: position) == .directory) != isDirectory {
        // A listing can have seen the file that replaced it, or an exchange was taken for a move.
        following.disappeared(name, from: directory)
        repairs.markDirty(directory)
        return
      }
      if !isDirectory {
        // A created name was listed before its event. A moved name has replaced the one that was there.
        if isMove {
          if !directory.isPolled { directory.entries.setNumber(0, at: position) }
          try following.appeared(name, in: directory)
          try changed(name, in: directory)
          reporter.report(.modified, name, in: directory, isDirectory: false)
        }
        return
      }
      if let child = directory.child(at: position) {
        if !isMove { return }
        switch try probe(name, in: directory) {
        case .found(let number) where number != child.number || number < 0 && !child.isPolled:
          try disappeared(name, from: directory)
        default: return
        }
      } else {
        // The directory could not be opened before.
        try scanning.enter(name, in: directory, isReported: true)
        return
      }
    }
    directory.entries.insert(name, isDirectory ? .directory : .file, isDirectory ? NameTable.noChild : 0)
    try following.appeared(name, in: directory)
    try changed(name, in: directory)
    reporter.report(.created, name, in: directory, isDirectory: isDirectory)
    if isDirectory { try scanning.enter(name, in: directory, isReported: true) }
  }

  /// Enters a directory whose mode has changed if it was not readable before.
  func mayBeReadable(_ name: NameBytes, in directory: Directory) throws(FileWatchError) {
    guard let position = directory.entries.find(name), directory.entries.kind(at: position) == .directory,
      directory.child(at: position) == nil
    else { return }
    try scanning.enter(name, in: directory, isReported: true)
  }

  private func leadsToDirectory(_ name: NameBytes, in directory: Directory) throws(FileWatchError) -> Bool {
    try watching.withVerified(directory) { FileStatus.isDirectory(name, in: $0) } ?? false
  }

  /// Handles a name that was removed from a directory.
  func disappeared(_ name: NameBytes, from directory: Directory) throws(FileWatchError) {
    guard let position = directory.entries.find(name) else { return }
    let isDirectory = directory.entries.kind(at: position) == .directory
    watching.drop(directory.detachChild(at: position))
    directory.entries.remove(at: position)
    following.disappeared(name, from: directory)
    try changed(name, in: directory)
    reporter.report(.removed, name, in: directory, isDirectory: isDirectory)
  }

  /// Returns the directory that is currently under a name.
  func probe(_ name: NameBytes, in directory: Directory) throws(FileWatchError) -> WatchingStage.Probe {
    let result = try watching.probe(name, in: directory)
    // A later event shows where it is.
    if case .unreachable = result { repairs.markDirty(directory) }
    return result
  }
}
