import CUV
public import Streams

/// Calls back on each turn of the loop, and keeps it turning: the loop does not wait for events meanwhile.
///
/// For long work in small pieces, between which everything else gets its turn. It takes a whole processor.
public final class IdleHandle: TurnHandle {
  /// Makes a handle that is not running.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_idle_t.self, "uv_idle_init") { uv_idle_init($0, $1) }
  }

  override func begin() { uv_idle_start(pointer(uv_idle_t.self)) { TurnHandle.fire($0!.pointee.data) } }

  override func end() { uv_idle_stop(pointer(uv_idle_t.self)) }
}

extension Operation where Element == Void, Failure == UVError {
  /// An element on each turn of the loop that observes it, which does not wait for events meanwhile: libuv's `idle`.
  ///
  /// It takes a whole processor. Pausing stops it. Never completes.
  ///
  /// - Parameter keepsLoopAlive: Whether it keeps `Loop.run()` from returning while it is observed.
  public static func idle(keepsLoopAlive: Bool = true) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try IdleHandle() },
      start: { handle, observer in handle.start { observer.next() } }, stop: { $0.stop() })
  }
}
