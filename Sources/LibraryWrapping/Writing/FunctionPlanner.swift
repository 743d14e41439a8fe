/// Plans the Swift functions of a library's C functions.
struct FunctionPlanner {
  let library: Library
  let objects: LibraryObjects
  let swift: SwiftTypes
  /// The Swift classes of the objects.
  let classes: [String: String]
  let types: SwiftWriter.ValueTypes
  /// The code for a destroy notify that lets C copy the data, by the type of the notify.
  let copying: [CFunction: String]
  let choices: Choices

  /// What a call passes for parameters that are no values of the program: functions, and contexts.
  struct Passed {
    /// The code for them, from the other parameters.
    var codes: [Int: (inout FunctionPlan) -> String] = [:]
    /// What C does with the functions; nil if it takes none. Such a function is not skipped because of its pointers: those of
    /// which nothing is known stay pointers.
    var calling: Calling?
  }

  /// When C calls the functions that it gets: until it returns, or also later. Then the call gives the program nothing but the
  /// registration.
  enum Calling { case inside, later }

  /// Plans a function. Its parameters don't get the names in `reserved`, and those in `raw` stay pointers.
  func draft(_ function: Library.Function, _ passed: Passed, reserved: Set<String>, raw: Set<Int>) throws(Unwrapped)
    -> FunctionPlan
  {
    if passed.calling == nil { try checkUse(function) }
    var plan = FunctionPlan(function: function)
    var used: Set<String> = ["result", "pointer", "owner", "slots", "callback"]
    used.formUnion(reserved)
    let names = function.parameters.enumerated().map { index, parameter in
      var name = Names.parameter(parameter.name, "argument\(index + 1)")
      while !used.insert(name).inserted { name += "\(index + 1)" }
      return name
    }
    let uses = uses(function, names, others: raw.union(passed.codes.keys))
    for (index, parameter) in function.parameters.enumerated() {
      if let code = passed.codes[index] {
        let argument = code(&plan)
        plan.arguments.append(argument)
        continue
      }
      let known = plan.parameters.count
      do throws(Unwrapped) {
        if raw.contains(index) {
          try pass(raw: parameter, names[index], &plan)
        } else if try self.plan(function, index, uses, &plan) {
          if passed.calling == .later { try checkLater(function, index, uses.pointers[index], plan) }
        } else if let handle = object(parameter.type) {
          if isRecord(parameter.type) { throw Unwrapped("It takes the struct of an object by value.") }
          let isReceiver = plan.parameters.isEmpty && (index == 0 || passed.calling == nil)
          pass(function, index, handle, names[index], isReceiver: isReceiver, &plan)
        } else {
          try pass(function, index, names[index], &plan)
        }
      } catch {
        var error = error
        error.index = index
        throw error
      }
      for place in known..<plan.parameters.count { plan.parameters[place].index = index }
    }
    if passed.calling == .later { return plan }
    do throws(Unwrapped) {
      try decideResult(function, uses, &plan)
    } catch  where passed.calling != nil && !error.isContradiction {
      let text = swift.imported(function.result)?.text ?? "Void"
      plan.open.append(error)
      plan.resultType = text
      plan.outcome = .value(isNullFailure: false)
      plan.results.append(.init(name: "result", type: text, code: "result"))
    }
    if case .value(isNullFailure: true) = plan.outcome {
      // The code matters only if there is no object.
      let index = plan.results.firstIndex { result in
        result.type == "Int32"
          && Words.split(result.name).contains { ["error", "err", "errcode", "errorcode", "status"].contains($0) }
      }
      if let index { plan.errorCode = plan.results.remove(at: index).code }
    }
    copyTexts(&plan)
    try decideFreeing(&plan)
    return plan
  }

  /// Throws if a function does what is wrong in Swift.
  private func checkUse(_ function: Library.Function) throws(Unwrapped) {
    if function.isVariadic { throw Unwrapped("Swift does not import variadic functions.") }
    if objects.takesOver(function), choices.bySite[function.name]?.takes != false,
      function.parameters.dropFirst().allSatisfy({ object($0.type) == nil })
    {
      throw Unwrapped("It takes over an argument, according to its comment. Call it with the C module.")
    }
    if objects.freesAgain(function) { throw Unwrapped("It frees an object that its class frees.") }
    if objects.freesArgument(function), choices.bySite[function.name]?.takes == nil {
      throw Unwrapped("It frees an argument.")
    }
    try checkCopies(function)
    if objects.initializesMemory(function) { throw Unwrapped("It makes an object of memory that the program has.") }
    if objects.classifier.split(function.name).contains(where: { ["getcontext", "setjmp", "sigsetjmp"].contains($0) }) {
      throw Unwrapped("It saves the place where it is called, which a function of Swift leaves.")
    }
  }

