/// The functions of a whole library, as members of the classes of its objects.
extension SwiftWriter {
  mutating func writeFunctions() throws {
    guard let objects, let planner else { return }
    let taking = Set(
      sites.filter { $0.site.kind == .parameter && $0.role.value != .release }.map(\.site.owner))
    let ends = Set(
      objects.byHandle.values.flatMap { [$0.release?.name, $0.retain?.name, $0.contextual?.function.name] }.compactMap(
        \.self))
    let setters = Set(scopes.values.flatMap(\.contextSetters) + choices.bySite.values.compactMap(\.frees))
    for function in library.functions where only == nil || function.name == only {
      if taking.contains(function.name) { continue }
      if ends.contains(function.name) || setters.contains(function.name) {
        output.functions.append(function.name)
        output.called.insert(function.name)
        continue
      }
      do throws(Unwrapped) {
        if choices[function.name]?.adapter == .skip { throw Unwrapped(Choices.skipping) }
        try planner.checkName(function)
        for variant in variants(of: function) {
          var plan = try planner.plan(variant.function, passedContext(function))
          if isStrict, let first = plan.assumptions.first(where: { !$0.isSafe }) { throw first.why }
          if let options = variant.options { use(options, &plan) }
          let isOverload = variant.options != nil && output.names[function.name] != nil
          try write(plan, isOverload: isOverload)
          if !isOverload { output.assume(plan.assumptions, function.name) }
        }
        output.functions.append(function.name)
      } catch {
        if error.isContradiction { throw WrappingError(contradiction(function.name, error)) }
        output.unwrapped.append((function.name, error))
      }
    }
  }

  func contradiction(_ function: String, _ why: Unwrapped) -> String {
    "The choice for \(function)/\(why.detail) does not fit. \(why.reason) Change its line."
  }

  /// The parameter through which a function that makes an object takes the context of callbacks: those of the object, or those
  /// of another one that it is made with.
  private func passedContext(_ function: Library.Function) -> FunctionPlanner.Passed {
    let index = sites.lazy.compactMap { classified -> Int? in
      guard case .function(function.name, let index)? = classified.context.value?.registration else { return nil }
      return index
    }.first
    // What makes no object gets no context of one.
    guard let index, let objects, objects.classifier.made(by: function) != nil else { return .init() }
    // The functions of a struct that it also takes have this context.
    if let type = delegateContexts[function.name] {
      let name = SwiftTypes.escaped(Names.parameter(function.parameters[index].name, "context"))
      return .init(codes: [
        index: { plan in
          plan.parameters.append(.init(name: name, type: type))
          plan.retained.append(name)
          return name + ".context"
        }
      ])
    }
    if scopes.contains(where: { $0.value.isConstructed && $0.value.note == function.name }) {
      return .init(codes: [index: { _ in "callback.context" }])
    }
    let classes = Set(scopes.values.filter { !$0.slots.isEmpty }.map(\.name))
    return .init(codes: [
      index: { plan in
        let owner = plan.parameters.first {
          classes.contains($0.type.hasSuffix("?") ? String($0.type.dropLast()) : $0.type)
        }
        return owner.map { $0.name + ($0.type.hasSuffix("?") ? "?" : "") + ".context" } ?? "nil"
      }
    ])
  }

  /// The functions of the shim for numbers that C takes instead of a destroy notify, if it is to copy the data.
  var copying: [CFunction: String] {
    var result: [CFunction: String] = [:]
    for (name, type) in castConstants()
    where Words.split(name).contains(where: { ["transient", "copy"].contains($0) }) {
      if let found = library.function(.named(type, isConst: false)) { result[found.function] = "wrap_\(name)()" }
    }
    return result
  }

  // MARK: Placing

