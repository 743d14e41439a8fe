import Glibc

/// Handles changes of files of ignore rules while the watcher runs.
extension TreeStage {
  /// Handles a change of a name. If it may change the rules of its directory, they are read again at once. The watches
  /// are adapted when all events have been handled.
  func changed(_ name: NameBytes, in directory: Directory) throws(FileWatchError) {
    guard ignoring.isRuleFile(name), directory.isAttached, directory.onlyName == nil else { return }
    let isReached: Bool? = try watching.withVerified(directory) { descriptor in
      ignoring.load(directory, descriptor, directory.entries)
      return true
    }
    if isReached == nil { repairs.markDirty(directory) } else { repairs.markReconsidered(directory) }
  }

  /// Ends the watches of directories that are ignored now, and watches those that are no longer ignored. Neither is
  /// reported, because the directories themselves have not changed.
  func reconsider() throws(FileWatchError) {
    while !reporter.isStopped, let directory = repairs.unconsidered.popLast() {
      if !directory.isAttached || !scanning.looksInto(directoriesIn: directory) { continue }
      directory.root?.refreshSurroundings()
      var uncovered: [[UInt8]] = []
      for name in directory.entries.names {
        name.withUnsafeBufferPointer { bytes in
          guard let position = directory.entries.find(bytes), directory.entries.kind(at: position) == .directory else {
            return
          }
          let child = directory.child(at: position)
          switch (child, ignoring.hides(bytes, in: directory, isDirectory: true)) {
          case (_?, true): watching.drop(directory.detachChild(at: position))
          case (let child?, false): repairs.unconsidered.append(child)
          case (nil, false): uncovered.append(name)
          case (nil, true): break
          }
        }
      }
      if uncovered.isEmpty { continue }
      let isReached = try watching.withVerified(directory) { descriptor throws(FileWatchError) -> Bool in
        for name in uncovered {
          try name.withUnsafeBufferPointer { bytes throws(FileWatchError) in
            try scanning.enter(bytes, in: directory, descriptor, depth: 0, false)
          }
        }
        return true
      }
      if isReached == nil { repairs.markDirty(directory) }
    }
    try scanning.finishWalks()
  }
}

/// Watches a directory for changes of a file of rules that lies outside the watched paths.
final class RuleFileSentinel: Sentinel {
  /// All events that can change the contents of a file.
  static let mask = INotify.sentinelMask | UInt32(IN_MODIFY | IN_CLOSE_WRITE)

  override func changed(_ event: RawEvent) throws(FileWatchError) {
    if step.name.elementsEqual(event.name) { root?.rulesChanged() }
  }

  override func directoryChanged() throws(FileWatchError) { root?.rulesChanged() }
}
