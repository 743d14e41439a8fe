import CUV
public import Streams

extension File {
  /// What the file system knows about it: `fstat`.
  public func status() -> Operation<FileStatus, UVError> {
    .fileCall(FileCall("uv_fs_fstat", self) { uv_fs_fstat($0, $1, self.descriptor, $2) }) {
      FileStatus($0.pointee.statbuf)
    }
  }

  /// Waits until content and status are on the disk.
  public func sync() -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_fsync", self) { uv_fs_fsync($0, $1, self.descriptor, $2) })
  }

  /// Waits until the content is on the disk, and as much of the status as is needed to read it.
  public func syncContent() -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_fdatasync", self) { uv_fs_fdatasync($0, $1, self.descriptor, $2) })
  }

  /// Makes it `size` bytes long: cuts it off, or adds zeros. Fails with `EINVAL` below 0 and for files that are open for
  /// reading.
  public func truncate(to size: Int64) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_ftruncate", self) { uv_fs_ftruncate($0, $1, self.descriptor, size, $2) })
  }

  /// Sets who may do what with it.
  public func setPermissions(_ permissions: FilePermissions) -> Operation<Void, UVError> {
    .fileCall(
      FileCall("uv_fs_fchmod", self) { uv_fs_fchmod($0, $1, self.descriptor, Int32(permissions.rawValue), $2) })
  }

  /// Gives it to a user and a group; nil leaves what is.
  public func setOwner(_ user: UInt32?, group: UInt32?) -> Operation<Void, UVError> {
    .fileCall(
      FileCall("uv_fs_fchown", self) { uv_fs_fchown($0, $1, self.descriptor, user ?? .max, group ?? .max, $2) })
  }

  /// Sets when it was read and changed, in microseconds.
  public func setTimes(accessed: Timestamp, modified: Timestamp) -> Operation<Void, UVError> {
    .fileCall(
      FileCall("uv_fs_futime", self) { uv_fs_futime($0, $1, self.descriptor, accessed.seconds, modified.seconds, $2) })
  }

  /// Copies up to `count` bytes from `offset` on to `target`, at its position, without bringing them into the process: one
  /// element, how many they were. `target` may be a file or, as its descriptor, a socket.
  ///
  /// Fewer than asked for near the end of the file, and for sizes that the system does not copy at once. Fails with the error of
  /// the system, and with `EINVAL` if `count` or `offset` is below 0.
  public func send(_ count: Int, from offset: Int64, to target: File) -> Operation<Int, UVError> {
    var call = FileCall("uv_fs_sendfile", self) {
      if min(Int64(count), offset) < 0 { return UV_EINVAL.rawValue }
      return uv_fs_sendfile($0, $1, target.descriptor, self.descriptor, offset, count, $2)
    }
    call.other = target
    return .fileCall(call) { $0.pointee.result }
  }
}
