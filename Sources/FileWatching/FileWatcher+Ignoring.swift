import Glibc

/// Files of ignore rules that change while the watcher runs.
extension FileWatcher {
  /// Something has happened to a name. If that may change the rules of its directory, they are read again at once; what is
  /// watched is adapted when all events have been handled.
  func changed(_ name: NameBytes, in directory: Directory) throws(FileWatchError) {
    guard ignoring.isRuleFile(name), directory.isAttached, directory.onlyName == nil else { return }
    let isReached: Bool? = try withVerified(directory) { descriptor in
      ignoring.load(directory, descriptor, directory.entries)
      return true
    }
    if isReached == nil { markDirty(directory) } else { markReconsidered(directory) }
  }

  /// The rules for what is below a directory may be others.
  func markReconsidered(_ directory: Directory) {
    if !unconsidered.contains(where: { $0 === directory }) { unconsidered.append(directory) }
  }

  /// Ends the watches of directories that are ignored now, and begins to watch those that are not any more. Neither is
  /// reported, because nothing has happened to them.
  func reconsider() throws(FileWatchError) {
    while !isStopped, let directory = unconsidered.popLast() {
      if !directory.isAttached || !looksInto(directoriesIn: directory) { continue }
      directory.root?.refreshSurroundings()
      var uncovered: [[UInt8]] = []
      for name in directory.entries.names {
        name.withUnsafeBufferPointer { bytes in
          guard let position = directory.entries.find(bytes), directory.entries.kind(at: position) == .directory else {
            return
          }
          let child = directory.child(at: position)
          switch (child, isHidden(bytes, in: directory, true)) {
          case (_?, true): drop(directory.detachChild(at: position))
          case (let child?, false): unconsidered.append(child)
          case (nil, false): uncovered.append(name)
          case (nil, true): break
          }
        }
      }
      if uncovered.isEmpty { continue }
      let isReached = try withVerified(directory) { descriptor throws(FileWatchError) -> Bool in
        for name in uncovered {
          try name.withUnsafeBufferPointer { bytes throws(FileWatchError) in
            try enter(bytes, in: directory, descriptor, depth: 0, false)
          }
        }
        return true
      }
      if isReached == nil { markDirty(directory) }
    }
    try finishWalks()
  }
}

/// Waits in a directory for changes of a file of rules that is outside of what is watched.
final class RuleFileSentinel: Sentinel {
  /// All that can change the content of a file.
  static let mask = INotify.sentinelMask | UInt32(IN_MODIFY | IN_CLOSE_WRITE)

  override func changed(_ name: NameBytes) throws(FileWatchError) {
    if self.name.elementsEqual(name) { root?.rulesChanged() }
  }
}