  // MARK: Objects

  private func isConstant(_ type: CType) -> Bool {
    // `box *const b` is a constant pointer to what can change. `const box_t b` means the object, if that type is a pointer.
    if case .pointer(let target, _) = type { return library.isConstant(target) }
    return type.isConst || library.resolved(type).pointee.map(library.isConstant) ?? false
  }

  /// True for a function of several objects of one type, such as a sum: it takes none of them over.
  private func isArithmetic(_ function: Library.Function) -> Bool {
    guard let first = function.parameters.first.flatMap({ Classifier.handle($0.type, library) }) else { return false }
    return function.parameters.dropFirst().count { Classifier.handle($0.type, library) == first } > 1
  }

  func object(_ type: CType) -> String? {
    guard library.function(type) == nil, let handle = Classifier.handle(type, library),
      objects.byHandle[handle] != nil, classes[handle] != nil
    else { return nil }
    return handle
  }

  private func pass(
    _ function: Library.Function, _ index: Int, _ handle: String, _ name: String, isReceiver: Bool,
    _ plan: inout FunctionPlan
  ) {
    if plan.objectIndex == nil, isReceiver {
      plan.objectIndex = index
      plan.arguments.append("pointer")
      plan.owners.append(("self", handle))
      return
    }
    let isOptional = isOptional(function, index)
    let own = SwiftTypes.escaped(name)
    plan.parameters.append(.init(name: own, type: classes[handle]! + (isOptional ? "?" : "")))
    plan.arguments.append(own + (isOptional ? "?" : "") + ".pointer")
    plan.owners.append((own, handle))
    keep(function, index, handle, own, &plan)
  }

  /// Plans what becomes of an object that C may store.
  private func keep(
    _ function: Library.Function, _ index: Int, _ handle: String, _ name: String, _ plan: inout FunctionPlan
  ) {
    // What C only reads can't store anything.
    let isReceiverConst = function.parameters.first.map { object($0.type) != nil && isConstant($0.type) } ?? false
    let choice = choices.bySite[function.name]
    let givesUp =
      choice?.taken.map { function.index(of: $0) == index }
      ?? (givenUp(function) && (!isReceiverConst || choice?.takes == true))
    if isArithmetic(function) { return }
    // A counted reference belongs to whoever holds it, unless the function takes it over.
    if givesUp, !isConstant(function.parameters[index].type), let given = objects.byHandle[handle],
      given.release != nil, given.retain == nil || objects.takesOver(function) || choice?.taken != nil
    {
      plan.givenUp.append((name, handle))
    } else if plan.objectIndex != nil, objects.byHandle[handle]?.retain == nil {
      if keepsObjects(function), !isReceiverConst {
        plan.kept.append((name, handle))
      } else if removes(function) {
        plan.forgotten.append((name, handle))
      }
    }
  }

  /// True if a pointer may be NULL. Without any comment, it may.
  func isOptional(_ function: Library.Function, _ index: Int) -> Bool {
    let parameter = function.parameters[index]
    if index > 0, !isConstant(parameter.type), let handle = object(parameter.type), beginsWithNone(function, handle) {
      return parameter.nullability != .nonnull
    }
    if let nullability = parameter.nullability { return nullability == .nullable }
    let comment = function.comment
    if comment.isEmpty { return true }
    let words = comment.replacingNewlines
    guard words.has("NULL") else { return false }
    // In the paragraph, or the sentence, about the parameter.
    if parameter.name.isEmpty { return true }
    if let remark = remark(on: index, of: function) { return remark.text.has("NULL") }
    return words.split(separator: ".").contains { part in
      let sentence = String(part)
      let phrases = ["NULL", "should be null", "may be null", "can be null", "is a null pointer"]
      guard phrases.contains(where: { sentence.has($0) }) else { return false }
      // GNU's comments have names in capitals.
      return sentence.has(parameter.name)
        || parameter.name.count > 2 && Words.identifiers(sentence).contains(parameter.name.uppercased()[...])
    }
  }

