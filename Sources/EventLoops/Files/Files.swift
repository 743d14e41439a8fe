import CUV
public import Streams

/// The calls of the file system, as operations: each runs when it is observed, on libuv's thread pool, and tells its result
/// on the loop, with one element.
///
/// ```swift
/// Files.status(of: "/etc/passwd").observe { event in print(event) }.dispose(in: bag)
/// try await Files.makeDirectory("/tmp/example").value
/// ```
///
/// Each fails once, with a `UVError` that has the call and the path. Disposing before the end has a call that still waits for a
/// thread cancelled, and one that runs ends unheard: what it was to change may have been changed. A call under way
/// keeps the loop alive. It cannot wait: while the observer is paused the result is delivered nevertheless.
///
/// The pool has four threads for all loops of the process, unless `UV_THREADPOOL_SIZE` says otherwise: a file system that
/// does not answer holds up the other calls. What is done with an open file is in `File`; a file as a stream of bytes is
/// `Operation.reading(_:)`.
public enum Files {
  /// Opens a file. Where nobody wants it any more when it is open, it is closed.
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

  /// Makes a file with a name that nobody has, open for reading and writing, for its owner alone. The last six characters of
  /// `template` must be `XXXXXX`, which are replaced; the name is the `path` of the element.
  public static func makeTemporaryFile(_ template: String) -> Operation<File, UVError> {
    var call = FileCall("uv_fs_mkstemp", template) { uv_fs_mkstemp($0, $1, template, $2) }
    call.discard = { request in
      closeDescriptor(Int32(truncatingIfNeeded: request.pointee.result))
      // Nobody knows its name.
      var removal = uv_fs_t()
      uv_fs_unlink(nil, &removal, request.pointee.path, nil)
      uv_fs_req_cleanup(&removal)
    }
    return .opening(call) { String(cString: $0.pointee.path) }
  }

  /// Makes a directory with a name that nobody has, for its owner alone: the name. The last six characters of `template`
  /// must be `XXXXXX`, which are replaced.
  public static func makeTemporaryDirectory(_ template: String) -> Operation<String, UVError> {
    .fileCall(FileCall("uv_fs_mkdtemp", template) { uv_fs_mkdtemp($0, $1, template, $2) }) {
      String(cString: $0.pointee.path)
    }
  }

  /// What the file system knows about a file: `stat`. Of what a symbolic link leads to.
  public static func status(of path: String) -> Operation<FileStatus, UVError> {
    .fileCall(FileCall("uv_fs_stat", path) { uv_fs_stat($0, $1, path, $2) }) { FileStatus($0.pointee.statbuf) }
  }

  /// What the file system knows about a file, and about a symbolic link itself: `lstat`.
  public static func status(ofLink path: String) -> Operation<FileStatus, UVError> {
    .fileCall(FileCall("uv_fs_lstat", path) { uv_fs_lstat($0, $1, path, $2) }) { FileStatus($0.pointee.statbuf) }
  }

  /// What is known about the file system that `path` is on.
  public static func fileSystemStatus(at path: String) -> Operation<FileSystemStatus, UVError> {
    .fileCall(FileCall("uv_fs_statfs", path) { uv_fs_statfs($0, $1, path, $2) }) {
      FileSystemStatus($0.pointee.ptr.load(as: uv_statfs_t.self))
    }
  }

  /// Whether `path` is there and this process may do that with it: an element, or a failure such as `EACCES` or `ENOENT`.
  /// The answer may be out of date when it comes: rather try what you want to do.
  public static func checkAccess(to path: String, for mode: AccessMode = []) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_access", path) { uv_fs_access($0, $1, path, mode.rawValue, $2) })
  }

  /// Removes a name; the file goes with its last name, and when nobody has it open. Not for directories.
  public static func remove(_ path: String) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_unlink", path) { uv_fs_unlink($0, $1, path, $2) })
  }

  /// Renames a file or directory within a file system. Replaces a file that is there, at once.
  public static func rename(_ path: String, to newPath: String) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_rename", path, newPath) { uv_fs_rename($0, $1, path, newPath, $2) })
  }

  /// Copies a file, with its permissions. Where it fails or is cancelled the target is removed.
  public static func copy(
    _ path: String, to newPath: String, options: CopyOptions = []
  ) -> Operation<Void, UVError> {
    .fileCall(
      FileCall("uv_fs_copyfile", path, newPath) { uv_fs_copyfile($0, $1, path, newPath, options.rawValue, $2) })
  }

  /// Sets who may do what with a file.
  public static func setPermissions(
    _ permissions: FilePermissions, of path: String
  ) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_chmod", path) { uv_fs_chmod($0, $1, path, Int32(permissions.rawValue), $2) })
  }

  /// Gives a file to a user and a group; nil leaves what is.
  public static func setOwner(of path: String, _ user: UInt32?, group: UInt32?) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_chown", path) { uv_fs_chown($0, $1, path, user ?? .max, group ?? .max, $2) })
  }

  /// Gives a symbolic link itself to a user and a group; nil leaves what is.
  public static func setOwner(ofLink path: String, _ user: UInt32?, group: UInt32?) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_lchown", path) { uv_fs_lchown($0, $1, path, user ?? .max, group ?? .max, $2) })
  }

  /// Sets when a file was read and changed, in microseconds.
  public static func setTimes(
    of path: String, accessed: Timestamp, modified: Timestamp
  ) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_utime", path) { uv_fs_utime($0, $1, path, accessed.seconds, modified.seconds, $2) })
  }

  /// Sets when a symbolic link itself was read and changed, in microseconds.
  public static func setTimes(
    ofLink path: String, accessed: Timestamp, modified: Timestamp
  ) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_lutime", path) { uv_fs_lutime($0, $1, path, accessed.seconds, modified.seconds, $2) })
  }
}

/// At once, on this thread: for what nobody will ever use.
func closeDescriptor(_ descriptor: Int32) {
  var request = uv_fs_t()
  uv_fs_close(nil, &request, descriptor, nil)
  uv_fs_req_cleanup(&request)
}

extension Operation where Element == File, Failure == UVError {
  /// A call whose result is a descriptor.
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
