/// What a function does with the memory behind a pointer: `out[size:result]` of a line of the choices.
struct PointerUse {
  enum Kind: String, CaseIterable {
    /// C reads the elements.
    case input = "in"
    /// C writes elements.
    case output = "out"
    /// C reads the elements and writes them.
    case both = "inout"
    /// C reads the elements, also after the call.
    case kept
    /// Characters, which a zero ends.
    case text
    /// The function gets NULL.
    case null
  }

  var kind: Kind
  /// How many elements there are, as an expression of C. Nil for one element, and for a text without a limit.
  var count: String?
  /// How many of them C has written, or read from a field, as an expression of C. Nil for all.
  var used: String?

  /// The end of an array that tells its own length.
  static let end = "NULL"
  /// The number of elements that there were before the call, in the number of those that C has used.
  static let room = "room"

  /// Reads `in`, `out[size]`, `out[size:result]`, and the like.
  init(_ text: String) throws {
    let parts = text.split(separator: "[", maxSplits: 1)
    guard let kind = Kind(rawValue: String(parts.first ?? "")), parts.count == 1 || parts[1].hasSuffix("]") else {
      throw WrappingError(
        "memory is in, out, inout, kept, text, or null, and the number of elements in brackets, such as out[size], not \(text)."
      )
    }
    self.kind = kind
    guard parts.count > 1 else { return }
    let counts = parts[1].dropLast().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    count = String(counts[0])
    if counts.count > 1 { used = String(counts[1]) }
    for expression in [count, used].compactMap(\.self) where !Self.isExpression(expression) {
      throw WrappingError(
        "\(text) needs a number of elements: names of parameters, constants, and numbers with +, -, *, or / between them."
      )
    }
    if kind == .null {
      throw WrappingError("\(text) has no number of elements that C writes. Write memory=\(kind.rawValue).")
    }
  }

  init(_ kind: Kind, count: String? = nil) {
    self.kind = kind
    self.count = count
  }

  /// The use as a line of the choices has it.
  var written: String {
    guard let count else { return kind.rawValue }
    return "\(kind.rawValue)[\(count)\(used.map { ":" + $0 } ?? "")]"
  }

  /// True for names and numbers with operators between them, without a division by the number zero.
  private static func isExpression(_ text: String) -> Bool {
    let parts = text.split(omittingEmptySubsequences: false) { "+-*/".contains($0) }
    return parts.allSatisfy { part in
      let isGiven = part.last == "?" && part.first?.isNumber == false
      return !part.isEmpty && (isGiven ? part.dropLast() : part).allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        && (part.first?.isNumber != true
          || Int32(part).map { $0 != 0 || !text[..<part.startIndex].hasSuffix("/") }
            ?? false)
    }
  }

  /// The names in an expression.
  static func names(in expression: String?) -> [String] {
    Words.identifiers(expression ?? "").filter { $0.first?.isNumber != true }.map(String.init)
  }

  /// The names in an expression that a question mark follows: numbers that the program gives.
  static func given(in expression: String?) -> [String] {
    (expression ?? "").split { "+-*/".contains($0) }.filter { $0.last == "?" }.map { String($0.dropLast()) }
  }

  /// An expression with other names.
  static func replacing(_ expression: String, _ name: (String) -> String) -> String {
    var result = ""
    var word = ""
    for character in expression + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
        continue
      }
      if !word.isEmpty { result += word.first?.isNumber == true ? word : name(word) }
      word = ""
      if character != " ", character != "?" { result += " \(character) " }
    }
    return result
  }

  /// The parameter that the number of elements determines, and how many elements it counts: `frames` and 2 of `frames*2`.
  var counted: (name: String, factor: Int)? {
    guard let count, count != Self.end else { return nil }
    let parts = count.split(separator: "*").map(String.init)
    let names = parts.filter { $0.first?.isNumber != true }
    guard names.count == 1, Self.names(in: names[0]) == names, parts.count <= 2 else { return nil }
    return (names[0], parts.compactMap { Int($0) }.first ?? 1)
  }
}
