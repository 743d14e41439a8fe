import CUV
public import Streams

/// Calls back on each loop iteration, right after the loop has waited for events.
///
/// Runs after the callbacks of descriptors and before the close callbacks.
public final class CheckHandle: TurnHandle {
  /// Makes a handle that is not running.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_check_t.self, "uv_check_init") { uv_check_init($0, $1) }
  }

  override func begin() { uv_check_start(pointer(uv_check_t.self)) { TurnHandle.fire($0!.pointee.data) } }

  override func end() { uv_check_stop(pointer(uv_check_t.self)) }
}

extension Operation where Element == Void, Failure == UVError {
  /// Emits an element on each iteration of the observing loop, right after it has waited for events: libuv's `check`.
  ///
  /// It does not start an iteration: if nothing happens, no element is delivered. Pausing stops it. Never completes.
  ///
  /// - Parameter keepsLoopAlive: Whether the observed stream keeps `Loop.run()` from returning.
  public static func afterPolling(keepsLoopAlive: Bool = false) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try CheckHandle() },
      start: { handle, observer in handle.start { observer.next() } }, stop: { $0.stop() })
  }
}