  private mutating func write(_ plan: FunctionPlan, isOverload: Bool) throws(Unwrapped) {
    let function = plan.function
    try checkFreer(plan)
    let made = plan.makes.flatMap { scopes[$0] == nil ? nil : $0 }
    let own = plan.objectIndex.flatMap { object(function.parameters[$0].type) }
    if let made, own == nil { return try writeMaker(plan, made) }
    if plan.results.contains(where: {
      $0.object?.isOwned == false && !(scopes[$0.object!.handle]?.slots.isEmpty ?? true)
    }) {
      throw Unwrapped("Its result is an object of another owner, which has callbacks. Use the owner's object.")
    }
    if plan.arguments.contains("callback.context") {
      throw Unwrapped("It takes the context of the callbacks of the object that it makes. Call it with the C module.")
    }
    let scope = own ?? namespace()
    var words = names.words(function.name)
    if let handle = scopes[scope]?.handle {
      words = names.without(words, names.words(ofType: handle))
    }
    let isProperty =
      own != nil && !consumes(plan, own) && asks(plan, words) && plan.parameters.isEmpty && !plan.canFail
      && plan.results.count == 1
      && plan.makes == nil
      && (plan.results[0].type == "Bool" || !words.contains { Self.acting.contains($0) || Failures.doing.contains($0) })
    if words.first == "get", words.count > 1 { words.removeFirst() }
    let overloaded = isOverload ? output.names[function.name] : nil
    let name = overloaded ?? uniqueName(words, plan, scope, isProperty: isProperty)
    var code = Code()
    document(function, &code)
    let isStatic = own == nil ? "static " : ""
    let results = resultType(plan)
    if isProperty {
      code.add("public \(isStatic)var \(SwiftTypes.escaped(name)): \(results) {")
    } else {
      if case .status(_, _, true) = plan.outcome { code.add("@discardableResult") }
      code.add(
        "public \(isStatic)func \(SwiftTypes.escaped(name))(\(declared(plan, labelsFirst: false)))"
          + "\(plan.canFail ? " throws(\(failure))" : "")\(results == "Void" ? "" : " -> \(results)") {")
    }
    writeBody(plan, own, &code)
    let returned = returning(plan)
    if !returned.isEmpty { code.add(returned) }
    code.add("}")
    add(code, scope)
  }

  /// True if C frees the object in this call.
  private func consumes(_ plan: FunctionPlan, _ own: String?) -> Bool {
    own.flatMap { scopes[$0]?.object?.consuming.contains(plan.function.name) } ?? false
  }

  private mutating func writeMaker(_ plan: FunctionPlan, _ made: String) throws(Unwrapped) {
    guard let own = scopes[made] else { return }
    let function = plan.function
    let words = names.without(
      names.words(function.name), names.words(ofType: made))
    let initial: Set<String> = ["new", "create", "alloc", "init", "make", "construct"]
    let isInitializer =
      words.allSatisfy { initial.contains($0) } && choices.bySite[function.name]?.name == nil
    var code = Code()
    document(function, &code)
    let labels = declared(plan, labelsFirst: isInitializer)
    let signature = "init(\(plan.parameters.map { $0.name.split(separator: " ")[0] + ":" }.joined()))"
    let owned = own.object?.release == nil ? "" : ", isOwned: true"
    let takesContext = own.isConstructed && plan.arguments.contains("callback.context")
    if isInitializer, usedMembers[made]?[signature] == nil {
      usedMembers[made, default: [:]][signature] = function.name
      code.add("public convenience init(\(labels))\(plan.canFail ? " throws(\(failure))" : "") {")
      if takesContext {
        code.add("let slots = \(own.name)Slots()\nlet callback = ForeignCallback<\(own.name)Slots?> { slots }")
      }
      writeBody(plan, nil, &code)
      let rest = takesContext ? ", slots, callback" : ""
      code.add(
        "self.init(\(pointer(plan.results[0], plan)), owner: \(owner(plan))\(owned)\(freerArgument(made, plan))\(rest))"
      )
      if !plan.retained.isEmpty { scopes[made]?.keeps = true }
      for retained in plan.retained { code.add("keep(\(retained))") }
      let dependence = dependence(plan, made)
      if !dependence.isEmpty { code.add(String(dependence.dropFirst())) }
      code.add("}")
    } else {
      let name = uniqueName(words, plan, made, isProperty: false)
      code.add(
        "public static func \(SwiftTypes.escaped(name))(\(declared(plan, labelsFirst: false)))"
          + "\(plan.canFail ? " throws(\(failure))" : "") -> \(own.name) {")
      if takesContext {
        code.add("let slots = \(own.name)Slots()\nlet callback = ForeignCallback<\(own.name)Slots?> { slots }")
      }
      writeBody(plan, nil, &code)
      let rest = takesContext ? ", slots, callback" : ""
      code.add(
        "return \(own.name)(\(pointer(plan.results[0], plan)), owner: \(owner(plan))\(owned)\(freerArgument(made, plan))\(rest))"
          + keeping(plan, made) + dependence(plan, made) + "\n}"
      )
    }
    add(code, made)
  }

