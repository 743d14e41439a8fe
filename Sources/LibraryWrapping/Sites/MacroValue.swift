/// The value of a macro that is an expression of whole numbers: `( 1L << 2 )`, `FLAG_A | FLAG_B`.
struct MacroValue {
  private let macros: [String: String]
  private var tokens: [Substring] = []
  private var position = 0
  private let depth: Int
  private let work: Work
  /// A number with the type that C gives it.
  private struct Number {
    var value: Int
    var isUnsigned = false
    /// True if it is wider than C's `int`.
    var isLong = false

    /// The number as C's type holds it: `1 << 31` is a negative `int`. Nil if it is too large.
    func fitting() -> Number? {
      if isLong { return isUnsigned && value < 0 ? nil : self }
      var number = self
      number.value = isUnsigned ? Int(UInt32(truncatingIfNeeded: value)) : Int(Int32(truncatingIfNeeded: value))
      return number
    }
  }

  /// The number that a macro stands for; nil if it is something else, or too large.
  static func number(_ name: String, _ macros: [String: String]) -> Int? {
    value(name, macros, depth: 0, Work())?.value
  }

  /// What reading one macro takes, with the macros that it names.
  private final class Work {
    /// Parentheses and signs that are open. The stack holds some thousand, and clang takes 256.
    var nesting = 0
    /// Operands that have been read. Macros that name others several times can stand for more than can ever be read.
    var operands = 0
  }

  private static func value(_ name: String, _ macros: [String: String], depth: Int, _ work: Work) -> Number? {
    guard depth < 16, let text = macros[name], !text.isEmpty else { return nil }
    var value = MacroValue(macros, text, depth, work)
    guard let number = value.expression(0), value.position == value.tokens.count else { return nil }
    return number
  }

  private init(_ macros: [String: String], _ text: String, _ depth: Int, _ work: Work) {
    self.macros = macros
    self.depth = depth
    self.work = work
    var rest = text[...]
    while let first = rest.first {
      if first == " " || first == "\t" {
        rest.removeFirst()
        continue
      }
      let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      let length = !word.isEmpty ? word.count : rest.hasPrefix("<<") || rest.hasPrefix(">>") ? 2 : 1
      tokens.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
  }

  /// The operators of C, from those that bind least.
  private static let levels: [[Substring]] = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]

  private mutating func expression(_ level: Int) -> Number? {
    guard level < Self.levels.count else { return operand() }
    guard var left = expression(level + 1) else { return nil }
    while position < tokens.count, case let sign = tokens[position], Self.levels[level].contains(sign) {
      position += 1
      guard let right = expression(level + 1), let result = Self.apply(sign, left, right) else { return nil }
      left = result
    }
    return left
  }

  private static func apply(_ sign: Substring, _ left: Number, _ right: Number) -> Number? {
    let isShift = sign == "<<" || sign == ">>"
    let isLong = left.isLong || !isShift && right.isLong
    // Of two types, the wider one decides.
    let isUnsigned =
      isShift || left.isLong && !right.isLong
      ? left.isUnsigned : right.isLong && !left.isLong ? right.isUnsigned : left.isUnsigned || right.isUnsigned
    func converted(_ number: Number) -> Int? {
      Number(value: number.value, isUnsigned: isUnsigned, isLong: isLong).fitting()?.value
    }
    guard let own = converted(left), let other = isShift ? right.value : converted(right),
      let value = apply(sign, own, other)
    else { return nil }
    return Number(value: value, isUnsigned: isUnsigned, isLong: isLong).fitting()
  }

  private static func apply(_ sign: Substring, _ left: Int, _ right: Int) -> Int? {
    func checked(_ result: (partialValue: Int, overflow: Bool)) -> Int? { result.overflow ? nil : result.partialValue }
    return switch sign {
    case "|": left | right
    case "^": left ^ right
    case "&": left & right
    case "<<": (0..<63).contains(right) ? checked(left.multipliedReportingOverflow(by: 1 << right)) : nil
    case ">>": (0..<64).contains(right) ? left >> right : nil
    case "+": checked(left.addingReportingOverflow(right))
    case "-": checked(left.subtractingReportingOverflow(right))
    case "*": checked(left.multipliedReportingOverflow(by: right))
    case "/": right == 0 ? nil : checked(left.dividedReportingOverflow(by: right))
    case "%": right == 0 ? nil : checked(left.remainderReportingOverflow(dividingBy: right))
    default: nil
    }
  }

  private mutating func operand() -> Number? {
    work.nesting += 1
    work.operands += 1
    defer { work.nesting -= 1 }
    guard work.nesting <= 256, work.operands <= 10_000, position < tokens.count else { return nil }
    let token = tokens[position]
    position += 1
    switch token {
    case "(":
      guard let value = expression(0), position < tokens.count, tokens[position] == ")" else { return nil }
      position += 1
      return value
    case "-":
      guard var number = operand(), number.value != .min else { return nil }
      number.value = -number.value
      return number.fitting()
    case "+": return operand()
    case "~":
      guard var number = operand() else { return nil }
      number.value = ~number.value
      return number.fitting()
    default:
      guard token.first?.isNumber == true else {
        return Self.value(String(token), macros, depth: depth + 1, work)
      }
      let text = token.lowercased()
      guard let value = Self.literal(token) else { return nil }
      var number = Number(value: value, isUnsigned: text.contains("u"), isLong: text.contains("l"))
      let isDecimal = !text.hasPrefix("0") || text == "0"
      if value > Int(UInt32.max) || value > Int(Int32.max) && isDecimal && !number.isUnsigned { number.isLong = true }
      if value > Int(Int32.max), !number.isLong { number.isUnsigned = true }
      return number
    }
  }

  /// `10`, `0x1FUL`, `017`.
  private static func literal(_ token: Substring) -> Int? {
    var digits = token.lowercased()
    while let last = digits.last, last == "u" || last == "l" { digits.removeLast() }
    if digits.hasPrefix("0x") { return Int(digits.dropFirst(2), radix: 16) }
    return digits.hasPrefix("0") && digits.count > 1 ? Int(digits.dropFirst(), radix: 8) : Int(digits)
  }
}
