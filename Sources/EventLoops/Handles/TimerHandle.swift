import CUV
import Callbacks

/// A timer backed by libuv. Time-based operators use the loop's scheduler instead, which serves any number of deadlines
/// with one timer.
public final class TimerHandle: Handle {
  private var action: () -> Void = {}

  /// Makes a timer that is not running.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_timer_t.self, "uv_timer_init") { uv_timer_init($0, $1) }
  }

  /// Calls `action` after `delay`, and then every `interval` if that is not nil. Replaces the previous schedule.
  ///
  /// Both durations round up to the next millisecond, and the interval is at least one. The calls run on the loop's
  /// thread. Each call is due one interval after the loop iteration that made the previous call, however long that call
  /// took. If the loop is late, all following calls are late too. Use `Stream.interval` for ticks that do not drift.
  /// libuv's clock counts whole milliseconds, so a call can come up to one millisecond early. Does nothing after
  /// `dispose()`.
  public func start(after delay: Duration, every interval: Duration? = nil, _ action: @escaping () -> Void) {
    if isDisposed { return }
    loop.check()
    self.action = action
    uv_update_time(loop.uv)
    let period = interval.map { max(1, $0.millisecondsRoundedUp) } ?? 0
    uv_timer_start(
      pointer(uv_timer_t.self),
      { unsafeDowncast(UntilClosed<Handle>.borrow($0!.pointee.data), to: TimerHandle.self).fire() },
      delay.millisecondsRoundedUp, period)
  }

  /// Stops the timer. Call `start` to start it again.
  public func stop() {
    if isDisposed { return }
    loop.check()
    uv_timer_stop(pointer(uv_timer_t.self))
    action = {}
  }

  private func fire() {
    let action = action
    action()
  }

  override func willFree() { action = {} }
}

extension Duration {
  /// The duration in whole milliseconds, rounded up. A negative duration counts as zero.
  var millisecondsRoundedUp: UInt64 {
    if self <= .zero { return 0 }
    let (seconds, attoseconds) = clampedComponents
    let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
    // The longest duration that libuv can add to its clock without wrapping around.
    return overflow ? UInt64(Int64.max) : min(product &+ UInt64(milliseconds), UInt64(Int64.max))
  }

  /// The components, clamped to 64-bit seconds: `components` traps if the seconds do not fit.
  var clampedComponents: (seconds: Int64, attoseconds: Int64) {
    min(max(self, .seconds(Int64.min)), .seconds(Int64.max)).components
  }
}
