/// Memory, texts, and lists, which Swift lends to C for a call.
extension FunctionPlanner {
  enum Unit { case raw, characters, bytes }

  func unit(_ type: CType) -> (unit: Unit, isConst: Bool)? {
    guard let pointee = library.resolved(type).pointee, case .named(let name, let isConst) = library.resolved(pointee)
    else { return nil }
    let isFixed = isConst || pointee.isConst
    switch name {
    case "void": return (.raw, isFixed)
    case "char": return (.characters, isFixed)
    case "unsigned char":
      return (Library.isCharacter(pointee) ? .characters : .bytes, isFixed)
    default: return nil
    }
  }

  /// The type of the characters of a text.
  func character(_ type: CType) -> String {
    library.resolved(type).pointee.flatMap { swift.imported($0.withoutConst)?.text } ?? "CChar"
  }

  /// True if a name can be that of a length: `size_t flags` is none.
  static func counts(_ name: String) -> Bool {
    let words = Words.split(name)
    return words.isEmpty || Library.namesLength(name)
      || words.contains {
        ["n", "count", "cnt", "num", "sz", "bytes", "s", "l", "c"].contains($0) || $0.hasSuffix("len")
      }
  }

  /// The parameters that are the lengths of others, by the numbers of the pointers: those that say so by their names, and then
  /// those that follow a pointer.
  func lengths(_ function: Library.Function) -> [Int: Int] {
    var lengths: [Int: Int] = [:]
    let parameters = function.parameters
    let memories = parameters.indices.filter { unit(parameters[$0].type) != nil }
    for index in memories { lengths[index] = library.namedLength(of: parameters[index], in: parameters) }
    for index in memories where lengths[index] == nil && index + 1 < parameters.count {
      let length = parameters[index + 1]
      if lengths.values.contains(index + 1) || !library.isNumber(length.type) || !Self.counts(length.name) { continue }
      let sharesWord = Library.sharesWord(length.name, with: parameters[index].name)
      if sharesWord
        || !namesText(parameters[index]) && !isForeignSize(length, parameters[index])
          && library.isLength(length.name, length.type, of: parameters[index].name)
      {
        lengths[index] = index + 1
      }
    }
    // `compressedSize` of the only input.
    let inputs = memories.filter { index in
      lengths[index] == nil && unit(parameters[index].type)?.isConst == true && !namesText(parameters[index])
    }
    let others = parameters.indices.filter { index in
      !lengths.values.contains(index) && library.isNumber(parameters[index].type)
        && Library.namesLength(parameters[index].name)
        && Words.split(parameters[index].name).allSatisfy { Library.namesLength($0) || Self.inputs.contains($0) }
    }
    if inputs.count == 1, others.count == 1, inputs[0] < others[0],
      !isForeignSize(parameters[others[0]], parameters[inputs[0]])
    {
      lengths[inputs[0]] = others[0]
    }
    return lengths
  }

  /// True for constant characters with a name of something that a zero ends. A size beside a path is that of the file.
  private func namesText(_ parameter: CParameter) -> Bool {
    let texts: Set<String> = [
      "path", "pathname", "file", "filename", "dir", "dirname", "directory", "url", "uri", "host", "hostname", "mode",
    ]
    guard let unit = unit(parameter.type), unit.isConst, unit.unit == .characters else { return false }
    return Words.split(parameter.name).last.map { texts.contains($0) } ?? false
  }

  /// True for a size beside constant characters that is not the type of sizes of memory, if they are not called memory: a size
  /// after `disk` is that of the disk.
  private func isForeignSize(_ length: CParameter, _ memory: CParameter) -> Bool {
    if case .named("size_t", _) = length.type { return false }
    guard Words.split(length.name) == ["size"], let unit = unit(memory.type), unit.isConst, unit.unit == .characters
    else {
      return false
    }
    let names: Set<String> = [
      "buf", "buffer", "mem", "memory", "ptr", "p", "bytes", "payload", "content", "contents", "body", "chunk", "block",
      "s", "value", "key",
    ]
    return !Words.split(memory.name).contains { names.contains($0) || Self.inputs.contains($0) }
  }

