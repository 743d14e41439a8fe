import CUV
public import Streams

extension Files {
  /// Makes a directory. Its parent must exist.
  public static func makeDirectory(
    _ path: String, permissions: FilePermissions = .newDirectory
  ) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_mkdir", path) { uv_fs_mkdir($0, $1, path, Int32(permissions.rawValue), $2) })
  }

  /// Removes an empty directory.
  public static func removeDirectory(_ path: String) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_rmdir", path) { uv_fs_rmdir($0, $1, path, $2) })
  }

  /// Reads all entries of a directory, without `.` and `..`, sorted by the bytes of their names. Emits one element. For
  /// directories of any size, use `Operation.entries(of:)`.
  public static func entries(of path: String) -> Operation<[DirectoryEntry], UVError> {
    .fileCall(FileCall("uv_fs_scandir", path) { uv_fs_scandir($0, $1, path, 0, $2) }) { request in
      var entries: [DirectoryEntry] = []
      entries.reserveCapacity(max(0, request.pointee.result))
      var entry = uv_dirent_t()
      while uv_fs_scandir_next(request, &entry) == 0 { entries.append(DirectoryEntry(entry)) }
      return entries
    }
  }

  /// Makes a hard link: another name of a file, on the same file system.
  public static func makeLink(_ newPath: String, to path: String) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_link", path, newPath) { uv_fs_link($0, $1, path, newPath, $2) })
  }

  /// Makes a symbolic link at `newPath` to `path`, which need not exist.
  public static func makeSymbolicLink(_ newPath: String, to path: String) -> Operation<Void, UVError> {
    .fileCall(FileCall("uv_fs_symlink", path, newPath) { uv_fs_symlink($0, $1, path, newPath, 0, $2) })
  }

  /// Reads the path in a symbolic link. Fails with `EINVAL` if `path` is not a symbolic link.
  public static func destination(ofLink path: String) -> Operation<String, UVError> {
    .fileCall(FileCall("uv_fs_readlink", path) { uv_fs_readlink($0, $1, path, $2) }) { $0.stringResult }
  }

  /// Finds the absolute path without symbolic links, `.`, and `..`. The file must exist.
  public static func realPath(of path: String) -> Operation<String, UVError> {
    .fileCall(FileCall("uv_fs_realpath", path) { uv_fs_realpath($0, $1, path, $2) }) { $0.stringResult }
  }
}

extension UnsafeMutablePointer<uv_fs_t> {
  var stringResult: String { String(cString: pointee.ptr.assumingMemoryBound(to: CChar.self)) }
}

extension Operation where Element == DirectoryEntry, Failure == UVError {
  /// Emits the entries of a directory as they are read, without `.` and `..` and in no particular order.
  ///
  /// They are read 128 at a time when observed, so memory does not grow with the directory. While the observer is
  /// paused, no more are read, and the entries already read wait. Fails with the error of the system. Completes after
  /// the last entry.
  public static func entries(of path: String) -> Operation {
    Operation { observer in
      let reader = DirectoryReader(path, observer)
      reader.open()
      return reader
    }
  }
}

/// Reads a directory for one observer.
///
/// The loop tracks it while the directory is open.
private final class DirectoryReader: LoopResource, Disposable {
  static let batch = 128

  private let path: String
  private var observer: Observer<DirectoryEntry, UVError>?
  private var request: (any Disposable)?
  private var directory: UnsafeMutablePointer<uv_dir_t>?
  private let entries = UnsafeMutablePointer<uv_dirent_t>.allocate(capacity: batch)
  private var waiting: ArraySlice<DirectoryEntry> = []
  private var isReading = false
  private var isDelivering = false

  init(_ path: String, _ observer: Observer<DirectoryEntry, UVError>) {
    self.path = path
    self.observer = observer
    super.init(.current)
  }

  deinit { entries.deallocate() }

  var isDisposed: Bool { observer == nil }

  func open() {
    var call = FileCall("uv_fs_opendir", path) { [path] in uv_fs_opendir($0, $1, path, $2) }
    call.discard = { DirectoryReader.close($0.pointee.ptr) }
    let request = FileRequest(call, on: loop, reading: { $0.pointee.ptr }) { result in
      switch result {
      case .success(let directory):
        self.directory = directory?.assumingMemoryBound(to: uv_dir_t.self)
        self.directory?.pointee.dirents = self.entries
        self.directory?.pointee.nentries = DirectoryReader.batch
        self.link()
        self.proceed()
      case .failure(let error): self.end(.failed(error))
      }
    }
    self.request = request
    request.start()
  }

  /// Delivers the entries that have been read, then reads the next ones.
  private func proceed() {
    if isDelivering || isReading { return }
    isDelivering = true
    while let observer, !observer.isPaused, let entry = waiting.popFirst() { observer.next(entry) }
    isDelivering = false
    guard let observer, !observer.isPaused, let directory else { return }
    isReading = true
    var call = FileCall("uv_fs_readdir") { uv_fs_readdir($0, $1, directory, $2) }
    call.path = path
    // If the reader was disposed meanwhile, the directory is closed when libuv has released it.
    call.ended = { [self] in
      isReading = false
      if isDisposed { closeDirectory() }
    }
    let request = FileRequest(call, on: loop, reading: readBatch) { result in
      switch result {
      case .success(let batch):
        if batch.isEmpty { return self.end(.completed) }
        self.waiting = batch[...]
        self.proceed()
      case .failure(let error): self.end(.failed(error))
      }
    }
    self.request = request
    request.start()
  }

  private func readBatch(_ request: UnsafeMutablePointer<uv_fs_t>) -> [DirectoryEntry] {
    (0..<max(0, request.pointee.result)).map { DirectoryEntry(entries[$0]) }
  }

  private func end(_ termination: Termination<UVError>) {
    closeDirectory()
    request = nil
    observer.take()?.terminate(termination)
  }

  private func closeDirectory() {
    guard let directory = directory.take() else { return }
    DirectoryReader.close(directory)
    unlink()
  }

  override func loopWillClose() {
    // A read under way ends by itself.
    if !isReading { end(.failed(UVError(code: UV_ECANCELED.rawValue, call: "uv_fs_readdir", path: path))) }
  }

  /// Closes the directory at once, on this thread: that releases a descriptor and does not touch the disk.
  private static func close(_ directory: UnsafeMutableRawPointer?) {
    var request = uv_fs_t()
    uv_fs_closedir(nil, &request, directory?.assumingMemoryBound(to: uv_dir_t.self), nil)
    uv_fs_req_cleanup(&request)
  }

  func dispose() {
    observer = nil
    waiting = []
    request.take()?.dispose()
    if !isReading { closeDirectory() }
  }

  func resume() { proceed() }
}
