import CUV
import Callbacks
public import Streams

/// What the system tells of a path that is watched.
public struct PathEvent: Hashable, Sendable {
  /// What has happened, as far as libuv says.
  public struct Kinds: OptionSet, Hashable, Sendable {
    /// The bits as libuv has them.
    public let rawValue: Int32

    /// Makes a set from libuv's bits.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A name has come, gone or changed.
    public static let rename = Kinds(rawValue: Int32(UV_RENAME.rawValue))
    /// Content or status has changed.
    public static let change = Kinds(rawValue: Int32(UV_CHANGE.rawValue))
  }

  /// The name in the directory that is watched, or that of the file; nil where the system does not say.
  public var name: String?
  /// What has happened.
  public var kinds: Kinds
}

/// Watches one file or one directory, without what is below it.
///
/// The plain watch of libuv: a file that is replaced by another of the same name is not seen any more, a rename is two
/// events without a connection, and events that the kernel had no room for are lost without a word. `FileWatching` has a
/// watcher that makes up for all of these and sees whole trees.
public final class FileEventHandle: Handle {
  private var action: (Result<PathEvent, UVError>) -> Void = { _ in }

  /// Makes a handle that does not watch yet.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_fs_event_t.self, "uv_fs_event_init") { uv_fs_event_init($0, $1) }
  }

  /// Watches `path` and calls `action` with each event. Fails where there is no such file (`ENOENT`), with `ENOSPC` where
  /// the user has no watches left, and with `EALREADY` where it watches already: `stop()` first.
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

  /// Stops watching. `start` starts again.
  public func stop() {
    if isDisposed { return }
    loop.check()
    uv_fs_event_stop(pointer(uv_fs_event_t.self))
    action = { _ in }
  }

  override var summary: String { "FileEventHandle, \(path ?? "nothing")" }

  /// What it watches, or nil.
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
  /// What the system tells of one file or one directory, without what is below it: libuv's `fs_event`.
  ///
  /// Fails where `path` cannot be watched, and never completes. Pausing stops the watching: what happens meanwhile is not
  /// told. For programs there is `FileWatching`, which loses nothing.
  ///
  /// - Parameters:
  ///   - path: The path of the file or directory.
  ///   - keepsLoopAlive: Whether it keeps `Loop.run()` from returning while it is observed.
  public static func pathEvents(_ path: String, keepsLoopAlive: Bool = true) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try FileEventHandle() },
      start: { (handle, observer) throws(UVError) in try handle.start(path) { observer.deliver($0) } },
      stop: { $0.stop() })
  }
}
