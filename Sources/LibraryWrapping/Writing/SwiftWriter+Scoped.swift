/// Functions that call closures only while they run.
extension SwiftWriter {
  mutating func writeScoped(
    _ classified: ClassifiedSite, _ plan: CallbackPlan, _ registration: Registration, _ scope: String
  ) throws {
    let name = try unique(classified, 1, scope)
    let type = Names.adapter(name)
    let arguments = plan.values.map { "_ \(SwiftTypes.escaped($0.name)): \($0.type)" }.joined(separator: ", ")
    var code = Code()
    deprecate(classified, &code)
    code.add("private typealias \(type) = ScopedCallback<\(plan.arguments)>")
    code.gap()
    try writeScoped(
      name, classified, registration, scope, parameters: ["_ body: (\(arguments)) -> \(plan.result.text)"], make: [],
      with: "\(type).with(body)", [classified.site.index: plan.closure(type, isSendable: false)],
      answers: plan.returned.text != "Void", &code)
  }

  /// Writes a method that calls a function of C with `closures`, which get the parameters of that name, and which C calls while
  /// the function runs. If these give C an answer, C may return that, and it is no failure.
  mutating func writeScoped(
    _ name: String, _ classified: ClassifiedSite, _ registration: Registration, _ scope: String,
    parameters: [String], make: [String], with: String, _ closures: [Int: String], answers: Bool, _ code: inout Code
  ) throws {
    let isStatic = scopes[scope]?.handle == nil
    let called = registration.codes(closures, context: "context", adapter: nil, swift)
    guard var plan = try plan(registration, called, classified, .inside) else { return }
    try note(plan)
    decide(&plan, registration, classified, answers: answers)
    let usesContext = called.values.contains { $0.hasPrefix("context") }
    plan.lending.insert("\(with) { \(usesContext ? "context" : "_") in", at: 0)
    let bodies = parameters.count == 1 ? "`body`" : "the closures"
    documentation(classified, &code, "Calls \(bodies) while it runs.")
    deprecate(classified, &code)
    if case .status(_, _, true) = plan.outcome { code.add("@discardableResult") }
    let results = resultType(plan)
    let list = (plan.parameters.isEmpty ? [] : [declared(plan, labelsFirst: false)]) + parameters
    code.add(
      "public \(isStatic ? "static " : "")func \(SwiftTypes.escaped(name))(\(list.joined(separator: ", ")))"
        + "\(plan.canFail ? " throws(\(failure))" : "")\(results == "Void" ? "" : " -> \(results)") {")
    for line in make { code.add(line) }
    writeBody(plan, isStatic ? nil : scopes[scope]?.handle, &code)
    let returned = returning(plan)
    if !returned.isEmpty { code.add(returned) }
    code.add("}")
    scopes[scope]?.members.gap()
    scopes[scope]?.members.add(code)
  }

  /// Plans the call of a function that takes callbacks: `called` is what it gets for these. Nil if it can't be called.
  private mutating func plan(
    _ registration: Registration, _ called: [Int: String], _ classified: ClassifiedSite,
    _ calling: FunctionPlanner.Calling
  ) throws -> FunctionPlan? {
    let function = registration.function
    if let planner {
      var codes = called
      if let index = registration.objectIndex, planner.object(function.parameters[index].type) == nil {
        codes[index] = "pointer"
      }
      do throws(Unwrapped) {
        var plan = try planner.plan(
          function, .init(codes: codes.mapValues { code in { _ in code } }, calling: calling),
          reserved: Registration.reserved)
        // An object without a class that owns it.
        if let index = registration.objectIndex, codes[index] == "pointer" {
          plan.objectIndex = index
          plan.owners.insert(("self", ""), at: 0)
        }
        if plan.objectIndex == registration.objectIndex { return plan }
      } catch {
        if error.isContradiction { throw WrappingError(contradiction(function.name, error)) }
        if calling == .inside { skip(classified, error.reason) }
        return nil
      }
    }
    var plan = FunctionPlan(function: function)
    plan.parameters = registration.parameters.map { .init(name: SwiftTypes.escaped($0.name), type: $0.type) }
    plan.arguments = function.parameters.indices.map { index in
      called[index] ?? (index == registration.objectIndex ? "pointer" : nil)
        ?? registration.parameters.first { $0.index == index }?.code ?? "nil"
    }
    plan.objectIndex = registration.objectIndex
    plan.resultType = swift.imported(function.result)?.text ?? "Void"
    return plan
  }

