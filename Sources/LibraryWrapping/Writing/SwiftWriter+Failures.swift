/// The error type of a library, and what its functions say about failures.
extension SwiftWriter {
  var failure: String { module + "Failure" }

  /// The condition that the result of a function is a failure, and the code of the failure.
  static func check(_ fails: FailureRule, _ status: Registration.Status, _ name: String) -> (
    condition: String, code: String
  ) {
    var value = status == .constant ? name + ".rawValue" : name
    // The numbers of an enum can be unsigned, although C returns a negative one.
    if fails == .negative, status == .constant { value = "Int32(truncatingIfNeeded: \(value))" }
    let condition =
      switch (fails, status) {
      case (_, .truth): fails == .zero ? "!" + name : name
      case (.negative, _): "\(value) < 0"
      // A library whose successes are positive may have several failures.
      case (.zero, .number): "\(value) <= 0"
      case (.zero, _): "\(value) == 0"
      default: "\(value) != 0"
      }
    return (condition, status == .truth ? "\(name) ? 1 : 0" : "Int(\(value))")
  }

  mutating func writeFailure(_ code: inout Code) {
    code.gap()
    code.add("/// A function of C that has failed.")
    code.add("public struct \(module)Failure: Error, Hashable, CustomStringConvertible {")
    let string = swift.string
    code.add("/// The name of the function.\npublic let function: \(string)")
    code.add("/// The code that it returned.\npublic let code: Int")
    guard objects != nil else {
      code.gap()
      code.add("/// Creates the failure of a function, for calls of your own.")
      code.add("public init(function: \(string), code: Int) {\nself.function = function\nself.code = code\n}")
      code.gap()
      code.add(
        "/// The function and its code.\npublic var description: \(string) { \"\\(function) failed with the code \\(code).\" }\n}"
      )
      return
    }
    code.add("/// What the library says about it.\npublic let message: \(string)?")
    code.gap()
    code.add("/// Creates the failure of a function. Without a message, the library describes the code.")
    code.add("public init(function: \(string), code: Int, message: \(string)? = nil) {")
    var text = "message"
    if returnsErrno {
      usesSystem = true
      // Nothing says that -1 is the number of an error.
      let least = objects?.classifier.failures.returnsNumbers == true ? 0 : -1
      text = "message ?? (code < \(least) ? String(cString: strerror(Int32(truncatingIfNeeded: -code))) : nil)"
    } else if let lastMessage {
      text = "message ?? \(lastMessage)"
    } else if let describing, let type = swift.imported(describing.parameters[0])?.text {
      let isEnumeration = type != "Int32" && type != "UInt32"
      let value =
        isEnumeration
        ? swift.value(of: type, "\(type).RawValue(truncatingIfNeeded: code)") : "\(type)(truncatingIfNeeded: code)"
      let named = usedMembers.values.contains { $0[describing.name] != nil }
      // Zero stands for NULL, or for a result that has no code.
      let call = swift.optional("\(named ? cModule + "." : "")\(describing.called)(\(value))", describing)
      let described = "\(call).map { \(string)(cString: $0) }"
      text = "message ?? (code == 0 ? nil : \(described))"
      // Its functions return -1, and the number of the error is elsewhere.
      if let number = library.errorNumber, !number.declaration.isDeprecated {
        code.add("let code = code == -1 || code == 0 ? Int(\(cModule).\(number.called)()) : code")
      } else if objects?.classifier.failures.describesErrno(describing) == true {
        usesSystem = true
        code.add("let code = code == -1 || code == 0 ? Int(errno) : code")
      }
    }
    code.add("self.function = function\nself.code = code\nself.message = \(text)\n}")
    if usesStatus {
      code.gap()
      code.add("/// Creates the failure of a function whose result is no code that the library describes.")
      code.add("init(function: \(string), status: Int) {")
      code.add("self.function = function\ncode = status\nmessage = nil\n}")
    }
    code.gap()
    code.add("/// The function, and what the library says or the code.\npublic var description: \(string) {")
    code.add("message.map { \"\\(function): \\($0)\" } ?? \"\\(function) failed with the code \\(code).\"\n}\n}")
  }

