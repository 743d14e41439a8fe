#if os(Linux)
import CUV
import Glibc
import Streams

/// A copy of a file, which a thread of the pool makes.
///
/// `uv_fs_copyfile` copies as many bytes as the file had at the start. It never ends if the file becomes shorter, copies nothing
/// of a file whose size is reported as 0, such as one in /proc, and removes a device that it cannot write to.
final class FileCopy: Sendable {
  /// The number of bytes after which a copy checks whether it has been stopped.
  private static let step = 16 << 20
  private static let bufferSize = 256 << 10

  private let path: String
  private let newPath: String
  private let options: CopyOptions
  private let isStopped = Lock(false)

  init(_ path: String, _ newPath: String, _ options: CopyOptions) {
    self.path = path
    self.newPath = newPath
    self.options = options
  }

  /// Ends a copy that is running, which then fails. Call it on any thread.
  func stop() { isStopped.withLock { $0 = true } }

  func error(_ number: Int32) -> UVError { UVError(errno: number, call: "copy", path: "\(path) -> \(newPath)") }

  func run() throws(UVError) {
    let source = try check { open(path, O_RDONLY | O_CLOEXEC) }
    defer { close(source) }
    let status = try status(of: source)
    if status.kind == S_IFDIR { throw error(EISDIR) }
    let permissions = status.st_mode & 0o7777
    let (target, isNew) = try openTarget(permissions)
    var mustRemove = isNew
    do throws(UVError) {
      do throws(UVError) {
        let old = try self.status(of: target)
        // A device keeps its permissions and cannot be truncated. A file is not copied to itself.
        if old.st_dev != status.st_dev || old.st_ino != status.st_ino {
          let isFile = old.kind == S_IFREG
          // A file system without clones must not cost the content of the target.
          var isCloned = false
          if options.contains(.cloneOrFail) { isCloned = try clone(source, to: target) }
          if isCloned { mustRemove = true }
          if isFile {
            try setPermissions(permissions, of: target)
            mustRemove = true
            // A clone keeps the end of a longer target.
            let size = isCloned ? status.st_size : 0
            if old.st_size > size { _ = try check { ftruncate(target, size) } }
          }
          if !isCloned { isCloned = try clone(source, to: target) }
          if !isCloned { try copyContent(of: source, to: target) }
        }
      } catch {
        close(target)
        throw error
      }
      // Some file systems report here that they could not write. After EINTR, Linux has closed the descriptor, too.
      if close(target) < 0, errno != EINTR { throw error(errno) }
    } catch {
      if mustRemove { removeTarget() }
      throw error
    }
  }

  /// Removes the incomplete file, also if the path is a symbolic link to it.
  private func removeTarget() {
    guard let path = realpath(newPath, nil) else { return }
    unlink(path)
    free(path)
  }

  private func openTarget(_ permissions: mode_t) throws(UVError) -> (Int32, isNew: Bool) {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC
    let new = open(newPath, flags | O_EXCL, permissions)
    if new >= 0 { return (new, true) }
    if errno != EEXIST || options.contains(.exclusive) { throw error(errno) }
    return (try check { open(newPath, flags, permissions) }, false)
  }

  private func setPermissions(_ permissions: mode_t, of target: Int32) throws(UVError) {
    if fchmod(target, permissions) == 0 { return }
    let reason = errno
    // A share of Windows has no permissions.
    if reason == EPERM, [0xFF53_4D42, 0xFE53_4D42].contains(fileSystemType()) { return }
    throw error(reason)
  }

  private func fileSystemType() -> UInt64 {
    var request = uv_fs_t()
    defer { uv_fs_req_cleanup(&request) }
    if uv_fs_statfs(nil, &request, newPath, nil) < 0 { return 0 }
    return request.ptr.load(as: uv_statfs_t.self).f_type
  }

  /// Returns whether the files share their blocks now.
  private func clone(_ source: Int32, to target: Int32) throws(UVError) -> Bool {
    if options.isDisjoint(with: [.clone, .cloneOrFail]) { return false }
    // FICLONE.
    if ioctl(target, 0x4004_9409, source) == 0 { return true }
    if options.contains(.cloneOrFail) { throw error(errno == ENOTTY ? ENOTSUP : errno) }
    return false
  }

  private func copyContent(of source: Int32, to target: Int32) throws(UVError) {
    // The system copies what it can. It cannot for some pairs of files, and reports an end for files in /proc.
    var offset: Int64 = 0
    while true {
      var request = uv_fs_t()
      let count = uv_fs_sendfile(nil, &request, target, source, offset, Self.step, nil)
      uv_fs_req_cleanup(&request)
      if count <= 0 { break }
      offset += Int64(count)
      try checkStopped()
    }
    // A device has no position.
    if offset > 0 { _ = try check { lseek(source, Int(offset), SEEK_SET) } }
    try withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 16) { buffer throws(UVError) in
      while true {
        let count = try check { read(source, buffer.baseAddress, buffer.count) }
        if count == 0 { return }
        var start = 0
        while start < count {
          start += try check { write(target, buffer.baseAddress! + start, count - start) }
        }
        try checkStopped()
      }
    }
  }

  private func checkStopped() throws(UVError) { if isStopped.withLock({ $0 }) { throw error(ECANCELED) } }

  private func status(of descriptor: Int32) throws(UVError) -> stat {
    var status = stat()
    _ = try check { fstat(descriptor, &status) }
    return status
  }

  /// Repeats a call that a signal interrupts, and throws its error.
  private func check<Number: SignedInteger>(_ call: () -> Number) throws(UVError) -> Number {
    while true {
      let result = call()
      if result >= 0 { return result }
      if errno != EINTR { throw error(errno) }
    }
  }
}

extension stat {
  fileprivate var kind: mode_t { st_mode & S_IFMT }
}
#endif