  /// True if a function takes the object before, of which there is none at first: `next_section(file, section)`, or the only
  /// function that makes one.
  private func beginsWithNone(_ function: Library.Function, _ handle: String) -> Bool {
    if object(function.result) == handle,
      objects.classifier.split(function.name).contains(where: { $0.hasPrefix("next") || $0.hasPrefix("prev") })
    {
      return true
    }
    return objects.classifier.made(by: function) == handle
      && !library.functions.contains { other in
        objects.classifier.made(by: other) == handle && !other.parameters.contains { object($0.type) == handle }
      }
  }

  /// True if the program owns the object that a function gives.
  func owns(_ function: Library.Function, _ plan: inout FunctionPlan) -> Bool {
    if let chosen = choices.bySite[function.name]?.owns { return chosen }
    let owns = objects.owns(resultOf: function)
    let sentence = owns ? objects.onlyTellsOwning(function) : objects.speaksOfFreeing(function)
    if let sentence, !plan.assumptions.contains(where: { $0.pointer.isEmpty }) {
      plan.assumptions.append(.init(pointer: "", line: owns ? "owns=yes" : "owns=no", sentence: sentence))
    }
    return owns
  }

  // MARK: Types

  /// True for a struct whose fields a program knows.
  func isRecord(_ type: CType) -> Bool {
    guard case .named(let name, _) = library.resolved(type) else { return false }
    return name.hasPrefix("struct ") || name.hasPrefix("union ")
  }

  func pointerType(_ type: CType) -> String {
    let text = swift.imported(type)?.text ?? "OpaquePointer?"
    return text.hasSuffix("?") ? String(text.dropLast()) : text
  }

  /// A value of C as one of Swift: its type, and the code.
  func converted(_ type: CType, _ text: String, _ code: String) -> (type: String, code: String) {
    if let copy = types.returned(text) { return (copy, "\(copy)(copying: \(code))") }
    guard let own = types.enumerations[text] else { return (types.records[text] ?? text, code) }
    return (own, "\(own)(rawValue: \(code).rawValue)")
  }

  // MARK: Plain arguments

  /// Passes a pointer as it is.
  private func pass(raw parameter: CParameter, _ name: String, _ plan: inout FunctionPlan) throws(Unwrapped) {
    guard let type = swift.imported(parameter) else {
      throw Unwrapped("Swift does not import the type of a parameter.", "\(parameter.type) \(parameter.name)")
    }
    let own = SwiftTypes.escaped(name)
    plan.parameters.append(.init(name: own, type: type.text))
    plan.arguments.append(own)
  }

  /// Throws if a registration would give the program something, or changes what it gives.
  private func checkLater(_ function: Library.Function, _ index: Int, _ known: Use?, _ plan: FunctionPlan)
    throws(Unwrapped)
  {
    if plan.results.isEmpty, plan.variables.isEmpty, !plan.parameters.contains(where: { $0.type.hasPrefix("inout ") }) {
      return
    }
    var error = Unwrapped(
      "A registration gives nothing but what ends it. If C calls only while \(function.name) runs, its callback has adapter=scoped.",
      pointer(function, index))
    error.isContradiction = known?.basis == .line
    throw error
  }

  private func pass(_ function: Library.Function, _ index: Int, _ name: String, _ plan: inout FunctionPlan)
    throws(Unwrapped)
  {
    let parameter = function.parameters[index]
    let own = SwiftTypes.escaped(name)
    if let found = library.function(parameter.type), let code = copying[found.function] {
      plan.arguments.append(code)
      return
    }
    if library.function(parameter.type) != nil { throw Unwrapped("It takes a function.") }
    guard let type = swift.imported(parameter) else {
      throw Unwrapped("Swift does not import the type of a parameter.", "\(parameter.type) \(parameter.name)")
    }
    if let enumeration = types.enumerations[type.text] {
      plan.parameters.append(.init(name: own, type: enumeration))
      // A parameter can have the name of its type.
      let isHidden = function.parameters.contains { $0.name == type.text }
      plan.arguments.append((isHidden ? swift.module + "." : "") + swift.value(of: type.text, "\(own).rawValue"))
      return
    }
    if let lent = types.lent[type.text] {
      plan.parameters.append(.init(name: own, type: lent))
      plan.variables.append("var \(own) = \(own)")
      plan.lending.append("\(own).lending { \(own) in")
      return plan.arguments.append(own + ".pointee")
    }
    plan.parameters.append(.init(name: own, type: types.records[type.text] ?? type.text))
    plan.arguments.append(own)
  }
}

extension FunctionPlan.Outcome {
  var isNothing: Bool { if case .nothing = self { true } else { false } }
}
