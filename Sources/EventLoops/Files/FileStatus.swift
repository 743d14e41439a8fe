import CUV

/// What a name in the file system stands for.
public enum FileKind: Hashable, Sendable {
  /// Bytes.
  case file
  /// Names.
  case directory
  /// A path to something else.
  case symbolicLink
  /// A named pipe.
  case pipe
  /// A local socket.
  case socket
  /// A device of characters, such as a terminal.
  case characterDevice
  /// A device of blocks, such as a disk.
  case blockDevice
  /// The file system does not say.
  case unknown

  init(mode: UInt64) {
    self =
      switch mode & 0o170000 {
      case 0o100000: .file
      case 0o040000: .directory
      case 0o120000: .symbolicLink
      case 0o010000: .pipe
      case 0o140000: .socket
      case 0o020000: .characterDevice
      case 0o060000: .blockDevice
      default: .unknown
      }
  }

  init(_ type: uv_dirent_type_t) {
    self =
      switch type {
      case UV_DIRENT_FILE: .file
      case UV_DIRENT_DIR: .directory
      case UV_DIRENT_LINK: .symbolicLink
      case UV_DIRENT_FIFO: .pipe
      case UV_DIRENT_SOCKET: .socket
      case UV_DIRENT_CHAR: .characterDevice
      case UV_DIRENT_BLOCK: .blockDevice
      default: .unknown
      }
  }
}

/// What the file system knows about a file: `stat`.
public struct FileStatus: Hashable, Sendable {
  /// What it is.
  public var kind: FileKind
  /// Who may do what with it.
  public var permissions: FilePermissions
  /// The length in bytes; for a link that of the path in it.
  public var size: Int64
  /// The number of its owner.
  public var owner: UInt32
  /// The number of its group.
  public var group: UInt32
  /// How many names it has.
  public var links: Int
  /// The device it is on. With `inode`: which file it is.
  public var device: UInt64
  /// Its number on that device.
  public var inode: UInt64
  /// The device that it is, for devices.
  public var specialDevice: UInt64
  /// The size in bytes in which it is read best.
  public var blockSize: Int
  /// The room it takes, in units of 512 bytes.
  public var blocks: Int64
  /// When it was last read, as far as the file system keeps it.
  public var accessed: Timestamp
  /// When its content was last changed.
  public var modified: Timestamp
  /// When its content or its status was last changed.
  public var changed: Timestamp
  /// When it was made; the epoch where the file system does not know.
  public var created: Timestamp

  init(_ native: uv_stat_t) {
    kind = FileKind(mode: native.st_mode)
    permissions = FilePermissions(rawValue: UInt16(truncatingIfNeeded: native.st_mode))
    size = Int64(clamping: native.st_size)
    owner = UInt32(truncatingIfNeeded: native.st_uid)
    group = UInt32(truncatingIfNeeded: native.st_gid)
    links = Int(clamping: native.st_nlink)
    device = native.st_dev
    inode = native.st_ino
    specialDevice = native.st_rdev
    blockSize = Int(clamping: native.st_blksize)
    blocks = Int64(clamping: native.st_blocks)
    accessed = Timestamp(native.st_atim)
    modified = Timestamp(native.st_mtim)
    changed = Timestamp(native.st_ctim)
    created = Timestamp(native.st_birthtim)
  }
}

/// What is known about a whole file system: `statfs`.
public struct FileSystemStatus: Hashable, Sendable {
  /// Its kind, by the system's number.
  public var type: UInt64
  /// The size of its blocks in bytes.
  public var blockSize: UInt64
  /// How many blocks it has.
  public var blocks: UInt64
  /// How many of them are free.
  public var freeBlocks: UInt64
  /// How many of them are free for those who are not root.
  public var availableBlocks: UInt64
  /// How many files it can hold; 0 where it does not limit them.
  public var files: UInt64
  /// How many more it can hold.
  public var freeFiles: UInt64

  /// The whole room in bytes.
  public var size: UInt64 { blocks &* blockSize }
  /// The room in bytes that is free for those who are not root.
  public var availableSize: UInt64 { availableBlocks &* blockSize }

  init(_ native: uv_statfs_t) {
    type = native.f_type
    blockSize = native.f_bsize
    blocks = native.f_blocks
    freeBlocks = native.f_bfree
    availableBlocks = native.f_bavail
    files = native.f_files
    freeFiles = native.f_ffree
  }
}

/// A name in a directory.
public struct DirectoryEntry: Hashable, Sendable {
  /// The name, without the directory. Bytes that are no UTF-8 are repaired.
  public var name: String
  /// What it is; `unknown` where the file system does not say so here: ask `Files.status(of:)`.
  public var kind: FileKind

  init(_ native: uv_dirent_t) {
    name = String(cString: native.name)
    kind = FileKind(native.type)
  }
}
