/// The plan for a callback's parameters: the closure that C calls, and the values that Swift receives.
struct CallbackPlan {
  /// A value that is handed to Swift.
  struct Value {
    var name: String
    var type: String
    var expression: String
    /// True if it is a copy that the program may retain and send to other threads.
    var isCopy: Bool
    /// The number of C's parameter, if it is passed on as it is.
    var parameter: Int?
  }

  /// The parameters of the C closure.
  var parameters: [String] = []
  var values: [Value] = []
  /// How the C closure gets the context.
  var context = "nil"
  var isArray = false
  var countName = ""
  /// What Swift answers: C's result, or also what C gets through pointers.
  var result: SwiftTypes.Imported
  /// What C's function returns.
  let returned: SwiftTypes.Imported
  /// How the answer gets to C, if it is more than the result.
  var answers: Answers?
  /// The code for C's result from the code for Swift's.
  var toC: (String) -> String = { $0 }
  /// The names of the parameters of the C closure.
  private(set) var names: [String] = []
  /// Parameters that Swift can't import.
  var omitted: [String] = []
  var isOfLibrary = false
  /// The value that marks the last call, and whether that call has an element, too.
  var last: (name: String, hasElement: Bool)?

  /// Names of functions and variables that the C closure uses itself.
  private static let reserved: Set<String> = ["max", "zero", "lentBytes", "storing", "give", "given"]

  /// True if all values are copies.
  var isCopied: Bool { values.allSatisfy(\.isCopy) }
  var types: [String] { values.map(\.type) }
  /// The type arguments of an adapter.
  var arguments: String { (types + [result.text]).joined(separator: ", ") }

