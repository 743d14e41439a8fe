import Glibc

/// The C library's function, which its Swift module hides behind a feature-test macro.
@_silgen_name("getdents64")
private func getdents64(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ size: Int) -> Int
let openPathOnly: Int32 = 0o10_000_000

/// A reader that lists directories without a `stat` for each file.
final class DirectoryReader {
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32_768, alignment: 8)
  // Reused for each listing, so that each table is allocated at its final size.
  private var packed: [UInt8] = []
  /// Whether a symbolic link to a directory counts as a directory.
  private let followsLinks: Bool
  /// The symbolic links of the last listing, if links are followed.
  private(set) var links: [[UInt8]] = []
  /// The error that ended the last listing early; zero if it is complete.
  private(set) var failure: Int32 = 0

  init(followsLinks: Bool) { self.followsLinks = followsLinks }

  deinit { buffer.deallocate() }

  /// Returns the names, kinds, and inodes of the open directory `descriptor`. An unreadable rest is left out: see `failure`. Open the descriptor for
  /// this call, because a second listing of it would be empty.
  func list(_ descriptor: Int32) -> NameTable {
    packed.removeAll(keepingCapacity: true)
    links = []
    failure = 0
    var count = 0
    while true {
      let length = getdents64(descriptor, buffer.baseAddress!, buffer.count)
      if length < 0, errno == EINTR { continue }
      // A directory that has been removed is empty.
      if length < 0, errno != ENOENT { failure = errno }
      if length <= 0 { break }
      var offset = 0
      while offset < length {
        // struct linux_dirent64: inode 8, offset 8, record length 2, type 1, name.
        let record = buffer.baseAddress! + offset
        offset += Int(record.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
        let start = (record + 19).assumingMemoryBound(to: UInt8.self)
        if start[0] == UInt8(ascii: "."), start[1] == 0 || (start[1] == UInt8(ascii: ".") && start[2] == 0) { continue }
        let name = NameBytes(start: start, count: strlen(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)))
        let isDirectory = isDirectory(record.load(fromByteOffset: 18, as: UInt8.self), name, in: descriptor)
        let inode = record.loadUnaligned(as: UInt64.self)
        NameTable.append(
          name, isDirectory ? .directory : .file, isDirectory ? NameTable.noChild : inode, to: &packed)
        count += 1
      }
    }
    // The code below would write to the storage of an empty array, which all threads share.
    if count == 0 { return NameTable() }
    // A copy of the exact size, because `Array(packed)` would share the storage with its capacity.
    let bytes = [UInt8](unsafeUninitializedCapacity: packed.count) { buffer, count in
      count = packed.withUnsafeBufferPointer { buffer.initialize(fromContentsOf: $0) }
    }
    return NameTable(packed: bytes, count: count)
  }

  private func isDirectory(_ type: UInt8, _ name: NameBytes, in directory: Int32) -> Bool {
    // DT_UNKNOWN is 0, for file systems that do not report the kind. DT_DIR is 4, DT_LNK is 10.
    if type != 0, !(type == 10 && followsLinks) { return type == 4 }
    guard followsLinks else { return FileStatus(of: name, in: directory)?.isDirectory ?? false }
    if type == 10 || FileStatus(of: name, in: directory)?.isLink == true { links.append(Array(name)) }
    return FileStatus.isDirectory(name, in: directory)
  }
}

/// The fields of `stat` that this module uses.
struct FileStatus {
  let inode: UInt64
  let device: UInt64
  let size: Int
  let isDirectory: Bool
  let isLink: Bool
  let modified: timespec
  let changed: timespec

  init(_ status: stat) {
    inode = UInt64(status.st_ino)
    device = UInt64(status.st_dev)
    size = Int(status.st_size)
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
    isLink = status.st_mode & S_IFMT == S_IFLNK
    modified = status.st_mtim
    changed = status.st_ctim
  }

  /// Reads the status of a name, or with `followsLinks` of the target of a symbolic link. Returns nil if there is none.
  init?(of name: NameBytes, in directory: Int32, followsLinks: Bool = false) {
    var status = stat()
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    if withTerminated(name, { fstatat(directory, $0, &status, flags) }) != 0 { return nil }
    self.init(status)
  }

  /// Returns whether a name is a directory or a symbolic link to one.
  static func isDirectory(_ name: NameBytes, in directory: Int32) -> Bool {
    var status = stat()
    return withTerminated(name) { fstatat(directory, $0, &status, 0) } == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  init?(of descriptor: Int32) {
    var status = stat()
    if fstat(descriptor, &status) != 0 { return nil }
    self.init(status)
  }
}

extension timespec {
  /// The clock of file time stamps. A stamp can be ahead of it by a tick and is never behind, because Linux 6.13 and later use the exact time
  /// after a stamp that was read.
  static var fileTime: timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return time
  }

  /// Returns whether a stamp can be of `time` or later. Some file systems store only whole seconds.
  func mayFollow(_ time: timespec) -> Bool {
    tv_sec > time.tv_sec || (tv_sec == time.tv_sec && (tv_nsec >= time.tv_nsec || tv_nsec == 0))
  }
}

/// Calls `body` with the name as a C string.
func withTerminated<Result>(_ name: NameBytes, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { buffer in
    for index in 0..<name.count { buffer[index] = CChar(bitPattern: name[index]) }
    buffer[name.count] = 0
    return body(buffer.baseAddress!)
  }
}

/// Opens the directory at `location`, which can be longer than the system's maximum path. Returns -1 and sets `errno` on failure.
func openDirectory(_ location: [UInt8], _ flags: Int32) -> Int32 {
  let longest = 3_000
  var directory = AT_FDCWD
  var rest = location[...]
  while rest.count > longest, let slash = rest.prefix(longest).lastIndex(of: BytePath.slash), slash > rest.startIndex {
    let part = rest[..<slash]
    let next = part.withUnsafeBufferPointer { name in
      withTerminated(name) { openat(directory, $0, openPathOnly | O_DIRECTORY | O_CLOEXEC) }
    }
    if directory != AT_FDCWD { close(directory) }
    if next < 0 { return -1 }
    directory = next
    rest = rest[(slash + 1)...]
  }
  let result = rest.withUnsafeBufferPointer { name in
    withTerminated(name) { openat(directory, $0, flags | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK) }
  }
  if directory != AT_FDCWD {
    let error = errno
    close(directory)
    errno = error
  }
  return result
}
