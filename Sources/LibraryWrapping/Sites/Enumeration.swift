/// An enumeration of the headers.
struct Enumeration {
  struct Constant {
    var name: String
    /// The type of its number in C.
    var type: String
    /// Its text in the header: `A = 1 << 3`.
    var code: String
    var comment: String
  }

  /// The name of its typedef, or its tag. Empty for constants alone.
  var name: String
  var constants: [Constant]
  var comment: String
  /// How Swift imports it.
  var style = Style.constants

  enum Style {
    /// A struct, and global constants.
    case constants
    /// An enum of Swift, because of `enum_extensibility`: its constants are cases, under other names.
    case cases
    /// An option set, because of `flag_enum`: its constants are members, under other names.
    case options
  }

  /// True if its constants are bits that are combined: at least three of them, all written as bits or as combinations of others.
  var isFlags: Bool {
    let values = constants.map { $0.code.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init) }
    let bits = values.count { text in text.flatMap(Self.bit).map { $0 > 0 } ?? false }
    let isPlain = values.allSatisfy { text in
      guard let text else { return false }
      return Self.bit(text) != nil || text.contains("|") || text.contains("~")
    }
    return bits >= 3 && isPlain && values.contains { $0?.contains("<<") == true || $0.flatMap(Self.bit) ?? 0 >= 4 }
  }

  /// The value of a bit, or zero; nil for other texts: `1 << 3`, `(1u << 3)`, `0x8`, `0`.
  private static func bit(_ text: String) -> Int? {
    let plain = String(text.filter { !" \t\n(),".contains($0) }).lowercased()
    if let shift = plain.firstRange(of: "<<") {
      guard plain[..<shift.lowerBound].prefix(1) == "1" else { return nil }
      return Int(plain[shift.upperBound...]).map { 1 << min($0, 62) }
    }
    let digits = String(plain.filter { !"ul".contains($0) || plain.hasPrefix("0x") })
    guard let value = Library.number(digits), value >= 0, value & (value - 1) == 0 else { return nil }
    return value
  }
}