  /// Plans a callback; nil if Swift can't import its type. The parameters in `raw` are passed as they are.
  init?(
    _ classified: ClassifiedSite, _ swift: SwiftTypes, handle: String?, keepsPointers: Bool, borrows: Bool = false,
    raw: Set<Int> = []
  ) {
    let function = classified.site.function
    let library = swift.library
    // A dropped call would have no pointer to return.
    guard let result = swift.imported(function.result), !function.isResultNonnull || result.isValue,
      function.parameters.allSatisfy({ swift.isPassable($0.type) })
    else { return nil }
    self.result = result
    returned = result
    isOfLibrary = result.isOfLibrary
    let contextIndex = classified.context.value?.index
    var used: Set<String> = []
    // The names of the values whose parameters have others in the C closure.
    var labels: [String: String] = [:]
    for (index, parameter) in function.parameters.enumerated() {
      let isContext = index == contextIndex && classified.context.value?.isArgument == true
      var name = isContext ? "context" : Names.parameter(parameter.name, "argument\(index + 1)")
      if !isContext, name == "context" { name = "context\(index + 1)" }
      let label = name
      if Self.reserved.contains(name) { name += "Value" }
      if !used.insert(name).inserted {
        name += "\(index + 1)"
        used.insert(name)
      }
      if Self.reserved.contains(label) { labels[name] = label }
      names.append(name)
    }
    var lengths: Set<Int> = []
    var isUsed = Set<Int>()
    for (index, parameter) in function.parameters.enumerated() {
      if lengths.contains(index) { continue }
      let name = SwiftTypes.escaped(names[index])
      if index == contextIndex {
        isUsed.insert(index)
        context = Self.contextExpression(classified, name, parameter, swift)
        isArray = classified.context.value?.arrival == .array
        if isArray {
          countName = names[index + 1]
          isUsed.insert(index + 1)
          lengths.insert(index + 1)
        }
        if classified.context.value?.isArgument == true { continue }
        if isArray { continue }
      }
      // The object that the stream belongs to.
      if let handle, !keepsPointers, Classifier.handle(parameter.type, library) == handle { continue }
      guard let type = swift.imported(parameter) else {
        omitted.append(parameter.name.isEmpty ? "\(index + 1)" : parameter.name)
        continue
      }
      isUsed.insert(index)
      let isRead = !borrows && !raw.contains(index)
      if isRead, let text = Self.text(function, index, library) {
        if let length = text.length {
          if !text.isIndirect { lengths.insert(length) }
          isUsed.insert(length)
          var count = SwiftTypes.escaped(names[length]) + (text.isIndirect ? "?.pointee ?? 0" : "")
          if let number = text.number {
            lengths.insert(number)
            isUsed.insert(number)
            count += " * " + SwiftTypes.escaped(names[number])
          }
          // NULL is not the same as no bytes, if the header knows both.
          let isOptional = Self.mayBeNull(parameter, classified.site)
          let bytes = "lentBytes(\(isOptional ? "$0" : name), \(count))"
          let copied = text.isBytes ? "[UInt8](\(bytes))" : "\(swift.string)(decoding: \(bytes), as: UTF8.self)"
          let value = Value(
            name: names[index], type: (text.isBytes ? "[UInt8]" : swift.string) + (isOptional ? "?" : ""),
            expression: isOptional ? "\(name).map { \(copied) }" : copied, isCopy: true)
          values.append(value)
        } else if classified.arguments[index] == .owned, classified.life.value != .scoped {
          values.append(
            Value(
              name: names[index], type: swift.string + "?", expression: "\(swift.string)(taking: \(name))", isCopy: true
            ))
        } else if parameter.isNonnull {
          values.append(
            Value(name: names[index], type: swift.string, expression: "\(swift.string)(cString: \(name))", isCopy: true)
          )
        } else {
          values.append(
            Value(
              name: names[index], type: swift.string + "?", expression: "\(name).map { \(swift.string)(cString: $0) }",
              isCopy: true))
        }
        continue
      }
      if isRead, let (count, item) = Self.numbers(function, index, swift), count != contextIndex,
        !lengths.contains(count)
      {
        if count > index { lengths.insert(count) } else { values.removeAll { $0.parameter == count } }
        isUsed.insert(count)
        let number = SwiftTypes.escaped(names[count])
        let start = parameter.isNonnull ? "start: \(name), count: " : "start: \(name), count: \(name) == nil ? 0 : "
        values.append(
          Value(
            name: names[index], type: "[\(item)]",
            expression: "[\(item)](UnsafeBufferPointer(\(start)max(0, Int(\(number)))))", isCopy: true))
        continue
      }
      if type.isOfLibrary { isOfLibrary = true }
      if index == classified.lastCall {
        last = (names[index], Words.split(parameter.name).contains("last"))
      }
      values.append(
        Value(name: names[index], type: type.text, expression: name, isCopy: type.isValue, parameter: index))
    }
    for index in values.indices { values[index].name = labels[values[index].name] ?? values[index].name }
    if let name = last?.name { last?.name = labels[name] ?? name }
    names = names.map(SwiftTypes.escaped)
    parameters = names.indices.map { isUsed.contains($0) ? names[$0] : "_" }
  }

  /// Gives the values other names, also as parameters of the C closure, if none of those is in the way.
  mutating func rename(_ names: [String]) {
    for (index, name) in names.enumerated() {
      let old = SwiftTypes.escaped(values[index].name)
      let new = SwiftTypes.escaped(name)
      if last?.name == values[index].name { last?.name = name }
      answers?.relabel(values[index].name, name)
      values[index].name = name
      if !parameters.contains(new), !Self.reserved.contains(new), let place = parameters.firstIndex(of: old) {
        parameters[place] = new
        for other in values.indices { values[other].expression = values[other].expression.replacingWord(old, new) }
        context = context.replacingWord(old, new)
        answers?.rename(old, new)
        if countName == old { countName = new }
      }
    }
  }

