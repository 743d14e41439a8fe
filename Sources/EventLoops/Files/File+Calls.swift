import CUV
public import Streams

extension File {
  /// Reads the status of the file: `fstat`.
  public func status() -> Operation<FileStatus, UVError> {
    .fileCall(FileCall("uv_fs_fstat", self) { uv_fs_fstat($0, $1, self.descriptor, $2) }) {
      FileStatus($0.pointee.statbuf)
    }
  }

  /// Waits until the contents and the status are on the disk.
  public func sync() -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_fsync", self) { uv_fs_fsync($0, $1, self.descriptor, $2) })
  }

  /// Waits until the contents are on the disk, and as much of the status as reading them requires.
  public func syncContent() -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_fdatasync", self) { uv_fs_fdatasync($0, $1, self.descriptor, $2) })
  }

  /// Sets the length of the file to `size` bytes: cuts it off, or appends zeros. Fails with `EINVAL` if `size` is
  /// negative or the file is open for reading only.
  public func truncate(to size: Int64) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_ftruncate", self) { uv_fs_ftruncate($0, $1, self.descriptor, size, $2) })
  }

  /// Sets the permissions of the file.
  public func setPermissions(_ permissions: FilePermissions) -> Operation<Void, UVError> {
    .fileCall(
      FileCall("uv_fs_fchmod", self) { uv_fs_fchmod($0, $1, self.descriptor, Int32(permissions.rawValue), $2) })
  }

  /// Sets the owner and the group of the file. Nil leaves them unchanged.
  public func setOwner(_ user: UInt32?, group: UInt32?) -> Operation<Void, UVError> {
    .fileCall(
      FileCall("uv_fs_fchown", self) { uv_fs_fchown($0, $1, self.descriptor, user ?? .max, group ?? .max, $2) })
  }

  /// Sets the times of the last access and the last change. The resolution is one microsecond.
  public func setTimes(accessed: Timestamp, modified: Timestamp) -> Operation<Void, UVError> {
    .fileCall(
      FileCall("uv_fs_futime", self) { uv_fs_futime($0, $1, self.descriptor, accessed.seconds, modified.seconds, $2) })
  }

  /// Copies up to `count` bytes, from `offset` on, to the position of `target`. The bytes do not pass through the
  /// process. Emits the number of bytes copied. `target` may be a file, or a `File` with the descriptor of a socket.
  ///
  /// Copies fewer bytes near the end of the file, and if the system does not copy that many at once. Fails with the
  /// error of the system, and with `EINVAL` if `count` or `offset` is negative.
  public func send(_ count: Int, from offset: Int64, to target: File) -> Operation<Int, UVError> {
    var call = FileCall("uv_fs_sendfile", self) {
      if min(Int64(count), offset) < 0 { return UV_EINVAL.rawValue }
      return uv_fs_sendfile($0, $1, target.descriptor, self.descriptor, offset, count, $2)
    }
    call.other = target
    return .fileCall(call) { $0.pointee.result }
  }
}
