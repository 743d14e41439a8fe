#if os(Linux)
import CUV
import Glibc
import Streams

/// A copy of a file, which a thread of the pool makes.
///
/// `uv_fs_copyfile` copies as many bytes as the file had at the start. It never ends if the file becomes shorter, copies nothing
/// of a file whose size is reported as 0, such as one in /proc, and removes a device that it cannot write to.
///
/// A target that is a file is changed only under the lock, so that a stopped copy does not touch what is written there later.
final class FileCopy: Sendable {
  private static let bufferSize = 256 << 10

  private struct State {
    var isStopped = false
    /// The file that is to be removed if the copy does not succeed.
    var incomplete: Incomplete?
  }

  private struct Incomplete {
    let file: FileIdentity
    /// Without links, and absolute, because the program may change its directory.
    let path: String
  }

  private struct FileIdentity: Equatable {
    let device: dev_t
    let inode: ino_t

    init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }
  }

  private let path: String
  private let newPath: String
  private let options: CopyOptions
  private let state = Lock(State())

  init(_ path: String, _ newPath: String, _ options: CopyOptions) {
    self.path = path
    self.newPath = newPath
    self.options = options
  }

  /// Ends a copy that is running, and removes the incomplete target. Waits until a change of the target is over. Afterwards the copy
  /// does not change a file. Call it on any thread.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      removeIncomplete(&state)
    }
  }

  func error(_ number: Int32) -> UVError { UVError(errno: number, call: "copy", path: "\(path) -> \(newPath)") }

  func run() throws(UVError) {
    let source = try check { open(path, O_RDONLY | O_CLOEXEC) }
    defer { close(source) }
    let status = try status(of: source)
    if status.kind == S_IFDIR { throw error(EISDIR) }
    let target = try openTarget(status.st_mode & 0o7777)
    do throws(UVError) {
      do throws(UVError) {
        let old = try self.status(of: target)
        if old.kind != S_IFREG {
          // The reader of a FIFO may leave. A device keeps its permissions and cannot be truncated.
          ByteStreamHandle.ignoreBrokenPipes
          try copyContent(of: source, to: target) { body throws(UVError) in
            try checkStopped()
            try body()
          }
        } else if FileIdentity(old) != FileIdentity(status) {
          try copy(source, status, to: target, old)
        }
      } catch {
        close(target)
        throw error
      }
      // Some file systems report here that they could not write. After EINTR, Linux has closed the descriptor, too.
      if close(target) < 0, errno != EINTR { throw error(errno) }
      // A stop after the last write has removed the file.
      try change { state throws(UVError) in state.incomplete = nil }
    } catch {
      state.withLock { removeIncomplete(&$0) }
      throw error
    }
  }

  /// Copies to a file, whose status is `old`.
  private func copy(_ source: Int32, _ status: stat, to target: Int32, _ old: stat) throws(UVError) {
    let isCloned = try change { state throws(UVError) in
      let mustClone = options.contains(.cloneOrFail)
      // The target of a user who may not set its permissions must not change. This sets those that it has.
      if mustClone { try setPermissions(old.st_mode & 0o7777, of: target) }
      // A file system without clones must not cost the content of the target.
      if mustClone, !clone(source, to: target) {
        let reason = errno
        // Linux does not clone an incomplete last block over the middle of a larger file, which is cut off then.
        let isTooLarge = reason == EINVAL && old.st_size > status.st_size && canClone(source)
        if !isTooLarge { throw error(reason == ENOTTY ? ENOTSUP : reason) }
      }
      try setPermissions(status.st_mode & 0o7777, of: target)
      state.incomplete = incomplete(target, old)
      // A clone keeps the end of a larger target.
      let size = mustClone ? status.st_size : 0
      if old.st_size > size {
        _ = try check { ftruncate(target, size) }
        if mustClone { _ = try check { clone(source, to: target) ? 0 : -1 } }
      }
      return mustClone || options.contains(.clone) && clone(source, to: target)
    }
    if isCloned { return }
    try copyContent(of: source, to: target) { body throws(UVError) in try change { _ throws(UVError) in try body() } }
    // Writing takes away the permission to run as the owner or the group.
    let permissions = status.st_mode & 0o7777
    if permissions & 0o6000 != 0 { try change { _ throws(UVError) in try setPermissions(permissions, of: target) } }
  }

  /// Runs a step that changes the target, which is a file, unless the copy has been stopped.
  private func change<Result>(_ step: (inout State) throws(UVError) -> Result) throws(UVError) -> Result {
    try state.withLock { state throws(UVError) in
      if state.isStopped { throw error(ECANCELED) }
      return try step(&state)
    }
  }

  private func checkStopped() throws(UVError) { try change { _ in } }

  /// Removes the incomplete file, also if the path is a symbolic link to it. Leaves another file that has the path now.
  private func removeIncomplete(_ state: inout State) {
    guard let incomplete = state.incomplete.take() else { return }
    var status = stat()
    if lstat(incomplete.path, &status) == 0, FileIdentity(status) == incomplete.file { unlink(incomplete.path) }
  }

  /// The open `target`, as what is to be removed if the copy does not succeed.
  private func incomplete(_ target: Int32, _ status: stat) -> Incomplete {
    let path = realpath("/proc/self/fd/\(target)", nil)
    defer { free(path) }
    return Incomplete(file: FileIdentity(status), path: path.map { String(cString: $0) } ?? newPath)
  }

  private func openTarget(_ permissions: mode_t) throws(UVError) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC
    var old = stat()
    let isOther = stat(newPath, &old) == 0 && old.kind != S_IFREG
    // Opening a FIFO may wait, which must not happen under the lock.
    if isOther, !options.contains(.exclusive) { return try check { open(newPath, flags, permissions) } }
    return try change { state throws(UVError) in
      let new = open(newPath, flags | O_EXCL, permissions)
      if new >= 0 {
        state.incomplete = incomplete(new, try status(of: new))
        return new
      }
      if errno != EEXIST || options.contains(.exclusive) { throw error(errno) }
      // A link may lead to a file that does not exist yet.
      let isMissing = stat(newPath, &old) != 0
      let target = try check { open(newPath, flags | O_NONBLOCK, permissions) }
      if isMissing { state.incomplete = incomplete(target, try status(of: target)) }
      return target
    }
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

  /// Makes the files share their blocks. Returns false if that is impossible.
  private func clone(_ source: Int32, to target: Int32) -> Bool {
    // FICLONE.
    ioctl(target, 0x4004_9409, source) == 0
  }

  /// Returns whether the directory of the target could have a clone of the file.
  private func canClone(_ source: Int32) -> Bool {
    guard let path = realpath(newPath, nil) else { return false }
    defer { free(path) }
    // O_TMPFILE: a file without a name.
    let unnamed = open(dirname(path), 0o20_000_000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC, 0o600)
    if unnamed < 0 { return false }
    defer { close(unnamed) }
    return clone(source, to: unnamed)
  }

  /// Copies `source` to its end. Calls `change` with each change of the target. Reads outside of it, because reading may take long.
  private func copyContent(
    of source: Int32, to target: Int32, _ change: (() throws(UVError) -> Void) throws(UVError) -> Void
  ) throws(UVError) {
    try withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 16) { buffer throws(UVError) in
      while true {
        let count = try check { read(source, buffer.baseAddress, buffer.count) }
        if count == 0 { return }
        var start = 0
        while start < count {
          try change { () throws(UVError) in
            start += try check { write(target, buffer.baseAddress! + start, count - start) }
          }
        }
      }
    }
  }

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
