import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The calls of the file system, as operations. Each one runs on libuv's thread pool when it is observed, and delivers
/// its result on the loop, as one element.
///
/// ```swift
/// Files.status(of: "/etc/passwd").observe { event in print(event) }.dispose(in: bag)
/// try await Files.makeDirectory("/tmp/example").value
/// ```
///
/// Errors are a `UVError` with the call and the path. Disposing cancels a call that waits for a thread. A call that
/// runs already ends without a delivery, and may have made its change. A call under way keeps the loop alive. Pausing
/// has no effect: the result is delivered even while the observer is paused.
///
/// All loops of the process share the pool. It has four threads, unless `UV_THREADPOOL_SIZE` sets another number, so a
/// file system that does not answer delays the other calls. `File` has the calls for open files, and
/// `Operation.reading(_:)` reads a file as a stream of bytes.
public enum Files {
  /// Opens a file. If no code retains it when it has been delivered, it is closed.
  public static func open(
    _ path: String, for access: FileAccess = .reading, options: FileOptions = [],
    permissions: FilePermissions = .newFile
  ) -> Operation<File, UVError> {
    var call = FileCall("uv_fs_open", path) {
      uv_fs_open($0, $1, path, access.flags | options.rawValue, Int32(permissions.rawValue), $2)
    }
    call.discard = { closeDescriptor(Int32(truncatingIfNeeded: $0.pointee.result)) }
    return .opening(call) { _ in path }
  }

  /// Makes a file with a unique name, open for reading and writing, with access for its owner only. The last six
  /// characters of `template` must be `XXXXXX`; they are replaced. The `path` of the element is the name.
  public static func makeTemporaryFile(_ template: String) -> Operation<File, UVError> {
    var call = FileCall("uv_fs_mkstemp", template) { uv_fs_mkstemp($0, $1, template, $2) }
    call.discard = { request in
      closeDescriptor(Int32(truncatingIfNeeded: request.pointee.result))
      // No other code knows its name.
      unlink(request.pointee.path)
    }
    return .opening(call) { String(cString: $0.pointee.path) }
  }

  /// Makes a directory with a unique name, with access for its owner only, and emits the name. The last six characters
  /// of `template` must be `XXXXXX`; they are replaced.
  public static func makeTemporaryDirectory(_ template: String) -> Operation<String, UVError> {
    var call = FileCall("uv_fs_mkdtemp", template) { uv_fs_mkdtemp($0, $1, template, $2) }
    call.discard = { rmdir($0.pointee.path) }
    return .fileCall(call) { String(cString: $0.pointee.path) }
  }

  /// Reads the status of a file: `stat`. Follows symbolic links.
  public static func status(of path: String) -> Operation<FileStatus, UVError> {
    .fileCall(FileCall("uv_fs_stat", path) { uv_fs_stat($0, $1, path, $2) }) { FileStatus($0.pointee.statbuf) }
  }

  /// Reads the status of a file, or of a symbolic link itself: `lstat`.
  public static func status(ofLink path: String) -> Operation<FileStatus, UVError> {
    .fileCall(FileCall("uv_fs_lstat", path) { uv_fs_lstat($0, $1, path, $2) }) { FileStatus($0.pointee.statbuf) }
  }

  /// Reads the status of the file system that contains `path`.
  public static func fileSystemStatus(at path: String) -> Operation<FileSystemStatus, UVError> {
    .fileCall(FileCall("uv_fs_statfs", path) { uv_fs_statfs($0, $1, path, $2) }) {
      FileSystemStatus($0.pointee.ptr.load(as: uv_statfs_t.self))
    }
  }

