import CUV
import Callbacks
public import Streams

/// Watches for a signal of the process.
///
/// Any number of handles, on any loops, may watch the same signal; all are told. While at least one does, the signal's
/// default action is off. Signals that come in quick succession may be merged into one by the kernel. Watching unblocks the
/// signal in the loop's thread: a process may inherit a mask that blocks it.
public final class SignalHandle: Handle {
  private var action: (Signal) -> Void = { _ in }

  /// Makes a handle that does not watch yet.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_signal_t.self, "uv_signal_init") { uv_signal_init($0, $1) }
  }

  /// Calls `action` on the loop's thread for each `signal`. Replaces what was started before. Fails for signals that
  /// cannot be caught (`EINVAL`).
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

  /// Stops watching, and releases the closure. When no handle watches it any more, the signal's default action is back.
  public func stop() {
    if isDisposed { return }
    loop.check()
    uv_signal_stop(pointer(uv_signal_t.self))
    action = { _ in }
  }

  private func fire(_ signal: Int32) {
    let action = action
    action(Signal(rawValue: signal))
  }

  override func willFree() { action = { _ in } }

  override var summary: String { "SignalHandle, \(Signal(rawValue: pointer(uv_signal_t.self).pointee.signum))" }
}

extension Operation where Element == Signal, Failure == UVError {
  /// An element each time the process gets `signal`, on the loop that observes it.
  ///
  /// While it is observed, the signal's default action is off: SIGTERM does not end the process. Fails for signals that
  /// cannot be caught, and never completes. It cannot wait: pausing has no effect.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - keepsLoopAlive: Whether the observed signal keeps `Loop.run()` from returning. False by default: a
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
