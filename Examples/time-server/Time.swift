import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A time of RFC 868, which sends the seconds since 1900 in four bytes. The count wraps around in 2036.
nonisolated struct Time: CustomStringConvertible {
  /// The number of seconds from 1900 to 1970.
  private static let offset: Int = 2_208_988_800

  /// Seconds since 1970.
  let seconds: Int

  static var now: Time { Time(seconds: time(nil)) }
}

nonisolated extension Time {
  /// Reads an answer. Nil if it does not have four bytes.
  init?(_ bytes: Bytes) {
    guard bytes.count == 4 else { return nil }
    let count = Int(bytes.reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
    // A count of less than 2^31 would be a time before 1968, so the count has wrapped around.
    seconds = count - Self.offset + (count < 1 << 31 ? 1 << 32 : 0)
  }

  /// The four bytes of an answer.
  var bytes: Bytes {
    let count = UInt32(truncatingIfNeeded: seconds + Self.offset)
    return Bytes([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) })
  }

  /// The difference from the local clock, in words.
  var difference: String {
    let difference = seconds - Time.now.seconds
    if difference == 0 { return "as here" }
    return "\(difference.magnitude) s \(difference > 0 ? "ahead of" : "behind") the clock here"
  }

  /// The time in UTC: `2026-11-21T21:30:05Z`.
  var description: String {
    var seconds = time_t(seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}
