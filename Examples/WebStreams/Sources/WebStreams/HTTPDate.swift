import EventLoops
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Times as HTTP writes them (RFC 9110, 5.6.7).
enum HTTPDate {
  private static let latest = Lock((second: 0, text: ""))

  /// The time now. It is made once in a second.
  static var now: String {
    let second = time(nil)
    return latest.withLock { latest in
      if latest.second != second { latest = (second, text(second)) }
      return latest.text
    }
  }

  static func text(_ second: Int) -> String {
    var seconds: time_t = second
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return
      "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
