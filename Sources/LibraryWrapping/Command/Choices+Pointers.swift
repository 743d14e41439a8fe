/// The lines about pointers: `sf_readf_short/ptr memory=out[frames*2:result*2]`, `*/context_ type=Context`.
extension Choices {
  /// The name of a function's result in the key of its line.
  static let result = "result"

  /// The line for a parameter, or for the result if `index` is nil: its own one, or the longest one with `*` that fits. A line
  /// with `*` never lets C write to what Swift only lends: `in` is for constant memory then, and the others are for the rest.
  func pointer(_ function: Library.Function, _ index: Int?, in library: Library) -> Choice? {
    if bySite.isEmpty { return nil }
    let name = Self.name(function, index)
    let own = bySite["\(function.name)/\(name)"] ?? index.flatMap { bySite["\(function.name)/\($0)"] }
    if let own, own.isOfPointer { return own }
    let target = index.flatMap { library.resolved(function.parameters[$0].type).pointee }
    let isConst = target.map { library.isConstant($0) }
    return patterns.first { pattern in
      guard Self.fits("\(function.name)/\(name)", pattern.key[...]) else { return false }
      guard let use = pattern.choice.memory, let isConst, use.kind != .null else { return true }
      return use.count == PointerUse.end || use.kind == .kept || (use.kind == .input) == isConst
    }?.choice
  }

  /// The lines with `*` in their keys, the longest one first.
  private var patterns: [(key: String, choice: Choice)] {
    bySite.filter { $0.key.contains("/") && $0.key.contains("*") }.map { ($0.key, $0.value) }
      .sorted { ($0.key.count, $1.key) > ($1.key.count, $0.key) }
  }

  /// The name of a parameter in the key of its line: its number if the header has none. The result of a function that has a
  /// parameter of this name is its `return`.
  static func name(_ function: Library.Function, _ index: Int?) -> String {
    guard let index else { return function.index(of: result) == nil ? result : "return" }
    let name = function.parameters[index].name
    return name.isEmpty ? "\(index)" : name
  }

  /// True if a text is the pattern, in which `*` stands for any characters.
  private static func fits(_ text: String, _ pattern: Substring) -> Bool {
    var text = text[...]
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == 0 {
        guard text.hasPrefix(part) else { return false }
        text = text.dropFirst(part.count)
      } else if index == parts.count - 1 {
        return text.hasSuffix(part)
      } else if let range = text.firstRange(of: part) {
        text = text[range.upperBound...]
      } else {
        return false
      }
    }
    return text.isEmpty
  }

  /// The parameters, and the results, that a line is about.
  func places(_ key: String, _ library: Library) -> [(function: Library.Function, index: Int?)] {
    library.functions.flatMap { function in
      (function.parameters.indices.map(Optional.some) + [nil]).filter { index in
        let own = "\(function.name)/\(Self.name(function, index))"
        return own == key || index.map { "\(function.name)/\($0)" == key } ?? false
          || key.contains("*") && Self.fits(own, key[...])
      }.map { (function, $0) }
    }
  }

  /// Checks that the lines about pointers fit the headers.
  func checkPointers(_ library: Library, path: String) throws {
    for (key, choice) in bySite.sorted(by: { $0.value.line < $1.value.line })
    where choice.isOfPointer && !Self.isOfCallback(key) {
      func fail(_ message: String) -> WrappingError { WrappingError("\(path):\(choice.line): \(message)") }
      if Self.isField(key) {
        try checkField(key, choice, library, fail)
        continue
      }
      if let owner = key.split(separator: "/").first, let index = library.functionIndex[String(owner)],
        library.functions[index].isVariadic, choice.type != nil, !key.contains("*")
      {
        try checkOption(String(key.dropFirst(owner.count + 1)), choice, library, fail)
        continue
      }
      let places = places(key, library)
      guard !places.isEmpty else {
        throw fail("The headers have no pointer \(key). Write FUNCTION/PARAMETER, or FUNCTION/result.")
      }
      if let frees = choice.frees, frees != "no", frees != "free", library.functionIndex[frees] == nil {
        throw fail("The headers have no function \(frees). Choose another one for frees=, or no.")
      }
      for (function, index) in places {
        let type = index.map { function.parameters[$0].type } ?? function.result
        let name = "\(function.name)/\(Self.name(function, index))"
        guard library.resolved(type).pointee != nil else { throw fail("\(name) is no pointer. Remove the line.") }
        if choice.type != nil, let own = library.resolved(type).pointee,
          case .named(let object, _) = library.resolved(own).pointee ?? own, object != "void",
          library.resolved(.named(object, isConst: false)).isVoid
        {
          throw fail("\(name) is a \(object) of C. Remove type=.")
        }
        if library.function(type) != nil, !key.contains("*") {
          throw fail("\(name) is a function, and no pointer to memory. Remove the line.")
        }
        if choice.type != nil, !library.isVoid(type) {
          throw fail("\(name) is no `void *`, so its type is known. Remove type=.")
        }
        if let use = choice.memory, use.kind == .input || use.kind == .kept, use.used != nil {
          throw fail(
            "\(use.written) has no number of elements that C writes. Write memory=\(use.kind.rawValue)[\(use.count ?? "n")]."
          )
        }
        if let given = PointerUse.given(in: (choice.memory?.count ?? "") + "*" + (choice.memory?.used ?? "")).first {
          throw fail("\(given)? is a number for the field of a struct. Write the name of a parameter.")
        }
        let names = PointerUse.names(in: choice.memory?.count) + PointerUse.names(in: choice.memory?.used)
        for used in names where used != PointerUse.end {
          let isKnown =
            used == Self.name(function, nil) || function.index(of: used) != nil
            || MacroValue.number(used, library.headers.macros) != nil
          if !isKnown { throw fail("\(function.name) has no parameter \(used), and no macro is the number \(used).") }
        }
        let decides = !key.contains("*") || pointer(function, index, in: library)?.line == choice.line
        if decides, let use = choice.memory, let problem = use.problem(function, index, library) {
          throw fail("\(name): \(problem) Correct the line, or remove it.")
        }
        if let use = choice.memory, let factor = use.uselessFactor(library), function.index(of: factor) == nil {
          throw fail("\(use.written) multiplies or divides by \(factor), which is not positive.")
        }
      }
    }
  }
}

extension Choices {
  /// Checks the line for an option of a variadic function: `curl_easy_setopt/CURLOPT_URL type=text`.
  private func checkOption(
    _ constant: String, _ choice: Choice, _ library: Library, _ fail: (String) -> WrappingError
  ) throws {
    let types = SwiftWriter.OptionValue.allCases.map(\.rawValue)
    if let type = choice.type, !types.contains(type) {
      throw fail("An option has a value of the type \(types.joined(separator: ", ")), not \(type).")
    }
    let isKnown =
      library.enumerations.contains { $0.constants.contains { $0.name == constant } }
      || MacroValue.number(constant, library.headers.macros) != nil
    if !isKnown { throw fail("The headers have no constant \(constant).") }
  }
}

extension Choices.Choice {
  /// True for a line about a pointer.
  var isOfPointer: Bool { memory != nil || frees != nil || type != nil }
}
