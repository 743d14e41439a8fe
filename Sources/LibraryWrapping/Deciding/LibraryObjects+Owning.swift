/// Who owns the objects that functions return.
extension LibraryObjects {
  /// True if the caller of a function owns the object that it returns, or gives through a parameter.
  func owns(resultOf function: Library.Function) -> Bool {
    let comment = function.comment.lowercased().replacingNewlines
    let words = classifier.split(function.name)
    if Self.lends(function.comment) { return false }
    if tellsOwning(function) != nil { return true }
    let makes = words.contains { ["new", "create", "alloc", "dup", "clone"].contains($0) }
    let summary = comment.split(separator: ".").first.map(String.init) ?? ""
    if !makes, !words.contains("open"),
      ["the internal", "an internal", "inside a", "inside the", "held by"].contains(where: { summary.has($0) })
    {
      return false
    }
    if isPart(function) { return false }
    // C gives an object through a parameter to whoever asked for it.
    // What is next in something may be a part of it.
    if Classifier.handle(function.result, library) == nil {
      return !words.contains { ["peek", "borrow", "next", "get0"].contains($0) }
    }
    if !makes, !Self.tellsOfMaking(summary, words),
      words.contains(where: { Self.asking.contains($0) || $0.hasPrefix("get") })
    {
      return false
    }
    // What is `const` is not freed, unless all pointers to it are.
    if case .pointer = function.result, let target = library.resolved(function.result).pointee, target.isConst {
      return false
    }
    // Without another object, there is none that it can belong to.
    let made = Classifier.handle(function.result, library)
    // What a function returns of the same type may be its argument.
    if let first = function.parameters.first, Classifier.handle(first.type, library) == made {
      return words.contains { Self.duplicating.contains($0) }
    }
    let hasOwner = function.parameters.contains { parameter in
      if case .named(let name, _) = library.resolved(parameter.type), library.record(name) != nil { return true }
      return Classifier.handle(parameter.type, library) != nil && library.resolved(parameter.type).pointee != nil
    }
    if !hasOwner { return true }
    return words.contains { Self.making.contains($0) } || Self.tellsOfMaking(summary, words)
  }

  /// False if several functions have the comment, so that what it says of freeing may not be about this one: it neither has the
  /// name of this one, nor does that say that it makes something. What C owns must not be freed.
  static func mayTellFreeing(_ function: Library.Function) -> Bool {
    !function.isCommentShared || Words.identifiers(function.comment).contains { $0 == function.name }
      || Words.split(function.name).contains { $0.hasSuffix("dup") || making.contains($0) }
  }

  /// True if the comment of a function begins with a word for making something, which then has no place in something else.
  private static func tellsOfMaking(_ summary: String, _ name: [String]) -> Bool {
    let words = Words.identifiers(summary)
    let places: Set<Substring> = [
      "add", "adds", "insert", "inserts", "append", "appends", "child", "attach", "attaches", "register",
    ]
    let making: Set<Substring> = [
      "create", "creates", "allocate", "allocates", "construct", "constructs", "duplicate", "duplicates", "clone",
      "clones",
    ]
    return words.first.map { making.contains($0) } == true
      && !(words + name.map { $0[...] }).contains { places.contains($0) }
  }

  /// The function that frees an object and sets the program's pointer to it to NULL: `asn1_delete_structure(asn1_node *)`.
  func placeFreer(of handle: String) -> Library.Function? {
    if isComplete(handle) { return nil }
    let freeing: Set<String> = ["free", "destroy", "delete", "close", "unref", "release", "freep"]
    // `address_entries_free(entry **entries)` frees several.
    func isSeveral(_ word: String) -> Bool {
      ["list", "array", "all"].contains(word)
        || word.count > 3 && word.hasSuffix("s") && !word.hasSuffix("ss") && !word.hasSuffix("us")
    }
    let found = library.functions.filter { function in
      let words = classifier.split(function.name)
      return function.parameters.count == 1 && !function.isVariadic
        && library.function(function.parameters[0].type) == nil
        && library.takesPlace(function, of: handle) && words.contains { freeing.contains($0) }
        && !(words + Words.split(function.parameters[0].name)).contains(where: isSeveral)
    }
    return found.count == 1 ? found[0] : nil
  }

  /// The sentence of a comment that says that the program frees what a function gives, or nil.
  func tellsOwning(_ function: Library.Function) -> String? {
    Self.mayTellFreeing(function) ? owningSentence(function) ?? namesRelease(function) : nil
  }

  /// The sentence that alone says that the program owns what a function gives: its name does not say so.
  func onlyTellsOwning(_ function: Library.Function) -> String? {
    guard let sentence = tellsOwning(function) else { return nil }
    var silent = function
    silent.comment = ""
    return owns(resultOf: silent) ? nil : sentence
  }

  private static let borrowing: [String] = [
    "must not be freed", "should not be freed", "not be freed", "do not free", "don't free", "borrowed",
    "transfer none",
    "owned by the library", "is owned by", "are owned by",
  ]

  /// True if a comment says that the caller does not own the result.
  static func lends(_ comment: String) -> Bool {
    var comment = comment.lowercased().replacingNewlines
    for owner in ["caller", "user", "application", "program", "client"] {
      comment = comment.replacing("owned by the " + owner, with: "")
    }
    return borrowing.contains { comment.has($0) } || comment.split(separator: ".").contains { staysOwned($0) }
  }

  /// True if a sentence says that an object keeps what it owns: "Ownership of the returned value is retained by obj."
  static func staysOwned(_ sentence: Substring) -> Bool {
    let sentence = String(sentence)
    return sentence.has("ownership") && ["retained by", "remains with", "stays with"].contains { sentence.has($0) }
  }
}
