/// Documentation from the comments of the headers.
extension SwiftWriter {
  /// A documentation comment: the summary from C's comment, the facts that the tool knows, and the C function.
  func documentation(_ classified: ClassifiedSite, _ code: inout Code, _ facts: String) {
    let site = classified.site
    let summary = Self.sentence(of: site.comment) ?? fallback(site)
    code.add("/// " + summary)
    code.add("///")
    for line in Self.wrapped(facts) { code.add("/// " + line) }
    code.add("/// C: `\(site.kind == .field ? site.key : site.owner)`.")
  }

  /// The documentation of a function: a sentence of its comment, and its name. A comment above several functions may be about the
  /// first one alone, so it names that.
  func document(_ function: Library.Function, _ code: inout Code) {
    if let summary = Self.sentence(of: function.comment) {
      let first = library.functions.first { !$0.isCommentShared && $0.comment == function.comment }
      let isOwn = !function.isCommentShared || Words.identifiers(function.comment).contains(function.name[...])
      let text = isOwn ? nil : first.map { "Declared with `\($0.name)`: \(summary)" }
      for line in text.map(Self.wrapped) ?? [summary] { code.add("/// " + line) }
      code.add("///")
    }
    code.add("/// C: `\(function.name)`.")
  }

  private func fallback(_ site: Site) -> String {
    switch site.kind {
    case .field: "C calls this through the field `\(site.name)`."
    case .typedef: "A callback of the type `\(site.owner)`."
    case .global: "C calls this through the variable `\(site.name)`."
    default: "C calls this through `\(site.owner)`."
    }
  }

  static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.count + word.count > 100 {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// The first sentence of a comment that says something, in one line.
  static func sentence(of comment: String) -> String? {
    let named = comment.split(separator: "\n").map(String.init).filter { line in
      // The comment begins with a heading such as `virErrorFunc:`.
      let text = line.trimmed
      return !(text.hasSuffix(":") && text.dropLast().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" })
    }
    let lines = named.drop { line in
      let text = line.trimmed
      return [
        "CAPI3REF", "METHOD:", "CONSTRUCTOR", "DESTRUCTOR", "Function:", "Section:", "====", "----", "@{", "@}",
        "\\defgroup", "@defgroup",
        "@name", "@file", "@ingroup", "\\ingroup", "@function", "@functypedef", "***", "___",
      ].contains { text.hasPrefix($0) }
        || !text.contains { $0.isLetter }
    }
    var text = lines.prefix(8).joined(separator: " ")
    for mark in ["@brief ", "\\brief ", "^", "**", "##"] {
      while let range = text.firstRange(of: mark) { text.removeSubrange(range) }
    }
    for mark in ["@", " \\param", "Parameters:", " - "] {
      if let range = text.firstRange(of: mark) { text = String(text[..<range.lowerBound]) }
    }
    text = String(text.filter { !"[]|`<>\\".contains($0) }).trimmed
    guard
      let end = text.firstRange(of: ". ")
        ?? (text.hasSuffix(".") ? text.index(before: text.endIndex)..<text.endIndex : nil)
    else {
      let short = text.prefix(110)
      guard short.count > 8, short.count == text.count else { return nil }
      return String(short.prefix(1)).uppercased() + short.dropFirst() + "."
    }
    let sentence = text[..<end.lowerBound]
    guard sentence.count > 8, sentence.count <= 110 else { return nil }
    return String(sentence.prefix(1)).uppercased() + sentence.dropFirst() + "."
  }
}
