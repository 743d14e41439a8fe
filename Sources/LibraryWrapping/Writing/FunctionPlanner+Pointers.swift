/// The parameters whose pointers lead to something known.
extension FunctionPlanner {
  /// An element of memory: its type in C and in Swift, and a value of nothing.
  struct Element {
    var imported: String
    var type: String
    var zero: String
    /// True if Swift's type is C's own.
    var isPlain: Bool
  }

  func element(_ target: CType) -> Element? {
    guard case .named(let name, _) = library.resolved(target), name != "void",
      let value = swift.imported(target.withoutConst), !value.text.hasSuffix("?")
    else { return nil }
    if let own = types.enumerations[value.text] {
      return Element(imported: value.text, type: own, zero: swift.value(of: value.text, "0"), isPlain: false)
    }
    if isRecord(target) {
      return Element(
        imported: value.text, type: types.records[value.text] ?? value.text, zero: ".init()",
        isPlain: types.plain.contains(value.text))
    }
    return Element(imported: value.text, type: value.text, zero: value.zero, isPlain: true)
  }

  // MARK: Parameters

  /// Plans a parameter whose use is known. False if it is not.
  func plan(_ function: Library.Function, _ index: Int, _ uses: Uses, _ plan: inout FunctionPlan) throws(Unwrapped)
    -> Bool
  {
    let parameter = function.parameters[index]
    let own = SwiftTypes.escaped(uses.names[index])
    if let count = uses.counts[index] {
      try planCount(function, index, count, uses, &plan)
      return true
    }
    if uses.hidden.contains(index) {
      let type = library.resolved(parameter.type).pointee.flatMap { swift.imported($0.withoutConst)?.text }
      plan.variables.append("var \(own): \(type ?? "Int") = 0")
      plan.arguments.append("&" + own)
      return true
    }
    if let why = uses.unknown[index] { throw why }
    guard let known = uses.pointers[index], let target = library.resolved(parameter.type).pointee else { return false }
    let use = known.use
    let isMemory = use.count != nil || isRecord(target) || known.basis == .line && unit(parameter.type) != nil
    if isMemory, use.kind != .null, use.kind != .kept { try checkLending(function, index, use) }
    switch use.kind {
    case .null: plan.arguments.append("nil")
    case .kept: try planKept(function, index, use, uses, &plan)
    case .input where use.count != nil: try lendElements(function, index, use, uses, &plan)
    case .both where use.count != nil, .output where use.count != nil && !isGiven(function, index),
      .text where use.count != nil && !isGiven(function, index):
      try writeElements(function, index, known, uses, &plan)
    case .output where isGiven(function, index), .text where isGiven(function, index):
      try planGiven(function, index, known, uses, &plan)
    case .text: try planText(function, index, known, own, &plan)
    case .both where use.count == nil && object(target) != nil: try planReplaced(function, index, own, &plan)
    case .input, .output, .both: try planOne(function, index, known, uses, &plan)
    }
    if known.basis == .names, !known.isOpen {
      plan.assumptions.append(.init(pointer: pointer(function, index), line: "memory=\(use.written)"))
    }
    return true
  }

  /// Plans a text that C reads.
  private func planText(
    _ function: Library.Function, _ index: Int, _ known: Use, _ own: String, _ plan: inout FunctionPlan
  ) throws(Unwrapped) {
    let type = function.parameters[index].type
    guard let unit = unit(type) else { throw contradiction(function, index, "It has no characters.") }
    let name = function.parameters[index].name
    // What a comment says of "the string" is about the only pointer.
    let isOnly = function.parameters.count { library.resolved($0.type).pointee != nil } == 1
    if known.basis != .line, !name.isEmpty, var why = keepsMemory(function, isOnly ? nil : name) {
      (why.detail, why.choices) = (pointer(function, index), "memory=kept")
      throw why
    }
    let isOptional = isOptional(function, index)
    plan.parameters.append(.init(name: own, type: swift.string + (isOptional ? "?" : "")))
    if unit.isConst, unit.unit == .characters { return plan.arguments.append(own) }
    plan.lending.append(isOptional ? "lending(text: \(own)) { \(own) in" : "\(own).withCString { \(own) in")
    let mutable = unit.isConst ? own : "UnsafeMutablePointer(mutating: \(own))"
    plan.arguments.append(
      unit.unit == .bytes || character(type) != "CChar"
        ? "UnsafeMutableRawPointer(mutating: \(own))\(isOptional ? "?" : "").assumingMemoryBound(to: \(character(type)).self)"
        : mutable)
  }

