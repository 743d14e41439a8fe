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

  /// A parameter that takes the context of an object's callbacks.
  struct PassedContext {
    var index: Int
    /// The code for it, from the other parameters.
    var code: (FunctionPlan) -> String?
  }

  /// Plans a function.
  func plan(_ function: Library.Function, context: PassedContext?) throws(Unwrapped) -> FunctionPlan {
    if function.isVariadic { throw Unwrapped("Swift does not import variadic functions.") }
    if objects.takesOver(function), choices.bySite[function.name]?.takes != false,
      function.parameters.dropFirst().allSatisfy({ object($0.type) == nil })
    {
      throw Unwrapped("It takes over an argument, according to its comment. Call it with the C module.")
    }
    let givesUp = givenUp(function)
    if objects.freesAgain(function) { throw Unwrapped("It frees an object that its class frees.") }
    if objects.freesArgument(function), choices.bySite[function.name]?.takes == nil {
      throw Unwrapped("It frees an argument.")
    }
    if objects.classifier.split(function.name).contains(where: { ["getcontext", "setjmp", "sigsetjmp"].contains($0) }) {
      throw Unwrapped("It saves the place where it is called, which a function of Swift leaves.")
    }
    var plan = FunctionPlan(function: function)
    var taken: Set<Int> = []
    var used: Set<String> = ["result", "pointer", "owner", "slots", "callback"]
    let names = function.parameters.enumerated().map { index, parameter in
      var name = Names.parameter(parameter.name, "argument\(index + 1)")
      while !used.insert(name).inserted { name += "\(index + 1)" }
      return name
    }
    var uses = uses(function, names)
    let lengths = lengths(function).filter { memory, length in
      let isKnown = [memory, length].contains { uses.pointers[$0] != nil || uses.counts[$0] != nil }
      return !isKnown && swift.imported(function.parameters[length]) != nil
    }
    for (memory, length) in lengths { uses.lengths[length] = memory }
    for (index, parameter) in function.parameters.enumerated() where !taken.contains(index) {
      if try self.plan(function, index, uses, &plan) { continue }
      if let memory = lengths.first(where: { $0.value == index })?.key, let count = swift.imported(parameter)?.text {
        let name = SwiftTypes.escaped(names[memory])
        plan.arguments.append(count == "Int" ? "\(name).count" : "\(count)(\(name).count)")
        continue
      }
      if index == context?.index {
        plan.arguments.append(context?.code(plan) ?? "callback.context")
        continue
      }
      let name = names[index]
      if try lend(function, index, length: lengths[index], name, &plan) {
        continue
      } else if list(function, index, name, &plan) {
        taken.insert(index + 1)
      } else if let handle = object(parameter.type) {
        pass(function, index, handle, name, &plan)
        // A counted reference belongs to whoever holds it, unless the function takes it over.
        if givesUp, plan.objectIndex != index, !isConstant(parameter.type),
          !isArithmetic(function), let given = objects.byHandle[handle], given.release != nil,
          given.retain == nil || objects.takesOver(function)
        {
          plan.givenUp.append((plan.owners.last ?? name, handle))
        }
      } else if try returned(function, index, name, &plan) {
        continue
      } else {
        try pass(function, index, name, &plan)
      }
    }
    try decideResult(function, uses, &plan)
    if case .value(isNullFailure: true) = plan.outcome {
      // The code matters only if there is no object.
      let index = plan.results.firstIndex { result in
        result.type == "Int32"
          && Words.split(result.name).contains { ["error", "err", "errcode", "errorcode", "status"].contains($0) }
      }
      if let index { plan.errorCode = plan.results.remove(at: index).code }
    }
    copyTexts(&plan)
    return plan
  }

  // MARK: Objects

  private func isConstant(_ type: CType) -> Bool {
    if type.isConst { return true }
    guard case .pointer(let target, _) = type else { return false }
    return library.isConstant(target)
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
    _ function: Library.Function, _ index: Int, _ handle: String, _ name: String, _ plan: inout FunctionPlan
  ) {
    if plan.objectIndex == nil, plan.parameters.isEmpty {
      plan.objectIndex = index
      plan.arguments.append("pointer")
      plan.owners.append("self")
      return
    }
    let isOptional = isOptional(function, index)
    let name = SwiftTypes.escaped(name)
    plan.parameters.append(.init(name: name, type: classes[handle]! + (isOptional ? "?" : "")))
    plan.arguments.append(name + (isOptional ? "?" : "") + ".pointer")
    plan.owners.append(name)
  }

  /// True if a pointer may be NULL. Without any comment, it may.
  func isOptional(_ function: Library.Function, _ index: Int) -> Bool {
    let parameter = function.parameters[index]
    if let nullability = parameter.nullability { return nullability == .nullable }
    let comment = function.comment
    if comment.isEmpty { return true }
    let words = comment.replacingNewlines
    guard words.has("NULL") else { return false }
    // In the paragraph, or the sentence, about the parameter.
    if parameter.name.isEmpty { return true }
    for mark in ["@param", "\\param"] where words.has(mark) {
      let paragraph = words.replacing(mark, with: "\n").split(separator: "\n").dropFirst().first { text in
        let identifiers = Words.identifiers(String(text.prefix(60)))
        return identifiers.prefix(3).contains { $0 == parameter.name }
      }
      if let paragraph { return String(paragraph).has("NULL") }
    }
    return words.split(separator: ".").contains { String($0).has("NULL") && String($0).has(parameter.name) }
  }

  func owns(_ function: Library.Function) -> Bool {
    choices.bySite[function.name]?.owns ?? objects.owns(resultOf: function)
  }

  // MARK: Values that C returns through parameters

  private func returned(_ function: Library.Function, _ index: Int, _ name: String, _ plan: inout FunctionPlan)
    throws(Unwrapped) -> Bool
  {
    let parameter = function.parameters[index]
    if Classifier.handle(parameter.type, library) == "struct _IO_FILE" { throw Unwrapped("It takes a FILE of C.") }
    guard let target = library.resolved(parameter.type).pointee, library.function(parameter.type) == nil,
      !target.isConst, !library.resolved(target).isConst, case let text = swift.imported(parameter.type)?.text ?? "",
      text.hasPrefix("UnsafeMutablePointer<")
    else { return false }
    let own = SwiftTypes.escaped(name)
    if library.resolved(target).pointee != nil, library.isCounted(index, of: function) || parameter.isArray {
      throw Unwrapped("It takes an array.", pointer(function, index), "memory=?")
    }
    if ["argv", "args", "envp", "strings", "names"].contains(parameter.name) {
      throw Unwrapped("It takes an array.", pointer(function, index), "memory=?")
    }
    if let handle = object(target) {
      let words = objects.classifier.split(function.name)
      let making: Set<String> = ["new", "create", "init", "open", "alloc", "make"]
      if words.contains(where: { Self.freeing.contains($0) }), !words.contains(where: { making.contains($0) }) {
        throw Unwrapped("It frees an object that its class frees.")
      }
      plan.variables.append("var \(own): \(pointerType(target))?")
      plan.arguments.append("&" + own)
      let isOwned = owns(function)
      // There may be none yet.
      let isOptional = !isOwned || words.contains { Self.polling.contains($0) }
      plan.results.append(
        .init(name: name, type: classes[handle]! + (isOptional ? "?" : ""), code: own, object: (handle, isOwned)))
      return true
    }
    if let memory = unit(target) {
      guard memory.unit == .characters, memory.isConst, let pointer = swift.imported(target)?.text else {
        throw Unwrapped(
          "The header does not say how long the memory is that it returns.", pointer(function, index),
          "memory=? frees=?")
      }
      plan.variables.append("var \(own): \(pointer)")
      plan.arguments.append("&" + own)
      plan.results.append(
        .init(name: name, type: "\(swift.string)?", code: "\(own).map { \(swift.string)(cString: $0) }"))
      return true
    }
    guard case .named(let type, _) = library.resolved(target), let value = swift.imported(target.withoutConst) else {
      throw Unwrapped(
        "The header does not say what a pointer to a pointer is for.", pointer(function, index), "memory=?")
    }
    // What a function makes of an object comes first by custom.
    let isFirst = index == 0 && function.parameters.count > 1 && object(function.parameters[1].type) != nil
    let isNamed = Words.split(parameter.name).contains { ["out", "ret", "result"].contains($0) }
    if isRecord(target), parameter.isArray || library.isCounted(index, of: function) {
      throw Unwrapped("It takes an array.", pointer(function, index), "memory=?")
    }
    if isRecord(target) { try checkLending(function) }
    if isRecord(target), isFirst || isNamed {
      plan.variables.append("var \(own): \(value.text) = .init()")
      plan.arguments.append("&" + own)
      let copy = types.returned(value.text)
      plan.results.append(
        .init(
          name: name, type: copy ?? types.records[value.text] ?? value.text,
          code: copy.map { "\($0)(copying: \(own))" } ?? own))
      return true
    }
    if isRecord(target) {
      plan.parameters.append(.init(name: own, type: "inout " + (types.records[value.text] ?? value.text)))
      plan.arguments.append("&" + own)
      return true
    }
    if type == "char" || type == "unsigned char" || type == "void" {
      throw Unwrapped("The header does not say how long a memory is.", pointer(function, index), "memory=?")
    }
    if library.isArray(index, of: function) || !isSingle(parameter.name, function) {
      throw Unwrapped("It takes an array.", pointer(function, index), "memory=?")
    }
    let zero = type.hasPrefix("enum ") ? "\(value.text)(rawValue: 0)" : value.zero
    plan.variables.append("var \(own): \(value.text) = \(zero)")
    plan.arguments.append("&" + own)
    let (swiftType, code) = converted(target, value.text, own)
    plan.results.append(.init(name: name, type: swiftType, code: code))
    return true
  }

  /// True if a pointer to a number leads to one: no other parameter is a length, or its name is that of one value.
  private func isSingle(_ name: String, _ function: Library.Function) -> Bool {
    let single: Set<String> = [
      "out", "ret", "result", "count", "size", "len", "length", "num", "n", "id", "mid", "value", "val", "flags",
      "status",
      "error", "err", "errcode", "width", "height", "x", "y", "w", "h", "type", "kind", "version", "major", "minor",
      "index",
      "written", "read", "used", "consumed", "offset", "pos", "position", "code", "state", "mode", "rc", "cookie", "fd",
    ]
    if function.comment.lowercased().has(" array") { return false }
    let words = Words.split(name)
    let lengths = Set(lengths(function).values)
    let numbers = function.parameters.indices.filter { library.isNumber(function.parameters[$0].type) }
    let arrays: Set<String> = ["in", "input", "src", "dst", "re", "im", "ri", "ii", "ro", "io", "raster", "pixels"]
    if words.contains(where: { arrays.contains($0) }) { return false }
    if words.contains(where: { single.contains($0) || $0.hasSuffix("len") || $0.hasSuffix("id") }) { return true }
    // Beside several numbers, it may lead to as many as they say.
    return !numbers.contains { Library.namesLength(function.parameters[$0].name) }
      && numbers.count { !lengths.contains($0) } < 2
  }

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

  /// Words of functions that free what a pointer to a pointer leads to.
  private static let freeing: Set<String> = [
    "free", "unref", "decref", "decrefp", "destroy", "freep", "unrefp", "clear", "release", "put", "delete", "close",
    "drop",
  ]

  // MARK: Plain arguments

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
    if let memory = unit(parameter.type) {
      switch memory.unit {
      case .characters where memory.isConst:
        let isOptional = isOptional(function, index)
        plan.parameters.append(.init(name: own, type: swift.string + (isOptional ? "?" : "")))
        plan.arguments.append(own)
      case .raw:
        throw Unwrapped(
          "The header does not say what a pointer points to.", pointer(function, index), "memory=? type=?")
      default: throw Unwrapped("The header does not say how long a memory is.", pointer(function, index), "memory=?")
      }
      return
    }
    if let target = library.resolved(parameter.type).pointee {
      if parameter.isArray || isRecord(target) && library.isCounted(index, of: function) {
        throw Unwrapped("It takes an array.", pointer(function, index), "memory=?")
      }
      guard isRecord(target), library.isConstant(target),
        let value = swift.imported(target.withoutConst)
      else {
        throw Unwrapped("The header does not say what a pointer points to.", pointer(function, index), "memory=?")
      }
      let isOptional = isOptional(function, index)
      plan.parameters.append(
        .init(name: own, type: (types.records[value.text] ?? value.text) + (isOptional ? "?" : "")))
      plan.lending.append(
        isOptional ? "lending(\(own)) { \(own) in" : "withUnsafePointer(to: \(own)) { \(own) in")
      plan.arguments.append(own)
      return
    }
    if let enumeration = types.enumerations[type.text] {
      plan.parameters.append(.init(name: own, type: enumeration))
      // A parameter can have the name of its type.
      let isHidden = function.parameters.contains { $0.name == type.text }
      plan.arguments.append("\(isHidden ? swift.module + "." : "")\(type.text)(rawValue: \(own).rawValue)")
      return
    }
    plan.parameters.append(.init(name: own, type: types.records[type.text] ?? type.text))
    plan.arguments.append(own)
  }
}

extension FunctionPlan.Outcome {
  var isNothing: Bool { if case .nothing = self { true } else { false } }
}
