import CUV
import Callbacks
public import Streams

/// An event that the system reports for a watched path.
public struct PathEvent: Hashable, Sendable {
  /// The kinds of change, as precise as libuv reports them.
  public struct Kinds: OptionSet, Hashable, Sendable {
    /// The bits, as libuv defines them.
    public let rawValue: Int32

    /// Makes a set from libuv's bits.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A name was added, removed, or changed.
    public static let rename = Kinds(rawValue: Int32(UV_RENAME.rawValue))
    /// The contents or the status changed.
    public static let change = Kinds(rawValue: Int32(UV_CHANGE.rawValue))
  }

  /// The name inside the watched directory, or the name of the watched file. Nil if the system does not report it.
  public var name: String?
  /// What happened.
  public var kinds: Kinds
}

/// Watches one file or one directory, without its subdirectories.
///
/// This is libuv's plain watch. A file that is replaced by another one of the same name is no longer watched. A rename
/// is reported as two unrelated events. Events that overflow the kernel's queue are lost silently. `FileWatching` has a
/// watcher that handles all of these cases and watches whole trees.
public final class FileEventHandle: Handle {
  private var action: (Result<PathEvent, UVError>) -> Void = { _ in }

  /// Makes a handle that does not watch yet.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_fs_event_t.self, "uv_fs_event_init") { uv_fs_event_init($0, $1) }
  }

  /// Watches `path` and calls `action` for each event.
  ///
  /// Throws `ENOENT` if there is no such file, `ENOSPC` if the user has no watches left, and `EALREADY` if the handle
  /// watches already: call `stop()` first.
  public func start(_ path: String, _ action: @escaping (Result<PathEvent, UVError>) -> Void) throws(UVError) {
    if isDisposed { return }
    loop.check()
    let status =
      path.utf8.contains(0)
      ? UV_EINVAL.rawValue
      : uv_is_active(raw) != 0
        ? UV_EALREADY.rawValue
        : uv_fs_event_start(
          pointer(uv_fs_event_t.self),
          { handle, name, events, status in
            let event = PathEvent(name: name.map { String(cString: $0) }, kinds: PathEvent.Kinds(rawValue: events))
            unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: FileEventHandle.self)
              .fire(status < 0 ? .failure(UVError(code: status, call: "uv_fs_event")) : .success(event))
          }, path, 0)
    if status < 0 { throw UVError(code: status, call: "uv_fs_event_start", path: path) }
    self.action = action
  }

  /// Stops watching. Call `start` to watch again.
  public func stop() {
    if isDisposed { return }
    loop.check()
    uv_fs_event_stop(pointer(uv_fs_event_t.self))
    action = { _ in }
  }

  override var summary: String { "FileEventHandle, \(path ?? "nothing")" }

  /// The watched path. Nil if the handle does not watch.
  public var path: String? {
    if isDisposed { return nil }
    loop.check()
    let handle = pointer(uv_fs_event_t.self)
    return text("uv_fs_event_getpath") { uv_fs_event_getpath(handle, $0, $1) }
  }

  private func fire(_ result: Result<PathEvent, UVError>) {
    let action = action
    action(result)
  }

  override func willFree() { action = { _ in } }
}

extension Operation where Element == PathEvent, Failure == UVError {
  /// Emits the events that the system reports for one file or one directory, without subdirectories: libuv's
  /// `fs_event`.
  ///
  /// Fails if `path` cannot be watched, and never completes. Pausing stops the watch: events in the meantime are not
  /// reported. Programs should use `FileWatching` instead, which loses no changes.
  ///
  /// - Parameters:
  ///   - path: The path of the file or directory.
  ///   - keepsLoopAlive: Whether the observed stream keeps `Loop.run()` from returning.
  public static func pathEvents(_ path: String, keepsLoopAlive: Bool = true) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try FileEventHandle() },
      start: { (handle, observer) throws(UVError) in try handle.start(path) { observer.deliver($0) } },
      stop: { $0.stop() })
  }
}
