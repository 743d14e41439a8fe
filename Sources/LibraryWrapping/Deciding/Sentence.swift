/// A sentence of a function's comment, and what the block of documentation is about that it stands in.
struct Sentence {
  enum Subject: Equatable {
    case function
    case parameter(Int)
    case result
  }

  var subject: Subject
  /// The sentence as one line.
  var text: String
}

extension Library.Function {
  /// The sentences of the comment. A paragraph or a tag such as `@param` begins a new one.
  var sentences: [Sentence] {
    var sentences: [Sentence] = []
    var subject = Sentence.Subject.function
    var lines: [Substring] = []
    func flush() {
      let text = lines.joined(separator: " ").replacing(". ", with: ".\n")
      sentences += text.split(separator: "\n").map { Sentence(subject: subject, text: String($0).trimmed) }
      lines = []
    }
    for line in comment.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.drop { $0 == " " || $0 == "\t" }
      if text.isEmpty {
        flush()
        subject = .function
      } else if let tagged = self.subject(of: text) {
        flush()
        subject = tagged
      }
      lines.append(text)
    }
    flush()
    return sentences
  }

  /// What a line is about that begins with a tag: `@param[out] name`, `\return`, `@name:`, or `Returns:`.
  private func subject(of line: Substring) -> Sentence.Subject? {
    let start = line.prefix(20).lowercased()
    if ["returns:", "return:", "return value:", "result:"].contains(where: { start.hasPrefix($0) }) { return .result }
    guard let mark = line.first, mark == "@" || mark == "\\" else { return nil }
    let tag = line.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    if ["return", "returns", "retval", "result"].contains(tag) { return .result }
    var name = tag
    if tag == "param" {
      let rest = line.dropFirst(6)
      let own = rest.first == "[" ? rest.drop { $0 != "]" }.dropFirst() : rest
      name = own.drop { $0 == " " || $0 == "\t" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    }
    return parameters.firstIndex { !$0.name.isEmpty && $0.name[...] == name }.map { .parameter($0) } ?? .function
  }
}

/// What a comment says of freeing.
extension LibraryObjects {
  /// True if what a sentence says after these words is about what the function gives: the words after `before` name no other
  /// argument, unless a word for the result stands between them.
  func isAboutResult(_ sentence: Sentence, after before: String, _ function: Library.Function) -> Bool {
    switch sentence.subject {
    case .result: return true
    case .parameter(let index): return isGiven(function.parameters[index])
    case .function:
      let words = Words.identifiers(before.lowercased())
      let argument = words.lastIndex { word in
        function.parameters.contains { $0.name.count > 1 && $0.name.lowercased()[...] == word && !isGiven($0) }
      }
      let result = words.lastIndex { $0.hasPrefix("return") || $0.hasPrefix("result") } ?? -1
      return argument.map { $0 < result } ?? true
    }
  }

  /// True for the address of a pointer, through which C gives something.
  private func isGiven(_ parameter: CParameter) -> Bool {
    library.resolved(parameter.type).pointee.map { library.resolved($0).pointee != nil } ?? false
  }

  /// The sentence that says that the program frees what a function gives, or nil.
  func owningSentence(_ function: Library.Function) -> String? {
    let comment = function.comment.lowercased().replacingNewlines
    guard Self.owning.contains(where: { comment.has($0) }) else { return nil }
    return function.sentences.first { sentence in
      let text = sentence.text.lowercased()
      return Self.owning.contains { phrase in
        text.firstRange(of: phrase).map { range in
          let before = String(text[..<range.lowerBound])
          return isAboutResult(sentence, after: before, function) && !Self.isForbidden(before: before)
        } ?? false
      }
    }?.text
  }

  /// The sentence that names a function that frees the result, and says that the program calls it: "Free with box_free() when done."
  func namesRelease(_ function: Library.Function) -> String? {
    guard let handle = classifier.made(by: function) else { return nil }
    let enders = enders(of: handle).map(\.name).filter { function.comment.has($0) }
    if enders.isEmpty { return nil }
    let calling: Set<Substring> = [
      "call", "calling", "use", "using", "with", "by", "free", "freed", "release", "destroy",
    ]
    let later: Set<Substring> = ["until", "when", "once", "unless", "after", "before", "automatically", "if"]
    return function.sentences.first { sentence in
      enders.contains { name in
        sentence.text.ranges(of: name).contains { range in
          let before = String(sentence.text[..<range.lowerBound])
          let words = Words.identifiers(before.lowercased()).suffix(6)
          return words.contains { calling.contains($0) } && !words.contains { later.contains($0) }
            && isAboutResult(sentence, after: before, function)
            && !Self.isForbidden(before: before, after: String(sentence.text[range.upperBound...]))
        }
      }
    }?.text
  }

  /// A sentence about what a function gives that has a word for freeing or owning, although nothing says that the program frees it.
  func speaksOfFreeing(_ function: Library.Function) -> String? {
    guard let handle = classifier.made(by: function), byHandle[handle]?.release != nil, byHandle[handle]?.retain == nil,
      !Self.lends(function.comment)
    else { return nil }
    let words = ["free", "releas", "destroy", "owned", "owner", "dispos", "unref", "responsib", "deallocat"]
    return function.sentences.first { sentence in
      let text = sentence.text.lowercased()
      return words.contains { word in
        text.firstRange(of: word).map { isAboutResult(sentence, after: String(text[..<$0.lowerBound]), function) }
          ?? false
      }
    }?.text
  }

  /// True if a sentence says that the object of a function is freed: "Commits, and frees the transaction." Of what the function
  /// returns, and of what the program frees, it does not say that: "Returns the name, which is freed with the box."
  static func tellsEnd(_ sentence: Sentence, _ handle: String) -> Bool {
    if sentence.subject == .result { return false }
    var text = sentence.text.lowercased() + " "
    for phrase in [
      "is freed with", "are freed with", "is freed together", "is freed by the library", "is freed automatically",
    ] {
      text = text.replacing(phrase, with: "")
    }
    func says(_ phrase: String, unless words: Set<Substring>) -> Bool {
      text.ranges(of: phrase).contains { range in
        let before = Words.identifiers(String(text[..<range.lowerBound]))
        return !before.suffix(5).contains { words.contains($0) } && !before.contains { $0.hasPrefix("return") }
      }
    }
    let nouns =
      Words.split(handle) + ["transaction", "handle", "object", "structure", "context", "connection", "session"]
    for verb in ["frees the ", "frees a ", "frees an ", "free the ", "destroys the "] {
      for phrase in nouns.flatMap({ noun in [" ", ".", ","].map { verb + noun + $0 } })
      where says(phrase, unless: ["user", "caller", "you", "application", "must", "should", "needs", "not"]) {
        return true
      }
    }
    return [
      "is freed", "are freed", "not be used again", "not be used after", "no longer valid after", "invalidates the",
    ].contains { says($0, unless: ["when", "until", "before", "unless", "once"]) }
  }

  /// True if the words before or after what frees say that the program does not: "do not call free()", "no need to free it".
  static func isForbidden(before: String, after: String = "") -> Bool {
    let negations: Set<Substring> = ["no", "not", "nor", "neither", "never", "t", "without", "cannot"]
    let before = before.lowercased().replacing("not null", with: "").replacing("not forget", with: "")
      .replacing("n't forget", with: "")
    return Words.identifiers(before).suffix(4).contains { negations.contains($0) }
      || Words.identifiers(String(after.lowercased().prefix { !",.;:".contains($0) })).prefix(3).contains {
        negations.contains($0)
      }
  }
}
