/// The statements that throw the failure of a function, with the library's own text.
extension SwiftWriter {
  /// The statement that throws. `own` is the object of the method, and `given` is the code for the text of an object that C has
  /// given.
  mutating func failing(
    _ plan: FunctionPlan, _ own: String?, _ code: String, _ given: String? = nil
  ) -> String {
    usesFailure = true
    let head = "throw \(failure)(function: \"\(plan.function.name)\", "
    if let text = own.flatMap({ lastError(of: $0) }) {
      let call = swift.optional("\(text.called)(pointer)", text)
      return head + "code: \(code), message: \(call).map { String(cString: $0) })"
    }
    if plan.errorCode == nil, let own, let (function, describing) = errorCode(of: own),
      !isCode(plan.function, describing)
    {
      let call = "\(cModule).\(function.called)(pointer)"
      let number = isEnumeration(function.result) ? "\(call).rawValue" : call
      let described = swift.optional("\(cModule).\(describing.called)(\(call))", describing)
      let text = "\(described).map { \(swift.string)(cString: $0) }"
      return head + "code: Int(\(number)), message: \(text))"
    }
    // A code that the library describes may stand for errno, or for something else. -1 alone is no code.
    if Failures.setsErrno(plan.function),
      code == "0" || describing == nil && lastMessage == nil || tellsNothingElse(plan.function)
    {
      usesSystem = true
      // A method of the library can have that name.
      let isHidden = library.functions.contains { Words.split($0.name).last == "strerror" }
      return head + "code: \(code), message: \(swift.string)(cString: \(isHidden ? "Glibc." : "")strerror(errno)))"
    }
    if let given { return head + "code: \(code), message: \(given))" }
    if code != "0" {
      if let text = description(of: plan.function.result) { return head + "code: \(code), message: \(text))" }
      if let describing, isEnumeration(describing.parameters[0].type), isEnumeration(plan.function.result),
        !isCode(plan.function, describing)
      {
        usesStatus = true
        return head + "status: \(code))"
      }
    }
    return head + "code: \(code))"
  }

  /// True if a function returns -1 and sets `errno`, according to its comment, and no function has more than that number.
  private func tellsNothingElse(_ function: Library.Function) -> Bool {
    guard lastMessage == nil, library.errorNumber == nil, function.comment.contains("-1"), let describing else {
      return false
    }
    return objects?.classifier.failures.describesErrno(describing) == false
  }

  private func isEnumeration(_ type: CType) -> Bool {
    if case .named(let name, _) = library.resolved(type) { name.hasPrefix("enum ") } else { false }
  }

  /// True if the result of a function is a code that another function describes, and not only a status.
  private func isCode(_ function: Library.Function, _ describing: Library.Function) -> Bool {
    guard library.resolved(function.result) == library.resolved(describing.parameters[0].type),
      let rule = objects?.classifier.failures.rule(for: function).value
    else { return false }
    return rule == .negative || rule == .nonzero
  }

  /// The function that returns the code of the last error of an object, and the one that describes it: `XML_GetErrorCode` and
  /// `XML_ErrorString`.
  private func errorCode(of handle: String) -> (function: Library.Function, describing: Library.Function)? {
    for function in library.functions {
      guard function.parameters.count == 1, !function.isVariadic,
        Classifier.handle(function.parameters[0].type, library) == handle
      else { continue }
      let words = Words.split(function.name)
      let asks =
        words.contains("error") && words.contains { ["code", "last", "number"].contains($0) }
        || ["errcode", "errno", "geterror", "lasterror", "errorcode"].contains(words.last ?? "")
      if !asks { continue }
      let found = library.functions.first {
        describes($0) && library.resolved($0.parameters[0].type) == library.resolved(function.result)
      }
      if let found { return (function, found) }
    }
    return nil
  }
}
