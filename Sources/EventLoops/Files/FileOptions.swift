#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The access for which a file is opened.
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

/// The options for opening a file. A file is never inherited by child processes.
public struct FileOptions: OptionSet, Hashable, Sendable {
  /// The flags, as the system defines them.
  public let rawValue: Int32

  /// Makes options from the system's flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Creates the file if there is none.
  public static let create = FileOptions(rawValue: O_CREAT)
  /// With `create`: fails with `EEXIST` if the file exists.
  public static let exclusive = FileOptions(rawValue: O_EXCL)
  /// Empties the file when it is opened.
  public static let truncate = FileOptions(rawValue: O_TRUNC)
  /// Each write goes to the end of the file, even if other processes write there too.
  public static let append = FileOptions(rawValue: O_APPEND)
  /// Fails with `ELOOP` if the path is a symbolic link.
  public static let noFollow = FileOptions(rawValue: O_NOFOLLOW)
  /// Fails with `ENOTDIR` if the path is not a directory.
  public static let directory = FileOptions(rawValue: O_DIRECTORY)
  /// Each write is on the disk when it has ended.
  public static let synchronous = FileOptions(rawValue: O_SYNC)
}

/// The kinds of access that `Files.checkAccess` checks.
public struct AccessMode: OptionSet, Hashable, Sendable {
  /// The bits, as the system defines them. 0 checks that the file exists.
  public let rawValue: Int32

  /// Makes a mode from the system's bits.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The process may read the file.
  public static let read = AccessMode(rawValue: R_OK)
  /// The process may write the file.
  public static let write = AccessMode(rawValue: W_OK)
  /// The process may execute the file, or enter the directory.
  public static let execute = AccessMode(rawValue: X_OK)
}

/// The options of `Files.copy`.
public struct CopyOptions: OptionSet, Hashable, Sendable {
  /// The bits, as libuv defines them.
  public let rawValue: Int32

  /// Makes options from libuv's bits.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Fails with `EEXIST` if the target exists.
  public static let exclusive = CopyOptions(rawValue: 1)
  /// Shares the blocks until one of the two files changes, if the file system supports it.
  public static let clone = CopyOptions(rawValue: 2)
  /// As `clone`, but fails, for example with `ENOTSUP`, if the file system does not support it. A target that exists is then unchanged.
  public static let cloneOrFail = CopyOptions(rawValue: 4)
}
