/// What has to be looked at again when all events have been handled. The stages add to it, and `RescanningStage` works it
/// off.
final class Repairs {
  /// Directories to compare with the file system.
  var dirty: [Directory] = []
  /// Names that should be gone.
  var doubts: [(directory: Directory, name: [UInt8])] = []
  /// Directories for which other ignore rules may hold, with all below them.
  var unconsidered: [Directory] = []

  /// Notes that a directory could not be reached, or is not as it should be.
  func markDirty(_ directory: Directory) {
    if directory.isDirty || !directory.isAttached { return }
    directory.isDirty = true
    dirty.append(directory)
  }

  /// Notes that the rules for what is below a directory may be others.
  func markReconsidered(_ directory: Directory) {
    if !unconsidered.contains(where: { $0 === directory }) { unconsidered.append(directory) }
  }

  func removeAll() {
    dirty = []
    doubts = []
    unconsidered = []
  }
}