  /// What an input is called in the name of its length.
  private static let inputs: Set<String> = [
    "compressed", "source", "src", "input", "in", "data", "str", "string", "text", "msg", "message", "encoded",
  ]

  /// Copies the texts that C returns while the arguments are lent: they may be parts of those.
  func copyTexts(_ plan: inout FunctionPlan) {
    let texts = plan.results.indices.filter { plan.results[$0].code.hasSuffix("(cString: $0) }") }
    let lent = plan.parameters.filter { parameter in
      // Some are lent already.
      [swift.string, swift.string + "?"].contains(parameter.type)
        && !plan.lending.contains { $0.hasSuffix("{ \(parameter.name) in") }
    }
    if texts.isEmpty || plan.freeing != nil || lent.isEmpty && plan.lending.isEmpty { return }
    for parameter in lent {
      plan.lending.append(
        parameter.type.hasSuffix("?")
          ? "lending(text: \(parameter.name)) { \(parameter.name) in"
          : "\(parameter.name).withCString { \(parameter.name) in")
    }
    for index in texts {
      let result = plan.results[index]
      if result.code.hasPrefix("result.map") {
        plan.suffix = String(result.code.dropFirst("result".count))
        plan.results[index].code = "result"
      } else {
        let copy = Names.parameter(result.name, "text") + "Text"
        plan.variables.append("var \(copy): \(result.type)")
        plan.inside.append("\(copy) = \(result.code)")
        plan.results[index].code = copy
      }
    }
  }

  /// Shortens memory that C has written to as many bytes as it returned, or up to its zero. True if the result is used.
  @discardableResult
  func finishMemory(_ count: String?, _ plan: inout FunctionPlan) throws(Unwrapped) -> Bool {
    if plan.countsResult, count != nil {
      if plan.outcome.isNothing { plan.outcome = .value(isNullFailure: false) }
      return true
    }
    guard let index = plan.results.firstIndex(where: { $0.type == "[UInt8]" && !$0.isWhole }) else { return false }
    let memory = plan.results[index].code
    if plan.function.comment.lowercased().replacingNewlines.has("end of the buffer") {
      throw Unwrapped("It writes at the end of the memory.", plan.results[index].place, "memory=?")
    }
    // `size_t *olen` tells it better than a result.
    if let written = plan.results.first(where: { Self.written.contains($0.name.lowercased()) && $0.type == "Int" }) {
      plan.assume(plan.results[index], .output, used: written.place)
      plan.afterwards.append(Self.shortening(memory, to: written.code))
      return false
    }
    guard count != nil else {
      // Without a count, only text tells its own length.
      if !plan.isText {
        throw Unwrapped("The header does not say how much it writes.", plan.results[index].place, "memory=?")
      }
      plan.assume(plan.results[index], .text)
      plan.results[index].type = swift.string
      plan.results[index].code = "\(swift.string)(decoding: \(memory).prefix { $0 != 0 }, as: UTF8.self)"
      return false
    }
    plan.assume(plan.results[index], .output, used: Choices.name(plan.function, nil))
    plan.afterwards.append(Self.shortening(memory, to: "Int(result)"))
    if plan.outcome.isNothing { plan.outcome = .value(isNullFailure: false) }
    return true
  }

  /// Names of the number of bytes that C has written.
  private static let written: Set<String> = [
    "olen", "outlen", "written", "nwritten", "byteswritten", "byteswriten", "used", "retlen", "resultlen", "outputlen",
  ]

  /// The statement that leaves as many elements as C has written.
  static func shortening(_ memory: String, to count: String) -> String {
    "\(memory).removeLast(\(memory).count - min(\(memory).count, max(0, \(count))))"
  }
}