  /// Plans a pointer to one value.
  private func planOne(
    _ function: Library.Function, _ index: Int, _ known: Use, _ uses: Uses, _ plan: inout FunctionPlan
  ) throws(Unwrapped) {
    let own = SwiftTypes.escaped(uses.names[index])
    let kind = known.use.kind
    guard let target = library.resolved(function.parameters[index].type).pointee, let element = element(target) else {
      throw contradiction(function, index, "It needs a number of elements, such as memory=\(kind.rawValue)[n].")
    }
    if let lent = types.lent[element.imported] {
      if kind == .output {
        plan.variables.append("var \(own) = \(lent)()")
        plan.results.append(.init(name: uses.names[index], type: lent, code: own, place: pointer(function, index)))
      } else {
        plan.parameters.append(.init(name: own, type: (kind == .both ? "inout " : "") + lent))
        if kind == .input { plan.variables.append("var \(own) = \(own)") }
      }
      plan.lending.append("\(own).lending { \(own) in")
      plan.arguments.append(library.isConstant(target) ? "UnsafePointer(\(own))" : own)
      return
    }
    if library.bytes(in: target) != nil {
      // C gets and gives the bytes alone.
      plan.byteStructs.insert(element.imported)
      if kind == .both {
        plan.parameters.append(.init(name: own, type: "inout [UInt8]"))
        plan.lending.append("\(element.imported).exchanging(&\(own)) { \(own) in")
        plan.arguments.append(own)
        return
      }
      if kind == .input {
        plan.parameters.append(.init(name: own, type: "Span<UInt8>"))
        plan.lending.append("\(element.imported).lending(\(own)) { \(own) in")
        plan.arguments.append(library.isConstant(target) ? "UnsafePointer(\(own))" : own)
      } else {
        plan.variables.append("var \(own) = \(element.imported)()")
        plan.arguments.append("&" + own)
        plan.results.append(
          .init(
            name: uses.names[index], type: "[UInt8]", code: "\(own).copiedBytes", isWhole: true,
            place: pointer(function, index)))
      }
      return
    }
    switch kind {
    case .input:
      let isOptional = known.basis != .line && isOptional(function, index)
      plan.parameters.append(.init(name: own, type: element.type + (isOptional ? "?" : "")))
      let value =
        element.type == element.imported || isRecord(target)
        ? own : swift.value(of: element.imported, "\(own).rawValue")
      plan.lending.append(
        isOptional ? "lending(\(own)) { \(own) in" : "withUnsafePointer(to: \(value)) { \(own) in")
      plan.arguments.append(library.isConstant(target) ? own : "UnsafeMutablePointer(mutating: \(own))")
    case .both where element.type != element.imported && !isRecord(target):
      plan.arguments.append("&" + exchange(own, element, isList: false, &plan))
    case .both:
      plan.parameters.append(.init(name: own, type: "inout " + (isRecord(target) ? element.type : element.imported)))
      plan.arguments.append("&" + own)
    default:
      plan.variables.append("var \(own): \(element.imported) = \(element.zero)")
      plan.arguments.append("&" + own)
      let (type, code) = converted(target, element.imported, own)
      plan.results.append(.init(name: uses.names[index], type: type, code: code, place: pointer(function, index)))
    }
  }

  /// Plans the count of the elements behind a pointer.
  private func planCount(
    _ function: Library.Function, _ index: Int, _ count: (pointer: Int, factor: Int), _ uses: Uses,
    _ plan: inout FunctionPlan
  ) throws(Unwrapped) {
    let parameter = function.parameters[index]
    let own = SwiftTypes.escaped(uses.names[index])
    let pointee = library.resolved(parameter.type).pointee
    guard let type = swift.imported((pointee ?? parameter.type).withoutConst)?.text else {
      throw contradiction(function, index, "It is no number.")
    }
    let number = number(index, uses)
    let value = type == "Int" ? number : "\(type)(\(number))"
    guard pointee != nil else { return plan.arguments.append(value) }
    // C changes it to the number of elements that it has written.
    plan.variables.append("var \(own): \(type) = \(value)")
    plan.arguments.append("&" + own)
  }

  /// The code for a count that a pointer determines.
  private func number(_ index: Int, _ uses: Uses) -> String {
    guard let (pointer, factor) = uses.counts[index], let use = uses.pointers[pointer]?.use else { return "0" }
    let isWritten = use.kind == .output || use.kind == .text
    let name = SwiftTypes.escaped(uses.names[isWritten ? index : pointer])
    if isWritten { return "count" }
    return factor == 1 ? "\(name).count" : "\(name).count / \(factor)"
  }

