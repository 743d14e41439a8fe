import CUV
import Callbacks
public import Streams

/// A change of a file's status: the one before and the one now.
public struct FileStatusChange: Hashable, Sendable {
  /// The status before. Nil if there was no such file.
  public var old: FileStatus?
  /// The status now. Nil if there is no such file.
  public var new: FileStatus?
}

/// Checks the status of a path at regular intervals, for file systems that report no changes, such as network file
/// systems.
///
/// Costs one `stat` on the thread pool for each interval.
public final class FilePollHandle: Handle {
  private var action: (Result<FileStatusChange, UVError>) -> Void = { _ in }
  private var isMissing = false

  /// Makes a handle that does not check yet.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_fs_poll_t.self, "uv_fs_poll_init") { uv_fs_poll_init($0, $1) }
  }

  /// Checks `path` now and then once every `interval`, and calls `action` when its status has changed.
  ///
  /// The interval is rounded up to whole milliseconds and is at least one. The first check reports nothing, unless
  /// there is no such file. A failed check, such as one with `EACCES`, is passed to `action`, and the checks continue.
  /// Does nothing if the handle is running already: call `stop()` first.
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

  /// Stops the checks. Call `start` to check again.
  public func stop() {
    if isDisposed { return }
    loop.check()
    uv_fs_poll_stop(pointer(uv_fs_poll_t.self))
    action = { _ in }
  }

  override var summary: String { "FilePollHandle, \(path ?? "nothing")" }

  /// The path that is checked. Nil if the handle is not running.
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
  /// Checks `path` once every `interval` and emits a change when its status has changed, or when the file has appeared
  /// or disappeared: libuv's `fs_poll`.
  ///
  /// The first check emits nothing, unless there is no such file. Fails if a check fails, for example with `EACCES`,
  /// and never completes. Pausing stops the checks; changes in the meantime are not reported.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which need not exist.
  ///   - interval: The time between two checks.
  ///   - keepsLoopAlive: Whether the observed stream keeps `Loop.run()` from returning.
  public static func statusChanges(
    of path: String, every interval: Duration, keepsLoopAlive: Bool = true
  ) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try FilePollHandle() },
      start: { (handle, observer) throws(UVError) in try handle.start(path, every: interval) { observer.deliver($0) } },
      stop: { $0.stop() })
  }
}
