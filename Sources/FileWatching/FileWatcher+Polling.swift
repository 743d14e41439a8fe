import EventLoops
import Glibc
import Streams

/// Directories that are compared with the file system again and again, because their file system does not report changes,
/// or because there are no watches left.
extension FileWatcher {
  /// Why a directory is polled.
  enum PollReason {
    case asked
    case fileSystem(String)
    case watchLimit
  }

  /// Whether a directory that is open is to be polled without trying to watch it.
  func pollReason(_ descriptor: Int32) -> PollReason? {
    switch options.polling {
    case .always: return .asked
    case .never: return nil
    case .automatic: return FileSystemType.nameIfSilent(options.fileSystemType(descriptor)).map { .fileSystem($0) }
    }
  }

  /// Makes a directory one that is polled.
  func makePolled(_ directory: Directory, _ reason: PollReason, path: () -> BytePath) {
    watches.unbind(directory)
    if !directory.isPolled {
      directory.isPolled = true
      polled.append(directory)
      switch reason {
      case .asked: break
      case .watchLimit: unwatched += 1
      case .fileSystem(let name):
        if polledFileSystems.insert(name).inserted { options.onNotice(.silentFileSystem(path(), name)) }
      }
    }
    schedulePoll()
  }

  /// Keeps a stamp of each file of a polled directory, in place of its inode.
  func stampFiles(in directory: Directory, _ descriptor: Int32) {
    if !directory.isPolled { return }
    var position = 0
    while let found = directory.entries.entry(from: position) {
      position = directory.entries.end(of: found)
      if directory.entries.kind(at: found) != .file { continue }
      let stamp = directory.entries.name(at: found).withUnsafeBufferPointer {
        FileStatus(of: $0, in: descriptor)?.stamp
      }
      directory.entries.setNumber(stamp ?? 0, at: found)
    }
  }

  /// Compares what is known of a file in a polled directory.
  func comparePolledFile(
    _ name: NameBytes, _ position: Int, in directory: Directory, _ descriptor: Int32
  ) throws(FileWatchError) {
    guard let stamp = FileStatus(of: name, in: descriptor)?.stamp else { return }
    let known = directory.entries.number(at: position)
    if known == stamp { return }
    directory.entries.setNumber(stamp, at: position)
    let isContent = known >> 32 != stamp >> 32
    if isContent { try changed(name, in: directory) }
    reporter.report(isContent ? .modified : .attributes, name, in: directory, isDirectory: false)
  }

  /// Polls after the interval, if there is anything to poll.
  func schedulePoll() {
    if pollTimer != nil || isStopped { return }
    pollTimer = scheduler.schedule(after: options.pollInterval) { [unowned self] in
      pollTimer = nil
      poll()
      if !polled.isEmpty || roots.contains(where: \.isPolled) { schedulePoll() }
    }
  }

  /// Reports once how many directories have no watch because of the limit.
  func noticeLimit() {
    if unwatched == 0 || hasNoticedLimit { return }
    hasNoticedLimit = true
    let notice = FileWatchNotice.watchLimit(
      polled: unwatched, limit: FileWatchError.watchLimit(), needed: watches.count + unwatched)
    options.onNotice(notice)
  }

  func comparePolled() throws(FileWatchError) {
    for root in roots where root.isPolled && !isStopped { try root.check() }
    polled.removeAll { !$0.isPolled || !$0.isAttached }
    // Comparing one may take others out of the tree, and add some that have just been listed.
    for directory in polled where directory.isPolled && directory.isAttached && !isStopped {
      try compare(directory, since: nil)
    }
    try finishWalks()
    try repair()
  }
}

/// The C library's function, which its Swift module leaves out.
@_silgen_name("fstatfs")
private func fstatfs(_ descriptor: Int32, _ status: UnsafeMutableRawPointer) -> Int32

/// File systems, by the number that the system has for each.
enum FileSystemType {
  /// The name of a file system that does not report what others than this system change, or nothing at all.
  static func nameIfSilent(_ type: UInt32) -> String? {
    switch type {
    case 0x6969: "NFS"
    case 0x517B, 0xFF53_4D42, 0xFE53_4D42: "SMB"
    case 0x0102_1997: "9p"
    case 0x6573_5546: "FUSE"
    case 0x5346_414F, 0x6B41_4653: "AFS"
    case 0x00C3_6400: "Ceph"
    case 0x0BD0_0BD0: "Lustre"
    case 0x786F_4256: "vboxsf"
    case 0xBACB_ACBC: "vmhgfs"
    case 0x9FA0: "proc"
    case 0x6265_6572: "sysfs"
    default: nil
    }
  }

  /// The number of the file system of what is open.
  static func of(_ descriptor: Int32) -> UInt32 {
    // `struct statfs` has 120 bytes on 64-bit systems, and begins with the number.
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { status in
      fstatfs(descriptor, status.baseAddress!) == 0 ? UInt32(truncatingIfNeeded: status.load(as: Int.self)) : 0
    }
  }
}

extension FileStatus {
  /// A number that another one takes the place of when the file changes: in the upper half for its content, that is its
  /// size, time and inode, in the lower half for everything else.
  var stamp: UInt64 {
    func mixed(_ values: Int...) -> UInt64 {
      var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
      for value in values {
        let product = (hash ^ UInt64(truncatingIfNeeded: value)).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        hash = (product.high ^ product.low) &+ 0xA076_1D64_78BD_642F
      }
      return hash >> 32
    }
    let content = mixed(Int(truncatingIfNeeded: inode), size, modified.tv_sec, modified.tv_nsec)
    return content << 32 | mixed(changed.tv_sec, changed.tv_nsec)
  }
}
