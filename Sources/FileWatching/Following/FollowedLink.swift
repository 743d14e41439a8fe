import Glibc

/// A symbolic link to a file or to nothing, whose target is watched.
///
/// Ownership: FollowingStage ===> FollowedLink ===> its steps, which WatchTable also owns.
final class FollowedLink {
  /// The directory of the link. `FollowingStage` releases the link before the directory leaves the tree.
  unowned(unsafe) let directory: Directory
  /// The name of the link in its directory.
  let name: [UInt8]
  /// The watches on the path from the link to its target.
  var steps: [LinkStep] = []
  /// Whether the target exists.
  var isThere = false
  /// True if a part of the path cannot be watched, so that the target is polled.
  var isPolled = false
  /// True if it is polled because the limit on watches is reached.
  var isUnwatched = false
  /// True if it is polled because the path could not be looked up.
  var isUnresolved = false
  /// The state of the target at the last comparison.
  var stamp: UInt64?

  init(_ directory: Directory, _ name: [UInt8]) {
    self.directory = directory
    self.name = name
  }

  /// The path of the link in reported changes.
  var path: BytePath { name.withUnsafeBufferPointer { directory.path(of: $0) } }

  /// The status of the target, or nil if there is none.
  var end: FileStatus? { status(followsLinks: true) }

  /// False if it is surely not a symbolic link. A name that cannot be found may be a link that was moved.
  var mayBeLink: Bool { status(followsLinks: false)?.isLink ?? true }

  private func status(followsLinks: Bool) -> FileStatus? {
    let descriptor = openDirectory(directory.location, openPathOnly)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    return name.withUnsafeBufferPointer { FileStatus(of: $0, in: descriptor, followsLinks: followsLinks) }
  }
}

/// A watch of a directory for one name: the target of a link, or a step on the path to it.
final class LinkStep: StepWatch {
  /// Nil after the link is no longer followed.
  unowned(unsafe) var link: FollowedLink?

  init(_ link: FollowedLink, _ step: PathStep) {
    self.link = link
    super.init(step)
  }

  override func detach() { link = nil }
}