  /// The calls with which a new object keeps what C uses as long as it exists.
  private mutating func keeping(_ plan: FunctionPlan, _ made: String) -> String {
    if plan.retained.isEmpty { return "" }
    scopes[made]?.keeps = true
    scopes[made]?.isMadeKeeping = true
    return plan.retained.map { ".keeping(\($0))" }.joined()
  }

  private mutating func add(_ code: Code, _ scope: String) {
    scopes[scope]?.functions.gap()
    scopes[scope]?.functions.add(code)
  }

  private func object(_ type: CType) -> String? {
    Classifier.handle(type, library).flatMap { scopes[$0]?.object == nil ? nil : $0 }
  }

  /// A name that no other member of the scope has with the same labels.
  private mutating func uniqueName(_ words: [String], _ plan: FunctionPlan, _ scope: String, isProperty: Bool) -> String
  {
    var name = choices.bySite[plan.function.name]?.name ?? Names.lower(words)
    if name == "init" { name = "initialize" }
    if name.isEmpty { name = Names.lower(names.words(plan.function.name)) }
    if name.isEmpty { name = plan.function.name }
    let labels = plan.parameters.enumerated().map { index, parameter in
      (index == 0 || parameter.isUnnamed ? "_" : parameter.name.split(separator: " ")[0]) + ":"
    }.joined()
    func isTaken(_ name: String) -> Bool {
      let used = usedMembers[scope] ?? [:]
      return used[name] != nil || (isProperty || labels.isEmpty) && used["\(name)()"] != nil
        || used["\(name)(\(labels))"] != nil || Self.own.contains(name) && scope != ""
        // The module's name before that of C would mean the type.
        || name == plan.function.name && swift.isTaken(name)
    }
    if isTaken(name) { name = Names.lower(names.words(plan.function.name)) }
    while isTaken(name) { name += "C" }
    usedMembers[scope, default: [:]][isProperty ? name : "\(name)(\(labels))"] = plan.function.name
    if isProperty { usedMembers[scope, default: [:]]["\(name)()"] = plan.function.name }
    output.names[plan.function.name] = name
    return name
  }

  // MARK: Parts of a function

  func declared(_ plan: FunctionPlan, labelsFirst: Bool) -> String {
    plan.parameters.enumerated().map { index, parameter in
      let isLabelled = (index > 0 || labelsFirst || parameter.name.contains(" ")) && !parameter.isUnnamed
      return "\(isLabelled ? "" : "_ ")\(parameter.name): \(parameter.type)"
    }.joined(separator: ", ")
  }

  func resultType(_ plan: FunctionPlan) -> String {
    if case .status(_, _, true) = plan.outcome { return plan.resultType }
    if plan.results.isEmpty { return "Void" }
    if plan.results.count == 1 { return plan.results[0].type }
    return "(" + plan.results.map { "\(SwiftTypes.escaped($0.name)): \($0.type)" }.joined(separator: ", ") + ")"
  }

