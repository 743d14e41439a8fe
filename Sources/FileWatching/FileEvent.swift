/// A change of a file or a directory below a watched path.
public struct FileEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: Hashable, Sendable {
    /// The file appeared, or was moved here from outside the watched directories.
    case created
    /// The contents changed.
    case modified
    /// The file was removed, or moved outside the watched directories.
    case removed
    /// The file was moved. The `path` of the event is the old path, and `currentPath` is the new one. Programs that
    /// save by writing a new file and renaming it are reported like this.
    case renamed(to: BytePath)
    /// The mode, the owner, the times, or the extended attributes changed.
    case attributes
    /// The kernel dropped events because they were not read fast enough. A comparison finds the changes below the path,
    /// and they follow as ordinary events.
    case overflow
  }

  /// What happened.
  public let kind: Kind
  /// The path of the file: the watched path as you passed it, followed by the names below it.
  public let path: BytePath
  /// The current path of the file: the new path if it was moved, otherwise `path`. Use it to open the file.
  public var currentPath: BytePath { if case .renamed(let new) = kind { new } else { path } }
  /// Whether the file is a directory.
  public let isDirectory: Bool

  /// Makes an event.
  public init(_ kind: Kind, _ path: BytePath, isDirectory: Bool = false) {
    self.kind = kind
    self.path = path
    self.isDirectory = isDirectory
  }
}
