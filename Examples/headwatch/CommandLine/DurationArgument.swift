/// Functions that parse durations such as `50ms`, `1.5s`, `2m`, and `0`, and describe them for users.
nonisolated enum DurationArgument {
  private static let units: [(suffix: String, seconds: Double)] = [
    ("ms", 0.001), ("us", 0.000_001), ("min", 60), ("s", 1), ("m", 60), ("h", 3600),
  ]

  /// Parses a duration. Throws a `UsageError` that names `option` if `text` is not a duration or is longer than 365
  /// days.
  static func parse(_ text: String, of option: String = "") throws -> Duration {
    if text == "0" { return .zero }
    for (suffix, seconds) in units where text.hasSuffix(suffix) {
      let number = text.dropLast(suffix.count)
      guard number.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let value = Double(number) else { break }
      guard value * seconds <= 365 * 86_400 else { break }
      return .seconds(value * seconds)
    }
    let place = option.isEmpty ? "" : "\(option): "
    throw UsageError("\(place)'\(text)' is not a duration: write a number and its unit, such as 50ms, 1.5s or 2m.")
  }

  /// Parses a duration that must be above zero. Throws a `UsageError` if it is not.
  static func parseAboveZero(_ text: String, of option: String) throws -> Duration {
    let duration = try parse(text, of: option)
    if duration <= .zero { throw UsageError("\(option): the time must be above 0.") }
    return duration
  }

  /// Describes a duration for users: `12 ms`, `2.3 s`, `4 min 5 s`.
  static func describe(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    switch milliseconds {
    case ..<1000: return "\(milliseconds) ms"
    case ..<60_000: return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    default: return "\(milliseconds / 60_000) min \(milliseconds % 60_000 / 1000) s"
    }
  }
}
