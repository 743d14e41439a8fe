import CUV
import Callbacks
public import Streams

/// Calls back on each turn of the loop, and keeps it turning: the loop does not wait for events meanwhile.
///
/// For long work in small pieces, between which everything else gets its turn. It takes a whole processor.
public final class IdleHandle: Handle {
  private var action: () -> Void = {}

  /// Makes a handle that is not running.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_idle_t.self, "uv_idle_init") { uv_idle_init($0, $1) }
  }

  /// Calls `action` on each turn from now on. Replaces what was started before. Does nothing after `dispose()`.
  public func start(_ action: @escaping () -> Void) {
    if isDisposed { return }
    loop.check()
    self.action = action
    // Fails for a missing function only.
    uv_idle_start(pointer(uv_idle_t.self)) {
      unsafeDowncast(UntilClosed<Handle>.borrow($0!.pointee.data), to: IdleHandle.self).fire()
    }
  }

  /// Stops it. `start` starts it again.
  public func stop() {
    if isDisposed { return }
    loop.check()
    uv_idle_stop(pointer(uv_idle_t.self))
    action = {}
  }

  private func fire() {
    let action = action
    action()
  }

  override func willFree() { action = {} }
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
