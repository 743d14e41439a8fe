import Glibc

/// A symbolic link that leads to a file, or nowhere, and whose end is watched.
///
/// Ownership: FollowingStage ===> FollowedLink ===> its steps, which WatchTable owns too.
final class FollowedLink {
  /// The directory that the link is in. `FollowingStage` releases the link before the directory leaves the tree.
  unowned(unsafe) let directory: Directory
  /// The link's name there.
  let name: [UInt8]
  /// What listens on the way from the link to its end.
  var steps: [LinkStep] = []
  /// Whether there is a file at its end.
  var isThere = false
  /// A part of the way cannot be watched, so the end is compared again and again.
  var isPolled = false
  /// It is polled because the limit on watches is reached.
  var isUnwatched = false
  /// What was at its end when it was last compared.
  var stamp: UInt64?

  init(_ directory: Directory, _ name: [UInt8]) {
    self.directory = directory
    self.name = name
  }

  /// Where the link is for the system.
  var location: [UInt8] { directory.location.appendingName(name) }

  /// The path under which it is reported.
  var path: BytePath { name.withUnsafeBufferPointer { directory.path(of: $0) } }

  /// What is at its end; nil if there is nothing.
  var end: FileStatus? { status(followsLinks: true) }

  /// False if it is surely no symbolic link. What cannot be found may be one that has moved.
  var mayBeLink: Bool { status(followsLinks: false)?.isLink ?? true }

  private func status(followsLinks: Bool) -> FileStatus? {
    let descriptor = openDirectory(directory.location, openPathOnly)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    return name.withUnsafeBufferPointer { FileStatus(of: $0, in: descriptor, followsLinks: followsLinks) }
  }
}

/// Listens in a directory for one name: what a link leads to, or the next step on the way there.
final class LinkStep: Watch {
  /// Nil once the link is not followed any more.
  unowned(unsafe) var link: FollowedLink?
  let name: [UInt8]

  init(_ link: FollowedLink, _ name: [UInt8]) {
    self.link = link
    self.name = name
  }
}