  private func owner(_ plan: FunctionPlan, without part: String? = nil) -> String {
    let owners = plan.owners.map(\.name).filter { $0 != part }
    return switch owners.count {
    case 0: "nil"
    case 1: owners[0]
    default: "(\(owners.joined(separator: ", ")))"
    }
  }

  /// The call and the checks of its result.
  mutating func writeBody(_ plan: FunctionPlan, _ own: String?, _ code: inout Code) {
    let function = plan.function
    byteStructs.formUnion(plan.byteStructs)
    for check in plan.checks { code.add(check) }
    for variable in plan.variables { code.add(variable) }
    let isVoid = plan.resultType == "Void"
    var call = swift.optional("\(function.called)(\(plan.arguments.joined(separator: ", ")))\(plan.suffix)", function)
    if !plan.inside.isEmpty {
      let statements = plan.inside.joined(separator: "\n")
      call = isVoid ? "\n\(call)\n\(statements)\n" : "\nlet result = \(call)\n\(statements)\nreturn result\n"
    }
    note(lending: plan.lending)
    for lent in plan.lending.reversed() { call = lent + " " + call + " }" }
    call = lending(plan, own, call)
    let usesResult =
      switch plan.outcome {
      case .nothing: false
      case .status: true
      case .value(let isNullFailure):
        isNullFailure || plan.results.contains { $0.code.contains("result") } || !plan.afterwards.isEmpty
      }
    let consumes = consumes(plan, own)
    // An object that the call has freed can't be asked.
    let living = consumes ? nil : own
    if consumes {
      code.add("let pointer = pointer\nconsume()")
    }
    code.add(usesResult ? "let result = \(call)" : isVoid ? call : "_ = \(call)")
    for freed in plan.freed {
      if freed.function == "free" { usesSystem = true }
      let pointer = freed.isConst ? "UnsafeMutablePointer(mutating: \(freed.variable))" : freed.variable
      code.add(
        "defer { if let \(freed.variable) { \(freeing(freed.function, pointer, plan)) } }"
      )
    }
    for kept in plan.kept {
      if let own { scopes[own]?.keeps = true }
      code.add("keep(\(held(kept, plan)))")
    }
    if plan.variables.contains(where: { $0.contains("= KeptMemory(") }) { usesKeptMemory = true }
    // What the call makes has them as its owners.
    if !plan.retained.isEmpty, let own, !plan.results.contains(where: { $0.object?.isOwned == true }) {
      scopes[own]?.keeps = true
      for retained in plan.retained { code.add("keep(\(retained))") }
    }
    for replaced in plan.replaced {
      scopes[replaced.handle]?.isReplaced = true
      code.add("\(replaced.name).replacePointer(with: \(replaced.place))")
    }
    // Also if it fails: freeing again would be worse than a leak.
    for given in plan.givenUp {
      scopes[given.handle]?.isGivenUp = true
      if plan.objectIndex != nil, let own { scopes[given.handle]?.containers.insert(own) }
      code.add("\(given.name)\(plan.mark(given.name)).giveUp(to: \(plan.objectIndex == nil ? "nil" : "self"))")
    }
    switch plan.outcome {
    case .nothing: break
    case .status(let fails, let status, _):
      let (condition, value) = Self.check(fails, status, "result")
      let given = failedResults(plan)
      let statements = given.map(\.freeing) + [failing(plan, living, value, given.lazy.compactMap(\.message).first)]
      code.add("if \(condition) { \(statements.joined(separator: "\n")) }")
    case .value(let isNullFailure):
      if isNullFailure {
        let isUsed = plan.results.contains { $0.code.contains("result") } || !plan.afterwards.isEmpty
        code.add(
          "guard \(isUsed ? "let result" : "result != nil") else { \(failing(plan, living, plan.errorCode.map { "Int(\($0))" } ?? "0")) }"
        )
      }
    }
    for result in plan.results where result.object?.isOwned == true && result.code != "result" && !result.isOptional {
      code.add("guard let \(result.code) else { \(failing(plan, living, "0")) }")
    }
    for forgotten in plan.forgotten {
      if let own { code.add("stopKeeping(\(released(forgotten, by: own, plan)))") }
    }
    if plan.freeing == "free" { usesSystem = true }
    // Qualified, because the class can have a method with the name of the C function.
    if let freeing = plan.freeing {
      code.add("defer { \(self.freeing(freeing, "result", plan)) }")
    }
    for line in plan.afterwards { code.add(line) }
  }

