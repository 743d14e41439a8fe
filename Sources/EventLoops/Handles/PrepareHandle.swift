import CUV
public import Streams

/// Calls back on each loop iteration, right before the loop waits for events.
///
/// Use it to hand over, in one go, work that was gathered during the iteration.
public final class PrepareHandle: TurnHandle {
  /// Makes a handle that is not running.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_prepare_t.self, "uv_prepare_init") { uv_prepare_init($0, $1) }
  }

  override func begin() { uv_prepare_start(pointer(uv_prepare_t.self)) { TurnHandle.fire($0!.pointee.data) } }

  override func end() { uv_prepare_stop(pointer(uv_prepare_t.self)) }
}

extension Operation where Element == Void, Failure == UVError {
  /// Emits an element on each iteration of the observing loop, right before it waits for events: libuv's `prepare`.
  ///
  /// It does not start an iteration: if nothing happens, no element is delivered. Pausing stops it. Never completes.
  ///
  /// - Parameter keepsLoopAlive: Whether the observed stream keeps `Loop.run()` from returning.
  public static func beforePolling(keepsLoopAlive: Bool = false) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try PrepareHandle() },
      start: { handle, observer in handle.start { observer.next() } }, stop: { $0.stop() })
  }
}
