import CUV

/// A point in time of the wall clock: the time since 1970-01-01 00:00 UTC, without leap seconds.
///
/// ```swift
/// let age = Timestamp.now - status.modified
/// ```
///
/// To measure durations, use a clock that is never set, such as `Loop.now` or `Machine.monotonicTime`.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// The time since 1970, negative before. The resolution is one nanosecond at best.
  public var sinceEpoch: Duration

  /// Makes a point in time.
  public init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

  /// The current time of the system's clock. The resolution is one microsecond.
  public static var now: Timestamp {
    var time = uv_timeval64_t()
    // Fails for a null pointer only.
    uv_gettimeofday(&time)
    return Timestamp(sinceEpoch: .seconds(time.tv_sec) + .microseconds(Int64(time.tv_usec)))
  }

  init(_ time: uv_timespec_t) {
    sinceEpoch = .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// The time since 1970 in seconds, for libuv. The error is less than a microsecond.
  var seconds: Double {
    let (seconds, attoseconds) = sinceEpoch.clampedComponents
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// Returns true if `left` is earlier than `right`.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.sinceEpoch < right.sinceEpoch }

  /// Returns the duration from `right` to `left`.
  public static func - (left: Timestamp, right: Timestamp) -> Duration { left.sinceEpoch - right.sinceEpoch }

  /// Returns the point in time that is later by `right`.
  public static func + (left: Timestamp, right: Duration) -> Timestamp {
    Timestamp(sinceEpoch: left.sinceEpoch + right)
  }
}