  /// An expression of C in Swift. A count that C changes has another value after the call.
  func code(
    _ expression: String, _ function: Library.Function, _ uses: Uses, isBefore: Bool = false
  ) -> String {
    PointerUse.replacing(expression) { name in
      guard let index = function.index(of: name) else {
        if name == Choices.name(function, nil) { return "Int(result)" }
        return MacroValue.number(name, library.headers.macros).map(String.init) ?? name
      }
      let isPointer = library.resolved(function.parameters[index].type).pointee != nil
      if uses.counts[index] != nil, isBefore || !isPointer { return number(index, uses) }
      return "Int(\(SwiftTypes.escaped(uses.names[index])))"
    }
  }

  /// Plans elements that C reads.
  private func lendElements(
    _ function: Library.Function, _ index: Int, _ use: PointerUse, _ uses: Uses, _ plan: inout FunctionPlan
  ) throws(Unwrapped) {
    let parameter = function.parameters[index]
    let own = SwiftTypes.escaped(uses.names[index])
    guard let target = library.resolved(parameter.type).pointee else { return }
    let isConst = library.isConstant(target)
    check(own, function, use, uses, &plan, index)
    let isEnded = use.count == PointerUse.end
    if unit(parameter.type) != nil {
      if isEnded { throw contradiction(function, index, "Write memory=text for characters that a zero ends.") }
      return lendBytes(parameter, own, &plan)
    }
    if unit(target)?.unit == .characters, let pointer = swift.imported(target)?.text {
      plan.parameters.append(.init(name: own, type: "[\(swift.string)]"))
      plan.lending.append("lending(texts: \(own)) { \(own) in")
      plan.arguments.append("UnsafeMutableRawPointer(\(own).baseAddress)?.assumingMemoryBound(to: \(pointer).self)")
      return
    }
    let address = isConst ? "\(own).baseAddress" : "UnsafeMutablePointer(mutating: \(own).baseAddress)"
    plan.lending.append("\(own).withUnsafeBufferPointer { \(own) in")
    plan.arguments.append(parameter.isNonnull ? "(\(address))!" : address)
    if let handle = object(target) {
      plan.parameters.append(.init(name: own, type: "[\(classes[handle]!)]"))
      plan.variables.append("let \(own) = \(own).map { Optional($0.pointer) }\(isEnded ? " + [nil]" : "")")
      return
    }
    guard let element = element(target) else {
      throw contradiction(function, index, "Swift does not import the type of its elements.")
    }
    if element.type != element.imported, !isRecord(target) {
      plan.parameters.append(.init(name: own, type: "[\(element.type)]"))
      plan.variables.append(
        "let \(own) = \(own).map { \(swift.value(of: element.imported, "$0.rawValue")) }\(isEnded ? " + [\(element.zero)]" : "")"
      )
    } else if isEnded {
      plan.parameters.append(.init(name: own, type: "[\(element.type)]"))
      plan.variables.append("let \(own) = \(own) + [\(element.zero)]")
    } else {
      plan.parameters.append(.init(name: own, type: "Span<\(element.type)>"))
    }
  }

  /// Plans bytes that C reads.
  func lendBytes(_ parameter: CParameter, _ own: String, _ plan: inout FunctionPlan) {
    plan.parameters.append(.init(name: own, type: "Span<UInt8>"))
    plan.lending.append("\(own).withUnsafeBytes { \(own) in")
    let isConst = unit(parameter.type)?.isConst ?? true
    let start = isConst ? "\(own).baseAddress" : "UnsafeMutableRawPointer(mutating: \(own).baseAddress)"
    let address = bound(start, parameter.type)
    plan.arguments.append(parameter.isNonnull ? "(\(address))!" : address)
  }

  /// The address of bytes with the type that C has for them.
  func bound(_ start: String, _ type: CType) -> String {
    switch unit(type)?.unit {
    case .characters: "\(start)?.assumingMemoryBound(to: \(character(type)).self)"
    case .bytes: "\(start)?.assumingMemoryBound(to: UInt8.self)"
    case .raw, nil: start
    }
  }

  /// Traps if there are fewer elements than C reads.
  func check(
    _ own: String, _ function: Library.Function, _ use: PointerUse, _ uses: Uses, _ plan: inout FunctionPlan,
    _ index: Int
  ) {
    guard let count = use.count, count != PointerUse.end else { return }
    if let counted = use.counted, let place = function.index(of: counted.name),
      uses.counts[place]?.pointer == index
    {
      if counted.factor > 1 {
        plan.checks.append(
          "precondition(\(own).count % \(counted.factor) == 0, \"\(function.name) needs a multiple of \(counted.factor) elements in \(own).\")"
        )
      }
      return
    }
    let needed = code(count, function, uses, isBefore: true)
    // Two negative numbers would have a product that is none.
    let signed = PointerUse.names(in: count).filter { name in
      guard let index = function.index(of: name), uses.counts[index] == nil else { return false }
      let type = swift.imported(function.parameters[index].type.withoutConst)?.text ?? ""
      return type.hasPrefix("Int")
    }.map { SwiftTypes.escaped(uses.names[function.index(of: $0) ?? 0]) }
    if !signed.isEmpty {
      let condition = signed.map { "\($0) >= 0" }.joined(separator: " && ")
      plan.checks.append("precondition(\(condition), \"\(function.name) reads \(count) elements of \(own).\")")
    }
    plan.checks.append(
      "precondition(\(own).count >= \(needed), \"\(function.name) reads \(count) elements of \(own).\")")
  }

