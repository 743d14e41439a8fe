import CUV
import Callbacks
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The events for which a descriptor is ready.
public struct PollEvents: OptionSet, Hashable, Sendable {
  /// The bits, as libuv defines them.
  public let rawValue: Int32

  /// Makes a set from libuv's bits.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Makes a set from the flags of `poll(2)`, which many C libraries use: `POLLIN`, `POLLOUT`, `POLLPRI`, and
  /// `POLLRDHUP`. Others are ignored, because the system reports those errors anyway.
  public init(pollFlags: Int32) {
    self = []
    #if canImport(Glibc)
    let hangup = 0x2000  // POLLRDHUP, which Glibc declares for GNU sources only.
    #else
    let hangup = 0
    #endif
    for (flag, event) in [
      (Int(POLLIN), PollEvents.readable), (Int(POLLOUT), .writable), (Int(POLLPRI), .prioritized),
      (hangup, .disconnect),
    ] where Int(pollFlags) & flag != 0 { insert(event) }
  }

  /// Reading does not block.
  public static let readable = PollEvents(rawValue: Int32(UV_READABLE.rawValue))
  /// Writing does not block.
  public static let writable = PollEvents(rawValue: Int32(UV_WRITABLE.rawValue))
  /// The peer has closed its end.
  public static let disconnect = PollEvents(rawValue: Int32(UV_DISCONNECT.rawValue))
  /// Urgent data is available, such as an out-of-band byte or a changed sysfs file.
  public static let prioritized = PollEvents(rawValue: Int32(UV_PRIORITIZED.rawValue))

  static let all: PollEvents = [.readable, .writable, .disconnect, .prioritized]
}

/// Watches a descriptor that other code reads and writes, such as a C library's socket or an inotify queue.
///
/// Level-triggered: it calls back on each loop iteration as long as the descriptor is ready. A descriptor with an error, such
/// as that of a connection that was reset, is ready for all events: reading returns what has arrived, and then the error. The
/// descriptor is switched to non-blocking mode. It is not closed: close it after the handle, never before. If it is closed between `start` and the
/// loop's next wait, the handle stops and calls back with `EBADF`; if it is closed later, nothing is reported.
public final class PollHandle: Handle {
  let descriptor: Int32
  /// Nil if the descriptor was not open, or the system has not told its file.
  private let file: OpenFile?
  /// True if a LibraryDriver looks at the descriptor.
  var isDriven = false
  private var events: PollEvents = []
  private var action: (Result<PollEvents, UVError>) -> Void = { _ in }

  /// Makes a handle for `descriptor` that does not watch yet. Throws `EPERM` if the descriptor cannot be watched, such
  /// as that of a regular file, and `EEXIST` if another handle of the same loop watches it.
  public init(descriptor: Int32, on loop: Loop = .current) throws(UVError) {
    self.descriptor = descriptor
    file = OpenFile(descriptor)
    try super.init(loop, uv_poll_t.self, "uv_poll_init") { uv_poll_init($0, $1, descriptor) }
  }

  /// True if the descriptor has been closed since the handle was made. Its number may belong to another file by now.
  var isStale: Bool {
    guard let now = OpenFile(descriptor) else { return errno == EBADF }
    return file.map { $0 != now } ?? false
  }

  /// True if `isStale` cannot tell the file from others of its kind, such as one event descriptor from another.
  var isAnonymous: Bool { file?.isAnonymous ?? false }

  /// Watches for `events`, and calls `action` with the events that are ready. Replaces the previous watch.
  ///
  /// Throws `EBADF` if the descriptor has been closed since the handle was made, `EEXIST` if another handle of the same
  /// loop watches it, and `EINVAL` if `events` has bits that stand for no event. Costs up to four system calls: two now, and
  /// two before the loop waits.
  public func start(_ events: PollEvents, _ action: @escaping (Result<PollEvents, UVError>) -> Void) throws(UVError) {
    if isDisposed { return }
    loop.check()
    // libuv would abort the program.
    if !events.isSubset(of: .all) { throw UVError(code: UV_EINVAL.rawValue, call: "uv_poll_start") }
    if isStale { throw UVError(code: UV_EBADF.rawValue, call: "uv_poll_start") }
    let status = arm(events)
    if status < 0 { throw UVError(code: status, call: "uv_poll_start") }
    self.action = action
    self.events = events
    loop.polling[descriptor] = self
    if !isDriven { loop.pendingPolls.append(self) }
  }

