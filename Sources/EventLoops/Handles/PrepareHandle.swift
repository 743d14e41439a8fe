import CUV
import Callbacks
public import Streams

/// Calls back on each turn of the loop, right before it waits for events.
///
/// For what has gathered work during the turn and wants to hand it on in one go.
public final class PrepareHandle: Handle {
  private var action: () -> Void = {}

  /// Makes a handle that is not running.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_prepare_t.self, "uv_prepare_init") { uv_prepare_init($0, $1) }
  }

  /// Calls `action` on each turn from now on. Replaces what was started before. Does nothing after `dispose()`.
  public func start(_ action: @escaping () -> Void) {
    if isDisposed { return }
    loop.check()
    self.action = action
    // Fails for a missing function only.
    uv_prepare_start(pointer(uv_prepare_t.self)) {
      unsafeDowncast(UntilClosed<Handle>.borrow($0!.pointee.data), to: PrepareHandle.self).fire()
    }
  }

  /// Stops it. `start` starts it again.
  public func stop() {
    if isDisposed { return }
    loop.check()
    uv_prepare_stop(pointer(uv_prepare_t.self))
    action = {}
  }

  private func fire() {
    let action = action
    action()
  }

  override func willFree() { action = {} }
}

extension Operation where Element == Void, Failure == UVError {
  /// An element on each turn of the loop that observes it, right before the loop waits for events: libuv's `prepare`.
  ///
  /// It does not start an iteration: if nothing happens, no element is delivered. Pausing stops it. Never completes.
  ///
  /// - Parameter keepsLoopAlive: Whether it keeps `Loop.run()` from returning while it is observed.
  public static func beforePolling(keepsLoopAlive: Bool = false) -> Operation {
    observing(
      keepsLoopAlive: keepsLoopAlive, { () throws(UVError) in try PrepareHandle() },
      start: { handle, observer in handle.start { observer.next() } }, stop: { $0.stop() })
  }
}
