import CUV
import Callbacks

/// A timer of libuv. Time-based operators use the loop's scheduler instead, which serves any number of deadlines with one.
public final class TimerHandle: Handle {
  private var action: () -> Void = {}

  /// Makes a timer that is not running.
  public init(on loop: Loop = .current) throws(UVError) {
    try super.init(loop, uv_timer_t.self, "uv_timer_init") { uv_timer_init($0, $1) }
  }

  /// Calls `action` after `delay`, and then every `interval` if that is not nil. Replaces what was started before.
  ///
  /// libuv counts in milliseconds: both are rounded up to the next one, and an interval is at least one. The calls run on
  /// the loop's thread. The next call of an interval is due one interval after the turn of the loop that made the
  /// previous one: however long that call took, but a loop that is late moves all that follow. For ticks that do not drift
  /// use `Stream.interval`. Does nothing after `dispose()`.
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

  /// Stops it. `start` starts it again.
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
  /// Whole milliseconds, rounded up; a negative duration counts as zero.
  var millisecondsRoundedUp: UInt64 {
    if self <= .zero { return 0 }
    let (seconds, attoseconds) = clampedComponents
    let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
    // The longest that libuv can add to its clock without wrapping around.
    return overflow ? UInt64(Int64.max) : min(product &+ UInt64(milliseconds), UInt64(Int64.max))
  }

  /// The parts, of a shorter duration if the seconds exceed 64 bits: then `components` traps.
  var clampedComponents: (seconds: Int64, attoseconds: Int64) {
    min(max(self, .seconds(Int64.min)), .seconds(Int64.max)).components
  }
}
