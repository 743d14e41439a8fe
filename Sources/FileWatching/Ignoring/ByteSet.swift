/// A set of bytes: the contents of the brackets in a pattern.
struct ByteSet: Hashable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  init() {}

  func contains(_ byte: UInt8) -> Bool {
    let word =
      switch byte >> 6 {
      case 0: words.0
      case 1: words.1
      case 2: words.2
      default: words.3
      }
    return word >> (byte & 63) & 1 != 0
  }

  mutating func insert(_ byte: UInt8) {
    let bit = UInt64(1) << (byte & 63)
    switch byte >> 6 {
    case 0: words.0 |= bit
    case 1: words.1 |= bit
    case 2: words.2 |= bit
    default: words.3 |= bit
    }
  }

  private mutating func invert() { words = (~words.0, ~words.1, ~words.2, ~words.3) }

  static func == (one: ByteSet, other: ByteSet) -> Bool { one.words == other.words }

  func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }

  /// Parses a set, from after its opening bracket to after its closing one.
  ///
  /// A `]` in first position is a member. A `-` between two members is a range, unless one of them is a class.
  init(_ bytes: [UInt8], _ index: inout Int) throws(PathPattern.Invalid) {
    func byte(_ offset: Int = 0) -> UInt8? { index + offset < bytes.count ? bytes[index + offset] : nil }
    let isNegated = byte() == UInt8(ascii: "!") || byte() == UInt8(ascii: "^")
    if isNegated { index += 1 }
    /// The byte that a range may begin with.
    var low: UInt8?
    var isFirst = true
    while let current = byte(), isFirst || current != UInt8(ascii: "]") {
      isFirst = false
      index += 1
      if current == UInt8(ascii: "-"), let first = low, let next = byte(), next != UInt8(ascii: "]") {
        index += 1
        let last = next == UInt8(ascii: "\\") ? byte() : next
        guard let last else { throw .openSet }
        if next == UInt8(ascii: "\\") { index += 1 }
        if first <= last { for member in first...last { insert(member) } }
        low = nil
      } else if current == UInt8(ascii: "["), byte() == UInt8(ascii: ":"), try insertClass(bytes, &index) {
        low = nil
      } else if current == UInt8(ascii: "\\") {
        guard let escaped = byte() else { throw .openSet }
        index += 1
        insert(escaped)
        low = escaped
      } else {
        insert(current)
        low = current
      }
    }
    guard index < bytes.count else { throw .openSet }
    index += 1
    if isNegated { invert() }
  }

  /// Parses a class such as `[:alpha:]` from its first colon. Returns false if it is not a class; its bracket is a
  /// member then.
  private mutating func insertClass(_ bytes: [UInt8], _ index: inout Int) throws(PathPattern.Invalid) -> Bool {
    let rest = bytes[(index + 1)...]
    guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { throw .openSet }
    guard end > rest.startIndex, bytes[end - 1] == UInt8(ascii: ":") else { return false }
    let name = String(decoding: rest[..<(end - 1)], as: UTF8.self)
    guard let isMember = Self.classes[name] else { throw .unknownClass(name) }
    for byte in UInt8(0)..<128 where isMember(byte) { insert(byte) }
    index = end + 1
    return true
  }

  private static let classes: [String: @Sendable (UInt8) -> Bool] = [
    "alnum": { isAlphabetic($0) || isDigit($0) },
    "alpha": { isAlphabetic($0) },
    "blank": { $0 == 32 || $0 == 9 },
    "cntrl": { $0 < 32 || $0 == 127 },
    "digit": { isDigit($0) },
    "graph": { $0 > 32 && $0 < 127 },
    "lower": { $0 >= 97 && $0 <= 122 },
    "print": { $0 >= 32 && $0 < 127 },
    "punct": { $0 > 32 && $0 < 127 && !isAlphabetic($0) && !isDigit($0) },
    "space": { $0 == 32 || $0 == 9 || $0 == 10 || $0 == 13 },
    "upper": { $0 >= 65 && $0 <= 90 },
    "xdigit": { isDigit($0) || ($0 | 32 >= 97 && $0 | 32 <= 102) },
  ]

  private static func isAlphabetic(_ byte: UInt8) -> Bool { byte | 32 >= 97 && byte | 32 <= 122 }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
}