  mutating func returning(_ plan: FunctionPlan) -> String {
    if case .status(_, _, true) = plan.outcome { return "return result" }
    if plan.results.isEmpty { return "" }
    let values = plan.results.map { returned($0, plan) }
    if plan.results.count == 1 { return "return " + values[0] }
    return "return ("
      + zip(plan.results, values).map { "\(SwiftTypes.label($0.name)): \($1)" }.joined(separator: ", ") + ")"
  }

  private mutating func returned(_ result: FunctionPlan.Result, _ plan: FunctionPlan) -> String {
    guard let object = result.object, let scope = scopes[object.handle] else { return result.code }
    let code = pointer(result, plan)
    let releases = scope.object?.release != nil
    // What its class does not free is a part of the object whose method returns it. A counted reference outlives that.
    let isPart =
      !(object.isOwned && releases) && scope.object?.retain == nil && plan.objectIndex != nil
      && plan.owners.first.map { scopes[$0.handle]?.object != nil } ?? false
    if isPart, let own = plan.owners.first { scopes[object.handle]?.containers.insert(own.handle) }
    let owner = owner(plan, without: isPart ? "self" : nil)
    if object.isOwned, !result.isOptional {
      return
        "\(scope.name)(\(code), owner: \(owner)\(releases ? ", isOwned: true" : "")\(freerArgument(object.handle, plan)))"
        + keeping(plan, object.handle) + (isPart ? ".asPart(of: self)" : dependence(plan, object.handle))
    }
    let isOptional = result.isOptional || result.code != "result"
    let isConst = code != result.code
    let retain = object.isOwned ? nil : scope.object?.retain
    let freer = object.isOwned ? freerArgument(object.handle, plan) : ""
    let dependence = object.isOwned ? dependence(plan, object.handle) : ""
    let wrapped = { (pointer: String) in
      let pointer = isConst ? "UnsafeMutablePointer(mutating: \(pointer))" : pointer
      return
        "\(scope.name)(\(pointer)\(owner == "nil" ? "" : ", owner: \(owner)")\(releases ? ", isOwned: \(object.isOwned || retain != nil)" : "")\(freer))"
        + (isPart ? ".asPart(of: self)" : "") + dependence
    }
    if let retain, isOptional {
      let isVoid = library.resolved(retain.result).isVoid
      return
        "\(result.code).map { pointer in\n\(isVoid ? "" : "_ = ")\(retain.called)(pointer)\nreturn \(wrapped("pointer"))\n}"
    }
    return isOptional ? "\(result.code).map { \(wrapped("$0")) }" : wrapped(result.code)
  }

  /// The pointer to an object that a call has returned. A class has a pointer that is not `const`.
  private func pointer(_ result: FunctionPlan.Result, _ plan: FunctionPlan) -> String {
    let isConst =
      result.code == "result"
      ? plan.resultType.hasPrefix("UnsafePointer<")
      : plan.variables.contains { $0.hasPrefix("var \(result.code): UnsafePointer<") }
    return isConst ? "UnsafeMutablePointer(mutating: \(result.code))" : result.code
  }
}
