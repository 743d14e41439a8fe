import CUV
import Callbacks
public import Streams

/// What was known about a path, and what is known now.
public struct FileStatusChange: Hashable, Sendable {
  /// Before; nil where there was no such file.
  public var old: FileStatus?
  /// Now; nil where there is none.
  public var new: FileStatus?
}

/// Looks at a path in regular intervals: for file systems that do not tell of changes, such as network ones.
///
/// Cost: a `stat` on the thread pool for each interval.
public final class FilePollHandle: Handle {
  private var action: (Result<FileStatusChange, UVError>) -> Void = { _ in }
  private var isMissing = false

  /// Makes a handle that does not look yet.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_fs_poll_t.self, "uv_fs_poll_init") { uv_fs_poll_init($0, $1) }
  }

  /// Looks at `path` now and then in every `interval`, in whole milliseconds and at least one, and calls `action` when its
  /// status has changed. The first look tells nothing, unless there is no such file. Does nothing where it looks already:
  /// `stop()` first.
  ///
  /// A failure is one of looking, such as `EACCES`; it goes on.
  public func start(
    _ path: String, every interval: Duration, _ action: @escaping (Result<FileStatusChange, UVError>) -> Void
  ) throws(UVError) {
    if isDisposed || uv_is_active(raw) != 0 { return }
    loop.check()
    self.action = action
    isMissing = false
    let period = UInt32(clamping: max(1, interval.millisecondsRoundedUp))
    let status =
      path.utf8.contains(0)
      ? UV_EINVAL.rawValue
      : uv_fs_poll_start(
        pointer(uv_fs_poll_t.self),
        { handle, status, old, new in
          unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: FilePollHandle.self)
            .fire(status, old!.pointee, new!.pointee)
        }, path, period)
    if status < 0 { throw UVError(code: status, call: "uv_fs_poll_start", path: path) }
  }

  /// Stops looking. `start` starts again.
  public func stop() {
    if isDisposed { return }
    loop.check()
    uv_fs_poll_stop(pointer(uv_fs_poll_t.self))
    action = { _ in }
  }

  override var summary: String { "FilePollHandle, \(path ?? "nothing")" }

  /// What it looks at, or nil.
  public var path: String? {
    if isDisposed { return nil }
    loop.check()
    let handle = pointer(uv_fs_poll_t.self)
    return text("uv_fs_poll_getpath") { uv_fs_poll_getpath(handle, $0, $1) }
  }

  private func fire(_ status: Int32, _ old: uv_stat_t, _ new: uv_stat_t) {
    let action = action
    let before = isMissing || old.st_mode == 0 ? nil : FileStatus(old)
    switch status {
    case 0:
      isMissing = false
      action(.success(FileStatusChange(old: before, new: FileStatus(new))))
    case UV_ENOENT.rawValue, UV_ENOTDIR.rawValue:
      isMissing = true
      action(.success(FileStatusChange(old: before, new: nil)))
    default:
      action(.failure(UVError(code: status, call: "uv_fs_poll", path: path)))
    }
  }

  override func willFree() { action = { _ in } }
}

extension Operation where Element == FileStatusChange, Failure == UVError {
  /// Looks at `path` in every `interval` and tells when its status has changed, also that it has come or gone: libuv's
  /// `fs_poll`.
  ///
  /// The first look tells nothing, unless there is no such file. Fails where it cannot be looked at, such as with `EACCES`,
  /// and never completes. Pausing stops it; what has changed meanwhile is not told.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which need not exist.
  ///   - interval: The time from one look to the next.
  ///   - keepsLoopAlive: Whether it keeps `Loop.run()` from returning while it is observed.
  public static func statusChanges(
    of path: String, every interval: Duration, keepsLoopAlive: Bool = true
  ) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try FilePollHandle() },
      start: { (handle, observer) throws(UVError) in try handle.start(path, every: interval) { observer.deliver($0) } },
      stop: { $0.stop() })
  }
}
