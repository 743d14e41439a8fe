import CUV

/// A moment of the wall clock: the time since 1970-01-01 00:00 UTC, without leap seconds.
///
/// ```swift
/// let age = Timestamp.now - status.modified
/// ```
///
/// For how long something takes use a clock that nobody sets: `Loop.now`, `Machine.uptime`.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// The time since 1970, in nanoseconds at best; negative before.
  public var sinceEpoch: Duration

  /// Makes a moment.
  public init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

  /// The system's clock, in microseconds.
  public static var now: Timestamp {
    var time = uv_timeval64_t()
    // Fails for a null pointer only.
    uv_gettimeofday(&time)
    return Timestamp(sinceEpoch: .seconds(time.tv_sec) + .microseconds(Int64(time.tv_usec)))
  }

  init(_ time: uv_timespec_t) {
    sinceEpoch = .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// In seconds, as libuv takes it: good to less than a microsecond.
  var seconds: Double {
    let (seconds, attoseconds) = sinceEpoch.clampedComponents
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// The earlier one is less.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.sinceEpoch < right.sinceEpoch }

  /// How long after `right` it was.
  public static func - (left: Timestamp, right: Timestamp) -> Duration { left.sinceEpoch - right.sinceEpoch }

  /// The moment that much later.
  public static func + (left: Timestamp, right: Duration) -> Timestamp {
    Timestamp(sinceEpoch: left.sinceEpoch + right)
  }
}
