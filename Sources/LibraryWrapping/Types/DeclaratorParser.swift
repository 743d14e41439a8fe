/// Parses C declarators: the types that clang prints, and declarations in a header's text with the names in them.
struct DeclaratorParser {
  private let tokens: [Substring]
  private var position = 0
  /// The annotation about NULL of the last parsed pointer.
  private var nullability: Nullability?

  /// Parses a type as clang prints it, or a declaration of one name.
  static func parse(_ text: some StringProtocol) -> CParameter? {
    var parser = DeclaratorParser(tokens: tokenize(Substring(text)))
    guard let result = parser.parameter(), parser.position == parser.tokens.count else { return nil }
    return result
  }

  private init(tokens: [Substring]) { self.tokens = tokens }

  private static let ignored: Set<Substring> = [
    "restrict", "__restrict", "__restrict__", "volatile", "__volatile__", "_Null_unspecified",
    "extern", "static", "register", "typedef", "inline", "__inline", "__inline__", "__extension__", "_Noreturn",
    "__cdecl",
    "_Atomic", "WINAPI", "__stdcall", "CALLBACK",
  ]
  private static let basics: Set<Substring> = [
    "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "__int128", "_Complex",
    "__signed__", vector,
  ]
  /// Types with an operand in parentheses. Functions that use them are skipped.
  private static let operators: Set<Substring> = ["_BitInt", "typeof", "__typeof__", "__typeof", "typeof_unqual"]
  /// Stands for the attribute that makes a vector of a number.
  private static let vector: Substring = "__vector"
  private static let nullabilities: [Substring: Nullability] = ["_Nonnull": .nonnull, "_Nullable": .nullable]
  private static let tags: Set<Substring> = ["struct", "union", "enum"]

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "$"),
      0x80...:  // Letters outside ASCII.
      true
    default: false
    }
  }

  private static func tokenize(_ text: Substring) -> [Substring] {
    var tokens: [Substring] = []
    var depthToSkip = 0
    let bytes = text.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let start = index
      if isWord(bytes[index]) {
        while index < bytes.endIndex, isWord(bytes[index]) { index = bytes.index(after: index) }
        let word = text[start..<index]
        if depthToSkip > 0 { continue }
        if word == "__attribute__" || word == "__declspec" || word == "__asm__" || word == "_Alignas" {
          depthToSkip = -1
          let attribute = text[index...].drop { "( ".contains($0) }
          let vectors = ["__vector_size__", "vector_size", "__ext_vector_type__", "ext_vector_type"]
          if vectors.contains(where: { attribute.hasPrefix($0) }) { tokens.append(vector) }
        } else if !ignored.contains(word) {
          tokens.append(word)
        }
        continue
      }
      index = bytes.index(after: index)
      switch bytes[start] {
      case UInt8(ascii: "("):
        if depthToSkip == -1 {
          depthToSkip = 1
        } else if depthToSkip > 0 {
          depthToSkip += 1
        } else {
          tokens.append("(")
        }
        // `(unnamed struct at file.h:3:1)` is one name.
        let unnamed = ["(unnamed", "(anonymous"].contains { text[start...].hasPrefix($0) }
        if unnamed, tokens.last == "(", let close = text[start...].firstIndex(of: ")") {
          tokens[tokens.count - 1] = text[start...close]
          index = text.index(after: close)
        }
      case UInt8(ascii: ")"):
        if depthToSkip > 0 { depthToSkip -= 1 } else { tokens.append(")") }
      case UInt8(ascii: "."):
        if depthToSkip == 0, text[start...].hasPrefix("...") {
          tokens.append("...")
          index = bytes.index(start, offsetBy: 3)
        }
      case 0x20, 0x09, 0x0a, 0x0d: break
      default: if depthToSkip == 0 { tokens.append(text[start..<index]) }
      }
    }
    return tokens
  }

  // MARK: Grammar

  private var next: Substring? { position < tokens.count ? tokens[position] : nil }

  private func isWord(_ token: Substring?) -> Bool { token?.utf8.first.map(Self.isWord) ?? false }

  private mutating func take(_ token: Substring) -> Bool {
    if next == token {
      position += 1
      return true
    }
    return false
  }

  private mutating func parameter() -> CParameter? {
    guard let base = specifiers() else { return nil }
    return declarator(base)
  }

  private mutating func specifiers() -> CType? {
    var words: [Substring] = []
    var isConst = false
    var isBasic = false
    nullability = nil
    while let token = next {
      if token == "const" || token == "__const" {
        isConst = true
      } else if let known = Self.nullabilities[token] {
        nullability = known
      } else if Self.tags.contains(token) {
        position += 1
        guard let tag = next else { return nil }
        words = [token + " " + tag]
      } else if Self.operators.contains(token), position + 1 < tokens.count, tokens[position + 1] == "(" {
        position += 2
        guard skipBalanced() else { return nil }
        words = ["_BitInt"]
        isBasic = true
        continue
      } else if Self.basics.contains(token) {
        if !isBasic { words = [] }
        isBasic = true
        words.append(token)
      } else if token.hasPrefix("(unnamed") || token.hasPrefix("(anonymous") {
        words = [token]
      } else if isWord(token), !isBasic {
        // The second name is the declared one, unless another follows: then the first was a macro.
        if !words.isEmpty, !isWord(position + 1 < tokens.count ? tokens[position + 1] : nil) { break }
        words = [token]
      } else {
        break
      }
      position += 1
    }
    if words.isEmpty { return nil }
    return .named(isBasic ? Self.basic(words) : String(words[0]), isConst: isConst)
  }

  /// `long unsigned int` is `unsigned long`.
  private static func basic(_ words: [Substring]) -> String {
    let isUnsigned = words.contains("unsigned")
    let isSigned = words.contains("signed") || words.contains("__signed__")
    let longs = words.count { $0 == "long" }
    let name: String
    if words.contains(vector) {
      return String(vector)
    } else if words.contains("_Complex") {
      return words.joined(separator: " ")
    } else if words.contains("char") {
      return isUnsigned ? "unsigned char" : isSigned ? "signed char" : "char"
    } else if words.contains("double") {
      return longs > 0 ? "long double" : "double"
    } else if words.contains("short") {
      name = "short"
    } else if longs > 0 {
      name = longs > 1 ? "long long" : "long"
    } else if let other = words.first(where: { !["unsigned", "signed", "int", "__signed__"].contains($0) }) {
      name = String(other)
    } else {
      name = "int"
    }
    return isUnsigned ? "unsigned " + name : name
  }

  private mutating func declarator(_ base: CType) -> CParameter? {
    var type = base
    // A calling convention: `(XMLCALL *name)`.
    if isWord(next), position + 1 < tokens.count, tokens[position + 1] == "*" { position += 1 }
    while take("*") || take("^") {
      var isConst = false
      nullability = nil
      while let token = next {
        if token == "const" || token == "__const" {
          isConst = true
        } else if let known = Self.nullabilities[token] {
          nullability = known
        } else {
          break
        }
        position += 1
      }
      type = .pointer(type, isConst: isConst)
    }
    // A parenthesis opens an inner declarator if a star or a name follows, otherwise a list of parameters.
    let own = nullability
    if next == "(", opensDeclarator(position + 1) {
      position += 1
      let start = position
      guard skipBalanced() else { return nil }
      let end = position
      nullability = own
      guard let outer = suffixes(type) else { return nil }
      let after = position
      position = start
      nullability = nil
      guard let inner = declarator(outer), next == ")", position == end - 1 else { return nil }
      position = after
      return inner
    }
    // A macro makes a pointer of the name: `int GIT_CALLBACK(name)(…)`.
    if position + 4 < tokens.count, isWord(tokens[position]), tokens[position + 1] == "(", isWord(tokens[position + 2]),
      tokens[position + 3] == ")", tokens[position + 4] == "("
    {
      let name = String(tokens[position + 2])
      position += 4
      return suffixes(type).map { CParameter(name: name, type: .pointer($0, isConst: false)) }
    }
    var name = ""
    if let token = next, isWord(token), token.utf8.first.map({ $0 > UInt8(ascii: "9") }) == true {
      name = String(token)
      position += 1
      // Macros between a type and its name: `int FOO name`.
      while let token = next, isWord(token) {
        name = String(token)
        position += 1
      }
    }
    let isPlain = next != "(" && next != "["
    nullability = own
    return suffixes(type).map { CParameter(name: name, type: $0, nullability: isPlain ? own : nil) }
  }

  private func opensDeclarator(_ index: Int) -> Bool {
    guard index < tokens.count else { return false }
    let token = tokens[index]
    if token == "*" || token == "^" || token == "(" { return true }
    // `(NAME)(…)`, and `(MACRO *name)(…)`.
    guard isWord(token), !Self.basics.contains(token), !Self.tags.contains(token), token != "const",
      index + 1 < tokens.count
    else { return false }
    if tokens[index + 1] == ")" { return index + 2 < tokens.count && tokens[index + 2] == "(" }
    return tokens[index + 1] == "*" && position > 0 && index + 3 < tokens.count
      && (tokens[index + 2] == ")" && tokens[index + 3] == "("
        || index + 4 < tokens.count && tokens[index + 3] == ")" && tokens[index + 4] == "(")
  }

  /// Skips the tokens up to and including the closing parenthesis.
  private mutating func skipBalanced() -> Bool {
    var depth = 1
    while let token = next {
      position += 1
      if token == "(" { depth += 1 }
      if token == ")" { depth -= 1 }
      if depth == 0 { return true }
    }
    return false
  }

  private mutating func suffixes(_ type: CType) -> CType? {
    if take("[") {
      var count: Int?
      while let token = next, token != "]" {
        count = Int(token)
        position += 1
      }
      guard take("]"), let element = suffixes(type) else { return nil }
      return .array(element, count: count)
    }
    guard take("(") else { return type }
    let isResultNonnull = nullability == .nonnull
    var parameters: [CParameter] = []
    var isVariadic = false
    while !take(")") {
      if take("...") {
        isVariadic = true
      } else {
        guard let parameter = parameter() else { return nil }
        parameters.append(parameter)
      }
      if !take(","), next != ")" { return nil }
    }
    if parameters.count == 1, parameters[0].type.isVoid { parameters = [] }
    guard let result = suffixes(type) else { return nil }
    return .function(
      CFunction(result: result, parameters: parameters, isVariadic: isVariadic, isResultNonnull: isResultNonnull))
  }
}