  private static func contextExpression(
    _ classified: ClassifiedSite, _ name: String, _ parameter: CParameter, _ swift: SwiftTypes
  ) -> String {
    let mark = parameter.isNonnull ? "" : "?"
    switch classified.context.value?.arrival {
    case .member(let field)?: return "\(name)\(mark).pointee.\(field)"
    case .accessor(let function)?: return "\(function)(\(name))"
    case .array?, nil: return name
    case .indirect?: return "\(name)\(mark).pointee"
    case .parameter?:
      let text = swift.imported(parameter.type)?.text ?? ""
      if text == "UnsafeRawPointer?" { return "UnsafeMutableRawPointer(mutating: \(name))" }
      if text == "OpaquePointer?" { return "UnsafeMutableRawPointer(\(name))" }
      return text == "UnsafeMutableRawPointer?" ? name : "UnsafeMutableRawPointer(\(name))"
    }
  }

  /// True if the header says that a pointer may be NULL: by `_Nullable`, or in a sentence that names it.
  private static func mayBeNull(_ parameter: CParameter, _ site: Site) -> Bool {
    if let nullability = parameter.nullability { return nullability == .nullable }
    let comment = site.comment.lowercased()
    guard !parameter.name.isEmpty, comment.has("null") else { return false }
    let name = Substring(parameter.name.lowercased())
    return comment.replacingNewlines.split(separator: ".").contains { sentence in
      let words = Words.identifiers(String(sentence))
      // Only words near the name count, because a sentence may be about other arguments, too.
      return words.indices.contains { words[$0] == name && words[$0..<min($0 + 5, words.count)].contains("null") }
    }
  }

  /// How the memory behind a pointer is copied.
  private struct Text {
    /// The parameter that has the length; nil for a string.
    var length: Int?
    var isBytes = false
    /// True if the length is behind a pointer, which C reads again.
    var isIndirect = false
    /// The parameter that has the number of items, if the length is that of one item, as in `fwrite`.
    var number: Int?
  }

  /// Names of memory that need not end with a zero.
  private static let dataNames: Set<String> = [
    "at", "data", "buf", "buffer", "bytes", "chunk", "contents", "payload", "body",
  ]
  /// Names of lengths beside such memory.
  private static let countNames: Set<String> = ["n", "num", "number", "count", "bytes", "nmemb", "nitems"]
  /// Further words in names of lengths, also of the room for bytes.
  private static let roomNames: Set<String> = ["nmemb", "limit", "lim", "amount", "avail"]
  /// Names of pointers to the ends of memory.
  private static let endNames: Set<String> = ["begin", "start", "first", "end", "stop", "last"]

  /// Nil if the parameter is no text and no bytes.
  private static func text(_ function: CFunction, _ index: Int, _ library: Library) -> Text? {
    let parameters = function.parameters
    guard let pointee = library.resolved(parameters[index].type).pointee,
      case .named(let name, _) = library.resolved(pointee), ["char", "unsigned char", "void"].contains(name),
      pointee.isConst || library.resolved(pointee).isConst
    else { return nil }
    let isData = Words.split(parameters[index].name).contains { dataNames.contains($0.lowercased()) }
    func isBound(_ parameter: CParameter) -> Bool {
      endNames.contains(parameter.name.lowercased()) && library.resolved(parameter.type).pointee != nil
    }
    // Text between two pointers has no zero at its end.
    if isBound(parameters[index]), parameters.count(where: isBound) > 1 { return nil }
    if index + 1 < parameters.count {
      let next = parameters[index + 1]
      let isNamed = library.isNumber(next.type) && Library.isCount(next.name, of: parameters[index].name)
      if isNamed || isLength(next, library) || isData && isCount(next, library) {
        var text = Text(length: index + 1, isBytes: name != "char")
        if next.name.lowercased() == "size", index + 2 < parameters.count, isCount(parameters[index + 2], library),
          parameters[index + 2].type == next.type
        {
          text.number = index + 2
        }
        return text
      }
      if let length = library.resolved(next.type).pointee,
        library.isNumber(length), !length.isConst, Library.namesLength(next.name)
      {
        return Text(length: index + 1, isBytes: true, isIndirect: true)
      }
    }
    // The length comes before: `size, data`.
    if isData, index > 0, isLength(parameters[index - 1], library),
      index == 1 || Self.text(function, index - 2, library)?.length != index - 1
    {
      return Text(length: index - 1, isBytes: name != "char")
    }
    if isData, !parameters.dropFirst(index + 1).isEmpty {
      // The length comes later: `data, offset, size`.
      for other in (index + 2)..<max(parameters.count, index + 2)
      where isLength(parameters[other], library) && library.resolved(parameters[other - 1].type).pointee == nil {
        return Text(length: other, isBytes: true)
      }
    }
    return name == "char" && !parameters[index].isArray ? Text() : nil
  }

