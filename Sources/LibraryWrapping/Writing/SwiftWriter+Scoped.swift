/// Functions that call closures only while they run.
extension SwiftWriter {
  mutating func writeScoped(
    _ classified: ClassifiedSite, _ plan: CallbackPlan, _ registration: Registration, _ scope: String
  ) throws {
    let name = try unique(classified, 1, scope)
    let type = Names.adapter(name)
    let closure = plan.closure(type, isSendable: false)
    let call = registration.call([classified.site.index: closure], context: "context", adapter: nil, swift)
    let arguments = plan.values.map { "_ \(SwiftTypes.escaped($0.name)): \($0.type)" }.joined(separator: ", ")
    var code = Code()
    deprecate(classified, &code)
    code.add("private typealias \(type) = ScopedCallback<\(plan.arguments)>")
    code.gap()
    writeScoped(
      name, classified, registration, scope, parameters: ["_ body: (\(arguments)) -> \(plan.result.text)"], make: [],
      with: "\(type).with(body)", call, answers: plan.result.text != "Void", &code)
  }

  /// Writes a method that calls a function of C with closures, its `parameters`, which C calls while the function runs. If these
  /// give C an answer, C may return that, and it is no failure.
  mutating func writeScoped(
    _ name: String, _ classified: ClassifiedSite, _ registration: Registration, _ scope: String,
    parameters closures: [String], make: [String], with: String, _ call: String, answers: Bool, _ code: inout Code
  ) {
    let isStatic = scopes[scope]?.handle == nil
    let result = swift.imported(registration.function.result)
    var check: (condition: String, code: String)?
    var isReturned = result?.text != "Void"
    if !answers, case .status(let fails, let status) = registration.outcome {
      usesFailure = true
      let counts = Failures.counts(registration.function.comment)
      let fails = counts && fails == .nonzero ? .negative : fails
      check = Self.check(fails, status, "status")
      isReturned = fails == .negative && status == .number
    }
    let returned = isReturned ? result.map { " -> \($0.text)" } ?? "" : ""
    let parameters = registration.declared + closures
    let bodies = closures.count == 1 ? "`body`" : "the closures"
    documentation(classified, &code, "Calls \(bodies) while it runs.")
    deprecate(classified, &code)
    if !returned.isEmpty { code.add("@discardableResult") }
    code.add(
      "public \(isStatic ? "static " : "")func \(SwiftTypes.escaped(name))(\(parameters.joined(separator: ", ")))\(check == nil ? "" : " throws(\(failure))")\(returned) {"
    )
    for line in make { code.add(line) }
    let usesContext = call.contains("context)") || call.contains("context,") || call.contains("context.")
    let head = check != nil ? "let status = " : make.isEmpty || returned.isEmpty ? "" : "return "
    code.add("\(head)\(with) { \(usesContext ? "context" : "_") in\n\(call)\n}")
    if let check {
      let function = registration.function.name
      code.add("if \(check.condition) { throw \(failure)(function: \"\(function)\", code: \(check.code)) }")
      if isReturned { code.add("return status") }
    }
    code.add("}")
    scopes[scope]?.members.gap()
    scopes[scope]?.members.add(code)
  }
}