  /// Stops and reports `EBADF` if the descriptor has been closed, because libuv would abort the program.
  fileprivate func checkDescriptor() {
    if isDisposed || !hasStarted || !isStale { return }
    let action = action
    stop()
    action(.failure(UVError(code: UV_EBADF.rawValue, call: "uv_poll")))
  }

  private func arm(_ events: PollEvents) -> Int32 {
    uv_poll_start(pointer(uv_poll_t.self), events.rawValue) { handle, status, events in
      unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: PollHandle.self).fire(status, events)
    }
  }

  /// Stops watching and releases the closure. Call `start` to watch again.
  public func stop() {
    if isDisposed { return }
    loop.check()
    // Another handle may watch the descriptor by now.
    if hasStarted { uv_poll_stop(pointer(uv_poll_t.self)) }
    forget()
    action = { _ in }
  }

  private var hasStarted: Bool { loop.polling[descriptor] === self }

  private func forget() { if hasStarted { loop.polling[descriptor] = nil } }

  override func close(_ callback: uv_close_cb) {
    forget()
    super.close(callback)
    // libuv removes the descriptor from epoll even if another handle watches it.
    loop.polling[descriptor]?.armAgain()
  }

  private func fire(_ status: Int32, _ events: Int32) {
    let action = action
    if status >= 0 { return action(.success(PollEvents(rawValue: events))) }
    // libuv has stopped the handle because the system reports an error of the descriptor, which a read or write returns.
    if isDriven || isStale {
      if !isDriven { stop() }
      return action(.failure(UVError(code: status, call: "uv_poll")))
    }
    action(.success(self.events))
    if !isDisposed, hasStarted, uv_is_active(pointer(uv_handle_t.self)) == 0 { armAgain() }
  }

  /// Goes on watching after libuv has stopped that, if the descriptor is still open.
  private func armAgain() {
    loop.pendingPolls.append(self)
    checkDescriptor()
    if hasStarted { _ = arm(events) }
  }

  override func willFree() { action = { _ in } }
}

/// The handles that were started since the loop last waited. libuv has not handed their descriptors to the system yet.
struct PendingPolls {
  private var handles: [PollHandle] = []
  private var check: PrepareHandle?

  mutating func append(_ handle: PollHandle) {
    handles.append(handle)
    if handles.count > 1 { return }
    let loop = handle.loop
    if check == nil, let new = try? PrepareHandle(on: loop) {
      new.markInternal()
      new.keepsLoopAlive = false
      check = new
    }
    check?.start { [unowned loop] in
      for handle in loop.pendingPolls.removeAll() { handle.checkDescriptor() }
    }
  }

  private mutating func removeAll() -> [PollHandle] {
    check?.stop()
    defer { handles = [] }
    return handles
  }
}

/// Identifies the file behind a descriptor.
private struct OpenFile: Equatable {
  private let device: UInt64
  private let node: UInt64
  /// True for a file without a node of its own: an event descriptor, a timer descriptor, or an inotify queue.
  let isAnonymous: Bool

  /// Nil if the descriptor is not open (`errno` is `EBADF` then), or the system has no memory.
  init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    node = UInt64(status.st_ino)
    isAnonymous = status.st_mode & S_IFMT == 0
  }
}

extension Operation where Element == PollEvents, Failure == UVError {
  /// Emits an element each time `descriptor` is ready for one of `events`, on the observing loop.
  ///
  /// Level-triggered: read until nothing is left, or the element is emitted again. Pausing stops the watch. Fails if
  /// the descriptor cannot be watched, and never completes.
  ///
  /// - Parameters:
  ///   - descriptor: An open descriptor. You close it, after the observation has ended.
  ///   - events: The events to wait for.
  ///   - keepsLoopAlive: Whether the observed stream keeps `Loop.run()` from returning.
  public static func poll(
    _ descriptor: Int32, for events: PollEvents, keepsLoopAlive: Bool = true
  ) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try PollHandle(descriptor: descriptor) },
      start: { (handle, observer) throws(UVError) in try handle.start(events) { observer.deliver($0) } },
      stop: { $0.stop() })
  }
}
