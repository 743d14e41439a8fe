import CUV
public import Streams

/// Calls back on each loop iteration. While it runs, the loop does not wait for events.
///
/// Use it for long work in small pieces, so that other work can run in between. Uses a whole processor core.
public final class IdleHandle: TurnHandle {
  /// Makes a handle that is not running.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_idle_t.self, "uv_idle_init") { uv_idle_init($0, $1) }
  }

  override func begin() { uv_idle_start(pointer(uv_idle_t.self)) { TurnHandle.fire($0!.pointee.data) } }

  override func end() { uv_idle_stop(pointer(uv_idle_t.self)) }
}

extension Operation where Element == Void, Failure == UVError {
  /// Emits an element on each iteration of the observing loop, which does not wait for events meanwhile: libuv's
  /// `idle`.
  ///
  /// Uses a whole processor core. Pausing stops it. Never completes.
  ///
  /// - Parameter keepsLoopAlive: Whether the observed stream keeps `Loop.run()` from returning.
  public static func idle(keepsLoopAlive: Bool = true) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try IdleHandle() },
      start: { handle, observer in handle.start { observer.next() } }, stop: { $0.stop() })
  }
}
