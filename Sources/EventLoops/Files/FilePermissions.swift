/// The permissions of a file: the lower twelve bits of its mode.
///
/// ```swift
/// let permissions: FilePermissions = [.ownerReadWrite, .groupRead]
/// print(permissions, permissions == 0o640)  // rw-r----- true
/// ```
public struct FilePermissions: OptionSet, Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The bits, as the system defines them.
  public let rawValue: UInt16

  /// Makes permissions from the system's bits. Bits that are not permissions are removed.
  public init(rawValue: UInt16) { self.rawValue = rawValue & 0o7777 }

  /// Makes permissions from an octal literal.
  public init(integerLiteral value: UInt16) { self.init(rawValue: value) }

  /// The owner may read.
  public static let ownerRead: FilePermissions = 0o400
  /// The owner may write.
  public static let ownerWrite: FilePermissions = 0o200
  /// The owner may execute, or enter a directory.
  public static let ownerExecute: FilePermissions = 0o100
  /// The owner may read and write.
  public static let ownerReadWrite: FilePermissions = 0o600
  /// The group may read.
  public static let groupRead: FilePermissions = 0o040
  /// The group may write.
  public static let groupWrite: FilePermissions = 0o020
  /// The group may execute, or enter a directory.
  public static let groupExecute: FilePermissions = 0o010
  /// All other users may read.
  public static let othersRead: FilePermissions = 0o004
  /// All other users may write.
  public static let othersWrite: FilePermissions = 0o002
  /// All other users may execute, or enter a directory.
  public static let othersExecute: FilePermissions = 0o001
  /// A program runs as the owner of its file.
  public static let setUserID: FilePermissions = 0o4000
  /// A program runs as the group of its file. In a directory, new files belong to the group of the directory.
  public static let setGroupID: FilePermissions = 0o2000
  /// Only the owners of the files in the directory may remove them.
  public static let sticky: FilePermissions = 0o1000

  /// The default permissions of a new file, before the process's umask: `rw-rw-rw-`.
  public static let newFile: FilePermissions = 0o666
  /// The default permissions of a new directory, before the process's umask: `rwxrwxrwx`.
  public static let newDirectory: FilePermissions = 0o777
}

extension FilePermissions: CustomStringConvertible {
  /// The permissions in the form of `ls`: `rw-r-----`.
  public var description: String {
    let letters = (0..<9).map { rawValue & (0o400 >> $0) != 0 ? Array("rwxrwxrwx")[$0] : "-" }
    var text = letters
    for (flag, index, small, large) in [
      (FilePermissions.setUserID, 2, "s", "S"), (.setGroupID, 5, "s", "S"), (.sticky, 8, "t", "T"),
    ] as [(FilePermissions, Int, Character, Character)] where contains(flag) {
      text[index] = letters[index] == "x" ? small : large
    }
    return String(text)
  }
}
