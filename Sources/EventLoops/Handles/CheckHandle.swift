import CUV
public import Streams

/// Calls back on each turn of the loop, right after it has waited for events.
///
/// Before the callbacks of what libuv closes, and behind those of descriptors.
public final class CheckHandle: TurnHandle {
  /// Makes a handle that is not running.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_check_t.self, "uv_check_init") { uv_check_init($0, $1) }
  }

  override func begin() { uv_check_start(pointer(uv_check_t.self)) { TurnHandle.fire($0!.pointee.data) } }

  override func end() { uv_check_stop(pointer(uv_check_t.self)) }
}

extension Operation where Element == Void, Failure == UVError {
  /// An element on each turn of the loop that observes it, right after the loop has waited for events: libuv's `check`.
  ///
  /// It does not start an iteration: if nothing happens, no element is delivered. Pausing stops it. Never completes.
  ///
  /// - Parameter keepsLoopAlive: Whether it keeps `Loop.run()` from returning while it is observed.
  public static func afterPolling(keepsLoopAlive: Bool = false) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try CheckHandle() },
      start: { handle, observer in handle.start { observer.next() } }, stop: { $0.stop() })
  }
}