  /// Plans elements that C writes, and reads before that if the use is `both`.
  private func writeElements(
    _ function: Library.Function, _ index: Int, _ known: Use, _ uses: Uses, _ plan: inout FunctionPlan
  ) throws(Unwrapped) {
    let use = known.use
    let parameter = function.parameters[index]
    let own = SwiftTypes.escaped(uses.names[index])
    guard let target = library.resolved(parameter.type).pointee, let count = use.count, !library.isConstant(target)
    else { throw contradiction(function, index, "C can't write to it.") }
    let isBytes = unit(parameter.type) != nil
    if use.kind == .text, !isBytes { throw contradiction(function, index, "It has no characters.") }
    guard let element = isBytes ? Element(imported: "UInt8", type: "UInt8", zero: "0", isPlain: true) : element(target)
    else { throw contradiction(function, index, "Swift does not import the type of its elements.") }
    let isExchanged = use.kind == .both && element.type != element.imported && !isRecord(target)
    let memory = isExchanged ? exchange(own, element, isList: true, &plan) : own
    let access = isBytes ? "withUnsafeMutableBytes" : "withUnsafeMutableBufferPointer"
    plan.lending.append("\(memory).\(access) { \(own) in")
    let address = bound("\(own).baseAddress", parameter.type)
    plan.arguments.append(parameter.isNonnull ? "(\(address))!" : address)
    if use.kind == .both {
      check(own, function, use, uses, &plan, index)
      if !isExchanged { plan.parameters.append(.init(name: own, type: "inout [\(element.imported)]")) }
    } else {
      if uses.counts.values.contains(where: { $0.pointer == index }) {
        if plan.parameters.contains(where: { $0.name == "upTo count" }) {
          throw Unwrapped(
            "It writes into several memories.", pointer(function, index), known.basis == .line ? "" : "memory=?")
        }
        plan.parameters.append(.init(name: "upTo count", type: "Int"))
      }
      let size = code(count, function, uses, isBefore: true)
      let capacity = size.contains("-") ? "max(0, \(size))" : size
      plan.variables.append("var \(own) = [\(element.imported)](repeating: \(element.zero), count: \(capacity))")
    }
    if let used = use.used ?? changed(count, function, uses) {
      if PointerUse.names(in: used).contains(Choices.name(function, nil)) { plan.countsResult = true }
      plan.afterwards.append(Self.shortening(memory, to: code(used, function, uses)))
    }
    if use.kind == .both { return }
    if known.isOpen {
      plan.isText = unit(parameter.type)?.unit == .characters
      plan.results.append(
        .init(
          name: uses.names[index], type: "[UInt8]", code: own, place: pointer(function, index),
          limit: count))
      return
    }
    if use.kind == .text {
      plan.results.append(
        .init(
          name: uses.names[index], type: swift.string,
          code: "\(swift.string)(decoding: \(own).prefix { $0 != 0 }, as: UTF8.self)", isWhole: true))
    } else if element.type != element.imported, !isRecord(target) {
      plan.results.append(
        .init(
          name: uses.names[index], type: "[\(element.type)]",
          code: "\(own).map { \(element.type)(rawValue: $0.rawValue) }", isWhole: true))
    } else {
      plan.results.append(.init(name: uses.names[index], type: "[\(element.type)]", code: own, isWhole: true))
    }
  }

  /// The count itself, if C changes it to the number of elements that it has written.
  private func changed(_ count: String, _ function: Library.Function, _ uses: Uses) -> String? {
    PointerUse.names(in: count).contains { name in
      function.index(of: name).map { library.resolved(function.parameters[$0].type).pointee != nil } ?? false
    } ? count : nil
  }

  /// The name of a pointer in the key of its line.
  func pointer(_ function: Library.Function, _ index: Int) -> String { Choices.name(function, index) }

  func contradiction(_ function: Library.Function, _ index: Int, _ reason: String) -> Unwrapped {
    contradiction(function, Choices.name(function, index), reason)
  }

  func contradiction(_ function: Library.Function, _ name: String, _ reason: String) -> Unwrapped {
    var error = Unwrapped(reason, name)
    error.isContradiction = true
    return error
  }
}
