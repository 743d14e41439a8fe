#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What a file is opened for.
public enum FileAccess: Hashable, Sendable {
  /// Reading.
  case reading
  /// Writing.
  case writing
  /// Both.
  case readingAndWriting

  var flags: Int32 {
    switch self {
    case .reading: O_RDONLY
    case .writing: O_WRONLY
    case .readingAndWriting: O_RDWR
    }
  }
}

/// How a file is opened. It is never inherited by child processes.
public struct FileOptions: OptionSet, Hashable, Sendable {
  /// The flags as the system has them.
  public let rawValue: Int32

  /// Makes options from the system's flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Makes the file where there is none.
  public static let create = FileOptions(rawValue: O_CREAT)
  /// With `create`: fails with `EEXIST` where there is one.
  public static let exclusive = FileOptions(rawValue: O_EXCL)
  /// Begins with an empty file.
  public static let truncate = FileOptions(rawValue: O_TRUNC)
  /// Each write goes to the end, whoever else writes there, too.
  public static let append = FileOptions(rawValue: O_APPEND)
  /// Fails with `ELOOP` where the path is a symbolic link.
  public static let noFollow = FileOptions(rawValue: O_NOFOLLOW)
  /// Fails with `ENOTDIR` where the path is no directory.
  public static let directory = FileOptions(rawValue: O_DIRECTORY)
  /// Each write is on the disk when it has ended.
  public static let synchronous = FileOptions(rawValue: O_SYNC)
}

/// What `Files.checkAccess` asks.
public struct AccessMode: OptionSet, Hashable, Sendable {
  /// The bits as the system has them; none asks whether it is there.
  public let rawValue: Int32

  /// Makes a mode from the system's bits.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// May it be read?
  public static let read = AccessMode(rawValue: R_OK)
  /// May it be written?
  public static let write = AccessMode(rawValue: W_OK)
  /// May it be executed, or a directory be entered?
  public static let execute = AccessMode(rawValue: X_OK)
}

/// How `Files.copy` goes about it.
public struct CopyOptions: OptionSet, Hashable, Sendable {
  /// The bits as libuv has them.
  public let rawValue: Int32

  /// Makes options from libuv's bits.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Fails with `EEXIST` where the target is there.
  public static let exclusive = CopyOptions(rawValue: 1)
  /// Shares the blocks until one of the two is changed, where the file system can.
  public static let clone = CopyOptions(rawValue: 2)
  /// The same, and fails with `ENOTSUP` or its like where it cannot.
  public static let cloneOrFail = CopyOptions(rawValue: 4)
}