  /// Finds out more about the parameters of a function that registers callbacks.
  mutating func describe(_ registration: inout Registration, _ callbacks: [ClassifiedSite], _ scope: String) throws {
    guard planner != nil, !callbacks.contains(where: { adapter($0).name == "ScopedCallback" }) else { return }
    let called = registration.codes([:], context: "nil", adapter: nil, swift)
    guard let plan = try plan(registration, called, callbacks[0], .later) else { return }
    var described = registration
    described.use(plan, classes: Set(scopes.values.filter { $0.object != nil }.map(\.name)))
    // A call that ends a registration may need a parameter as it is.
    if ending(callbacks[0], registration, scope) != nil, ending(callbacks[0], described, scope) == nil { return }
    try note(plan)
    note(lending: plan.lending)
    registration = described
  }

  private func callbacks(of function: String) -> [ClassifiedSite] {
    sites.filter { $0.site.kind == .parameter && $0.site.owner == function && $0.role.value == .callback }
  }

  /// True if only a line of its own says that a number means a failure: it may be what a closure has answered.
  func mayReturnAnswer(_ classified: ClassifiedSite, _ fails: FailureRule) -> Bool {
    guard fails != .negative, adapter(classified).name == "ScopedCallback" else { return false }
    return callbacks(of: classified.site.owner).contains { !library.resolved($0.site.function.result).isVoid }
  }

  /// Notes which functions the code for lent memory uses.
  mutating func note(lending: [String]) {
    if lending.contains(where: { $0.hasPrefix("lending(text:") }) { usesLentText = true }
    if lending.contains(where: { $0.hasPrefix("lending(texts:") }) { usesLentTexts = true }
    if lending.contains(where: { $0.hasPrefix("lending(") && !$0.hasPrefix("lending(text") }) { usesLending = true }
  }

  /// Decides what a number means that C returns. It may be what a closure has answered.
  private func decide(
    _ plan: inout FunctionPlan, _ registration: Registration, _ classified: ClassifiedSite, answers: Bool
  ) {
    let function = registration.function
    guard case .status(let known, let status) = registration.outcome, !plan.countsResult,
      !plan.results.contains(where: \.isAnswer)
    else {
      // The line of the callback says that each number is a value.
      let isValue = registration.outcome == .ignored && choices.bySite[classified.site.key]?.fails == .never
      if isValue, case .status = plan.outcome {
        plan.results.removeAll { $0.code == "result" }
        plan.outcome = .value(isNullFailure: false)
        plan.results.insert(.init(name: "result", type: plan.resultType, code: "result"), at: 0)
      }
      if plan.outcome.isNothing, plan.resultType != "Void" {
        plan.outcome = .value(isNullFailure: false)
        plan.results = [.init(name: "result", type: plan.resultType, code: "result")]
      }
      return
    }
    plan.results.removeAll { $0.code == "result" }
    let fails = Failures.counts(function.comment) && known == .nonzero ? .negative : known
    let isChosen = callbacks(of: function.name).contains { choices.bySite[$0.site.key]?.fails != nil }
    if answers, !isChosen, fails != .negative || status != .number {
      let (type, code) =
        planner?.converted(function.result, plan.resultType, "result") ?? (plan.resultType, "result")
      plan.outcome = .value(isNullFailure: false)
      plan.results.insert(.init(name: "result", type: type, code: code), at: 0)
      return
    }
    let isReturned = fails == .negative && status == .number
    if isReturned, !plan.results.isEmpty {
      plan.results.insert(.init(name: "result", type: plan.resultType, code: "result"), at: 0)
    }
    plan.outcome = .status(fails, status, isReturned: isReturned && plan.results.isEmpty)
  }

  /// Notes what is open about a function with callbacks, and throws if a line of the choices does not fit.
  mutating func note(_ plan: FunctionPlan) throws {
    let name = plan.function.name
    output.described.insert(name)
    output.open += plan.open.filter { !$0.choices.isEmpty }.map { (name, $0) }
    output.assume(plan.assumptions, name)
  }
}