  /// The number of the parameter that counts the numbers behind a pointer, and their type.
  private static func numbers(_ function: CFunction, _ index: Int, _ swift: SwiftTypes) -> (count: Int, item: String)? {
    let library = swift.library
    guard let pointee = library.resolved(function.parameters[index].type).pointee,
      pointee.isConst || library.resolved(pointee).isConst, case .named(let name, _) = library.resolved(pointee),
      !["char", "unsigned char", "void"].contains(name), !name.contains(" ") || name.hasPrefix("unsigned "),
      let item = swift.imported(pointee.withoutConst), item.isValue, !item.isOfLibrary
    else { return nil }
    let beside = [index - 1, index + 1].filter { function.parameters.indices.contains($0) }
    let counts: Set<String> = ["count", "num", "n", "len", "length", "size", "cnt"]
    let found = beside.first { other in
      library.isNumber(function.parameters[other].type)
        && Words.split(function.parameters[other].name).contains { counts.contains($0) }
    }
    return found.map { ($0, item.text) }
  }

  private static func isCount(_ parameter: CParameter, _ library: Library) -> Bool {
    library.isNumber(parameter.type) && countNames.contains(parameter.name.lowercased())
  }

  /// A `size_t` with another name is the size of something else: `done`, `index`, `offset`.
  private static func isLength(_ parameter: CParameter, _ library: Library) -> Bool {
    library.isLength(parameter.name, parameter.type)
      && (FunctionPlanner.counts(parameter.name)
        || Words.split(parameter.name).contains { roomNames.contains($0) })
  }

  /// The code for C's result, from the code for the answer.
  func answered(_ call: String) -> String { answers.map { $0.code(call, names, toC) } ?? toC(call) }

  /// The statement that returns to C without an answer.
  var leaving: String { returned.text == "Void" ? "return" : "return \(returned.zero)" }

  /// The closure that C calls; `adapter` is the type that it calls through.
  func closure(_ adapter: String, isSendable: Bool, context: String? = nil) -> String {
    let list =
      (isSendable ? "@Sendable " : "") + parameters.joined(separator: ", ") + (parameters.isEmpty ? "" : " ") + "in"
    let expressions = values.map(\.expression)
    func call(_ context: String) -> String {
      var arguments = [context] + expressions
      if result.text != "Void" { arguments.append("otherwise: \(result.zero)") }
      return answered("\(adapter).call(\(arguments.joined(separator: ", ")))")
    }
    let head = parameters.isEmpty && !isSendable ? "" : list + " "
    if isArray {
      return
        "{ \(head)UnsafeBufferPointer(start: \(self.context), count: Int(\(countName))).forEach { \(call("$0")) } }"
    }
    return "{ \(head)\(call(context ?? self.context)) }"
  }
}

extension String {
  /// The text with each identifier `old` replaced.
  func replacingWord(_ old: String, _ new: String) -> String {
    var result = ""
    var word = ""
    func isPart(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || "_`$".contains(character)
    }
    for character in self + " " {
      if isPart(character) {
        word.append(character)
      } else {
        result += (word == old ? new : word) + String(character)
        word = ""
      }
    }
    return String(result.dropLast())
  }
}
