/// The work that is left when all events have been handled. The stages add to it, and `RescanningStage` does it.
final class Repairs {
  /// Directories to compare with the file system.
  var dirty: [Directory] = []
  /// The names that should no longer exist.
  var doubts: [(directory: Directory, name: [UInt8])] = []
  /// The directories for which other ignore rules may apply, with everything below them.
  var unconsidered: [Directory] = []

  /// Records that a directory could not be reached, or differs from its expected state.
  func markDirty(_ directory: Directory) {
    if directory.isDirty || !directory.isAttached { return }
    directory.isDirty = true
    dirty.append(directory)
  }

  /// Records that the rules for the contents of a directory may have changed.
  func markReconsidered(_ directory: Directory) {
    if !unconsidered.contains(where: { $0 === directory }) { unconsidered.append(directory) }
  }

  func removeAll() {
    dirty = []
    doubts = []
    unconsidered = []
  }
}