  /// Checks that `path` exists and that this process has the given access. Emits an element, or fails, for example with
  /// `EACCES` or `ENOENT`.
  ///
  /// The answer may be out of date when it is delivered, so prefer to try the intended call.
  public static func checkAccess(to path: String, for mode: AccessMode = []) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_access", path) { uv_fs_access($0, $1, path, mode.rawValue, $2) })
  }

  /// Removes a name of a file. The file is deleted with its last name, once no process has it open. Not for
  /// directories.
  public static func remove(_ path: String) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_unlink", path) { uv_fs_unlink($0, $1, path, $2) })
  }

  /// Renames a file or a directory within a file system. Replaces an existing file atomically.
  public static func rename(_ path: String, to newPath: String) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_rename", path, newPath) { uv_fs_rename($0, $1, path, newPath, $2) })
  }

  /// Copies the content and the permissions of a file.
  ///
  /// - Copies until the end of the file, even if the file grows or becomes shorter meanwhile.
  /// - An existing target gets the new content and the new permissions, and keeps its other names.
  /// - If a copy fails or is disposed while it runs, the incomplete target is removed, unless it is a device or has been renamed.
  ///   `dispose()` waits for the change of the target that is running, which is a clone or writes at most 256 KiB. Afterwards the copy
  ///   does not touch the target, unless it is a FIFO or a device, to which a write that is running goes on.
  /// - Fails with `EPERM`, and changes nothing, if an existing target belongs to another user.
  /// - A copy to the file itself changes nothing. A directory fails with `EISDIR`.
  /// - The holes of a sparse file become zeros.
  /// - Takes a thread of the pool until it has ended.
  public static func copy(
    _ path: String, to newPath: String, options: CopyOptions = []
  ) -> Operation<Void, UVError> {
    #if os(Linux)
    .request(
      Operation { observer in
        let copy = FileCopy(path, newPath, options)
        if let invalid = [path, newPath].first(where: { $0.utf8.contains(0) }) {
          observer.failed(UVError(code: UV_EINVAL.rawValue, call: "copy", path: invalid))
          return .none
        }
        let request = WorkRequest(on: .current, copy.run, stop: copy.stop) { result in
          observer.finish(result ?? .failure(copy.error(ECANCELED)))
        }
        request.start()
        return request
      })
    #else
    .fileCall(
      FileCall("uv_fs_copyfile", path, newPath) { uv_fs_copyfile($0, $1, path, newPath, options.rawValue, $2) })
    #endif
  }

  /// Sets the permissions of a file.
  public static func setPermissions(
    _ permissions: FilePermissions, of path: String
  ) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_chmod", path) { uv_fs_chmod($0, $1, path, Int32(permissions.rawValue), $2) })
  }

  /// Sets the owner and the group of a file. Nil leaves them unchanged.
  public static func setOwner(of path: String, _ user: UInt32?, group: UInt32?) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_chown", path) { uv_fs_chown($0, $1, path, user ?? .max, group ?? .max, $2) })
  }

  /// Sets the owner and the group of a symbolic link itself. Nil leaves them unchanged.
  public static func setOwner(ofLink path: String, _ user: UInt32?, group: UInt32?) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_lchown", path) { uv_fs_lchown($0, $1, path, user ?? .max, group ?? .max, $2) })
  }

  /// Sets the times of the last access and the last change of a file. The resolution is one microsecond.
  public static func setTimes(
    of path: String, accessed: Timestamp, modified: Timestamp
  ) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_utime", path) { uv_fs_utime($0, $1, path, accessed.seconds, modified.seconds, $2) })
  }

  /// Sets the times of the last access and the last change of a symbolic link itself. The resolution is one
  /// microsecond.
  public static func setTimes(
    ofLink path: String, accessed: Timestamp, modified: Timestamp
  ) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_lutime", path) { uv_fs_lutime($0, $1, path, accessed.seconds, modified.seconds, $2) })
  }
}

/// Closes a descriptor at once, on this thread. For descriptors that were never handed out.
func closeDescriptor(_ descriptor: Int32) {
  var request = uv_fs_t()
  uv_fs_close(nil, &request, descriptor, nil)
  uv_fs_req_cleanup(&request)
}

extension Operation where Element == File, Failure == UVError {
  /// Runs a call whose result is a descriptor.
  static func opening(
    _ call: FileCall, path: @escaping (UnsafeMutablePointer<uv_fs_t>) -> String
  ) -> Operation {
    Operation { observer in
      let loop = Loop.current
      let request = FileRequest(
        call, on: loop,
        reading: { (Int32(truncatingIfNeeded: $0.pointee.result), path($0)) },
        { result in
          switch result {
          case .success(let (descriptor, path)):
            // The reader of a FIFO may leave.
            if uv_guess_handle(descriptor) == UV_NAMED_PIPE { ByteStreamHandle.ignoreBrokenPipes }
            var file: File? = File(takingOver: descriptor, path: path, on: loop)
            observer.next(file.unsafelyUnwrapped)
            observer.completed()
            Untaken.dispose(&file, looksAgain: false)
          case .failure(let error): observer.failed(error)
          }
        })
      request.start()
      return request
    }
  }
}
