import CUV
import Callbacks
public import Streams

/// Watches for a signal of the process.
///
/// Any number of handles, on any loops, may watch the same signal; all of them are called. While at least one watches,
/// the default action of the signal is off. The kernel may merge signals in quick succession into one. Watching
/// unblocks the signal in the loop's thread, because a process may inherit a mask that blocks it.
public final class SignalHandle: Handle {
  private var action: (Signal) -> Void = { _ in }

  /// Makes a handle that does not watch yet.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_signal_t.self, "uv_signal_init") { uv_signal_init($0, $1) }
  }

  /// Calls `action` on the loop's thread for each `signal`. Replaces the previous watch. Throws `EINVAL` for a signal
  /// that cannot be caught.
  public func start(_ signal: Signal, _ action: @escaping (Signal) -> Void) throws(UVError) {
    if isDisposed { return }
    loop.check()
    self.action = action
    signal.unblock()
    let status = uv_signal_start(
      pointer(uv_signal_t.self),
      { handle, signal in
        unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: SignalHandle.self).fire(signal)
      }, signal.rawValue)
    if status < 0 { throw UVError(code: status, call: "uv_signal_start", path: "\(signal)") }
  }

  /// Stops watching and releases the closure. When no handle watches the signal any longer, its default action is
  /// restored.
  public func stop() {
    if isDisposed { return }
    loop.check()
    uv_signal_stop(pointer(uv_signal_t.self))
    action = { _ in }
  }

  private func fire(_ signal: Int32) {
    #if Tracing
    loop.iterations?.signalArrived()
    #endif
    let action = action
    action(Signal(rawValue: signal))
  }

  override func willFree() { action = { _ in } }

  override var summary: String { "SignalHandle, \(Signal(rawValue: pointer(uv_signal_t.self).pointee.signum))" }
}

extension Operation where Element == Signal, Failure == UVError {
  /// Emits an element each time the process receives `signal`, on the observing loop.
  ///
  /// While it is observed, the default action of the signal is off: SIGTERM does not end the process. Fails for a
  /// signal that cannot be caught, and never completes. Pausing has no effect.
  ///
  /// - Parameters:
  ///   - signal: The signal to watch.
  ///   - keepsLoopAlive: Whether the observed signal keeps `Loop.run()` from returning. False by default, so that a
  ///     program that handles Control-C still ends when its work is done.
  public static func signal(_ signal: Signal, keepsLoopAlive: Bool = false) -> Operation {
    Operation { observer in
      do throws(UVError) {
        let handle = try SignalHandle()
        handle.keepsLoopAlive = keepsLoopAlive
        do throws(UVError) {
          try handle.start(signal) { observer.next($0) }
        } catch {
          handle.dispose()
          throw error
        }
        return BlockDisposable { handle.dispose() }
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