  /// The function that describes the last error of an object.
  func lastError(of handle: String) -> Library.Function? { errorTexts.objects[handle] }

  /// The first function for each object that describes its last error.
  var lastErrors: [String: Library.Function] {
    var found: [String: Library.Function] = [:]
    for function in library.functions {
      guard function.parameters.count == 1, isText(function.result), !function.declaration.isDeprecated,
        Self.describesError(Words.split(function.name)),
        let handle = Classifier.handle(function.parameters[0].type, library), found[handle] == nil
      else { continue }
      found[handle] = function
    }
    return found
  }

  /// The function that describes a code.
  var describing: Library.Function? { errorTexts.codes.first }

  /// The code for the text of a result that has a description of its own: a library may have several enums of errors.
  func description(of result: CType) -> String? {
    guard let usual = describing, case .named(let own, _) = library.resolved(result), own.hasPrefix("enum "),
      let function = errorTexts.codes.first(where: { function in
        library.resolved(function.parameters[0].type) == library.resolved(result)
      }), function.name != usual.name
    else { return nil }
    return swift.optional("\(cModule).\(function.called)(result)", function) + ".map { \(swift.string)(cString: $0) }"
  }

  func describes(_ function: Library.Function) -> Bool {
    guard function.parameters.count == 1, isMessage(function), !function.declaration.isDeprecated,
      case .named(let name, _) = library.resolved(function.parameters[0].type)
    else { return false }
    return (["int", "unsigned int"].contains(name) || name.hasPrefix("enum "))
      && Self.describesError(Words.split(function.name))
  }

  /// True if the codes are negative numbers of the system: the library has none of its own, and no text for them.
  var returnsErrno: Bool {
    guard describing == nil, lastMessage == nil, let failures = objects?.classifier.failures else { return false }
    return failures.isNegative && !failures.hasCodes
  }

  /// The code for the text of the last error of the library, if it has a function for that.
  var lastMessage: String? {
    for function in library.functions where function.parameters.isEmpty && !function.declaration.isDeprecated {
      let words = Words.split(function.name)
      guard words.contains("last"), words.contains(where: { ["error", "err"].contains($0) }) else { continue }
      let call = swift.optional("\(cModule).\(function.called)()", function)
      if isText(function.result) { return "\(call).map { String(cString: $0) }" }
      guard let target = library.resolved(function.result).pointee,
        case .named(let name, _) = library.resolved(target),
        let record = library.record(name),
        let field = record.fields.first(where: { ["message", "msg", "text", "string"].contains($0.path) }),
        library.resolved(field.type).pointee.map({ library.resolved($0).withoutConst.description == "char" }) == true
      else { continue }
      return "\(call)?.pointee.\(field.path).map { String(cString: $0) }"
    }
    return nil
  }

  /// True for a function that returns a constant text, or one with the name of `strerror`, whose text nobody frees.
  private func isMessage(_ function: Library.Function) -> Bool {
    if isText(function.result) { return true }
    return Words.split(function.name).last == "strerror"
      && library.resolved(function.result).pointee.map { library.resolved($0).description == "char" } == true
      && !function.comment.lowercased().has("free")
  }

  private static func describesError(_ words: [String]) -> Bool {
    // `error_string2` after `error_string`.
    let words = words.map { $0.count > 2 && !$0.hasPrefix("err2") ? String($0.prefix { !$0.isNumber }) : $0 }
    if words.contains(where: { ["strerror", "errmsg", "errstr", "err2str", "geterror"].contains($0) }) { return true }
    return words.contains { $0 == "error" || $0 == "err" }
      && words.contains { ["string", "str", "message", "msg", "text", "name"].contains($0) }
  }
}
