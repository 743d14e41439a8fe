import CUV

/// The kind of an entry in the file system.
public enum FileKind: Hashable, Sendable {
  /// A regular file.
  case file
  /// A directory.
  case directory
  /// A symbolic link.
  case symbolicLink
  /// A named pipe.
  case pipe
  /// A local socket.
  case socket
  /// A character device, such as a terminal.
  case characterDevice
  /// A block device, such as a disk.
  case blockDevice
  /// The file system does not report the kind.
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

/// The status of a file: `stat`.
public struct FileStatus: Hashable, Sendable {
  /// The kind of the file.
  public var kind: FileKind
  /// The permissions of the file.
  public var permissions: FilePermissions
  /// The length in bytes. For a symbolic link, the length of the path in it.
  public var size: Int64
  /// The ID of the owner.
  public var owner: UInt32
  /// The ID of the group.
  public var group: UInt32
  /// The number of hard links.
  public var links: Int
  /// The device that contains the file. Together with `inode`, it identifies the file.
  public var device: UInt64
  /// The number of the file on its device.
  public var inode: UInt64
  /// The device number, if the file is a device.
  public var specialDevice: UInt64
  /// The preferred size of reads and writes, in bytes.
  public var blockSize: Int
  /// The allocated space, in units of 512 bytes.
  public var blocks: Int64
  /// The time of the last access, as precise as the file system records it.
  public var accessed: Timestamp
  /// The time of the last change of the contents.
  public var modified: Timestamp
  /// The time of the last change of the contents or the status.
  public var changed: Timestamp
  /// The time of creation. The epoch if the file system does not record it.
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

/// The status of a whole file system: `statfs`.
public struct FileSystemStatus: Hashable, Sendable {
  /// The type of the file system, as the system's number.
  public var type: UInt64
  /// The size of a block in bytes.
  public var blockSize: UInt64
  /// The number of blocks.
  public var blocks: UInt64
  /// The number of free blocks.
  public var freeBlocks: UInt64
  /// The number of free blocks for users other than root.
  public var availableBlocks: UInt64
  /// The most files that it can contain; 0 if it has no limit.
  public var files: UInt64
  /// How many more files it can contain.
  public var freeFiles: UInt64

  /// The total size in bytes.
  public var size: UInt64 { blocks &* blockSize }
  /// The free space in bytes for users other than root.
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

/// An entry of a directory.
public struct DirectoryEntry: Hashable, Sendable {
  /// The name, without the directory. Invalid UTF-8 is replaced by U+FFFD.
  public var name: String
  /// The kind of the file. `unknown` if the directory does not record it; call `Files.status(of:)` then.
  public var kind: FileKind

  init(_ native: uv_dirent_t) {
    name = String(cString: native.name)
    kind = FileKind(native.type)
  }
}
