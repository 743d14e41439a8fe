/// What comes, goes and moves in the watched directories.
extension FileWatcher {
  func isHidden(_ name: NameBytes, in directory: Directory, _ isDirectory: Bool) -> Bool {
    directory.onlyName == nil && ignoring.hides(directory.path(of: name), in: directory, isDirectory)
  }

  /// A name has come into a directory, made there or moved there from where nobody watches.
  func appeared(
    _ name: NameBytes, in directory: Directory, _ isDirectory: Bool, isMove: Bool
  ) throws(FileWatchError) {
    if !directory.isAttached { return }
    if let position = directory.entries.find(name) {
      if (directory.entries.kind(at: position) == .directory) != isDirectory {
        // A listing may have seen what has taken its place since, or an exchange was taken for a move.
        markDirty(directory)
        return
      }
      if !isDirectory {
        // Made: a listing has seen it before the event came. Moved: it has replaced what was there.
        if isMove {
          try changed(name, in: directory)
          reporter.report(.modified, name, in: directory, isDirectory: false)
        }
        return
      }
      if let child = directory.child(at: position) {
        if !isMove { return }
        switch try probe(name, in: directory) {
        case .found(let number) where number != child.number: try disappeared(name, from: directory)
        default: return
        }
      } else {
        // It could not be opened before.
        try enter(name, in: directory, isReported: true)
        return
      }
    }
    directory.entries.insert(name, isDirectory ? .directory : .file, isDirectory ? NameTable.noChild : 0)
    try changed(name, in: directory)
    reporter.report(.created, name, in: directory, isDirectory: isDirectory)
    if isDirectory { try enter(name, in: directory, isReported: true) }
  }

  /// A name has gone from a directory.
  func disappeared(_ name: NameBytes, from directory: Directory) throws(FileWatchError) {
    guard let position = directory.entries.find(name) else { return }
    let isDirectory = directory.entries.kind(at: position) == .directory
    drop(directory.detachChild(at: position))
    directory.entries.remove(at: position)
    try changed(name, in: directory)
    reporter.report(.removed, name, in: directory, isDirectory: isDirectory)
  }

  /// Ends the watches of a directory that has left the tree, and of all below it: what happens there from now on, and what
  /// is in the queue about it, has no name here any more.
  func drop(_ directory: Directory?) { directory?.dismantle { watches.unbind($0) } }

  func markDirty(_ directory: Directory) {
    if directory.isDirty || !directory.isAttached { return }
    directory.isDirty = true
    dirty.append(directory)
  }
}
