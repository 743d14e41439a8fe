/// Something that happened to a file or directory below a watched path.
public struct FileEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: Hashable, Sendable {
    /// It has come into being, or was moved here from outside of what is watched.
    case created
    /// Its content has changed.
    case modified
    /// It has gone, or was moved to outside of what is watched.
    case removed
    /// It has moved; the event's path is the old one, and `currentPath` the new one. So a file arrives that a program saves by
    /// writing another one and moving that into its place.
    case renamed(to: BytePath)
    /// Its mode, owner, times or extended attributes have changed.
    case attributes
    /// The kernel dropped events because they were not read fast enough. What has changed below the path since then is
    /// found by comparing, and follows as ordinary events.
    case overflow
  }

  /// What happened.
  public let kind: Kind
  /// To what: the watched path as it was given, followed by the names below it.
  public let path: BytePath
  /// Where it is now: the new path of what has moved, otherwise `path`. What asks for files by their names asks for this one.
  public var currentPath: BytePath { if case .renamed(let new) = kind { new } else { path } }
  /// Whether it is a directory.
  public let isDirectory: Bool

  /// Makes an event.
  public init(_ kind: Kind, _ path: BytePath, isDirectory: Bool = false) {
    self.kind = kind
    self.path = path
    self.isDirectory = isDirectory
  }
}
