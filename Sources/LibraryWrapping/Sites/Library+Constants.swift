/// The constants of enums, and enums that Swift does not import as structs.
extension Library {
  func enumeration(_ declaration: Declaration, _ comment: String) -> Enumeration {
    var end = declaration.begin.offset
    let constants = declaration.inner.filter { $0.kind == "EnumConstantDecl" && !$0.isDeprecated }.map { constant in
      let above = self.comment(of: constant, since: end, in: declaration)
      end = constant.end.offset + constant.endLength
      return Enumeration.Constant(
        name: constant.name, type: constant.type, code: code(of: constant),
        comment: [innerComments(of: constant), above].first { !$0.isEmpty } ?? "")
    }
    return Enumeration(
      name: declaration.name, constants: constants, comment: comment,
      style: declaration.isOptionSet ? .options : declaration.isSwiftEnum ? .cases : .constants)
  }

  /// The comment above a constant. One that is no documentation, and no sentence, is the heading of several.
  private func comment(of constant: Declaration, since end: Int, in enumeration: Declaration) -> String {
    guard constant.begin.file == enumeration.begin.file else { return "" }
    let own = headers.source(constant.begin.file).comment(above: constant.begin.offset, since: end)
    return own.isAdjacent && !own.text.hasSuffix(".") ? "" : own.text
  }

  /// How Swift imports the enum with a name: its tag, or a typedef of it.
  func style(ofEnum name: String) -> Enumeration.Style {
    if styledEnums.isEmpty { return .constants }
    if let found = styledEnums[name] { return found }
    guard case .named(let tag, _) = resolved(.named(name, isConst: false)), tag.hasPrefix("enum ") else {
      return .constants
    }
    return styledEnums[String(tag.dropFirst(5))] ?? .constants
  }

  /// The name of the constant in the shim that has the value of a constant of such an enum.
  static func shimName(of constant: String) -> String { "wrap_" + constant }
}

/// The values of constants, as far as they are written as numbers.
extension Library {
  /// The macros of a header that stand for a number: `#define SQLITE_ERROR 1`.
  static func macros(in source: SourceFile) -> [(name: String, value: Int)] {
    source.definitions.compactMap { words in
      // `((1 << 16) - 1)` is no number that Swift imports.
      let text = words.dropFirst(2).prefix { !$0.hasPrefix("/*") && !$0.hasPrefix("//") }
      guard text.count == 1, let value = text.first.flatMap(number) else { return nil }
      return (words[1], value)
    }
  }

  /// The number that a text is: `-3`, `(-3)`, `0x10`.
  static func number(_ text: some StringProtocol) -> Int? {
    let digits = String(text.filter { !" \t(),".contains($0) })
    let isNegative = digits.hasPrefix("-")
    let plain = String(digits.drop { $0 == "-" || $0 == "+" })
    let value = plain.lowercased().hasPrefix("0x") ? Int(plain.dropFirst(2), radix: 16) : Int(plain)
    return value.map { isNegative ? -$0 : $0 }
  }
}
