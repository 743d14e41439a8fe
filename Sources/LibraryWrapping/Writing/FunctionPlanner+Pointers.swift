/// Pointers of which a line of the choices, or the header, says what they lead to.
extension FunctionPlanner {
  /// What is known of a function's pointers.
  struct Uses {
    /// By the numbers of the parameters.
    var pointers: [Int: (use: PointerUse, frees: String?)] = [:]
    /// The parameters that are counts of elements, by their numbers: the pointers that determine them.
    var counts: [Int: (pointer: Int, factor: Int)] = [:]
    /// The parameters through which C gives such a count.
    var hidden: Set<Int> = []
    /// The other parameters that are lengths: the memory that each is the length of.
    var lengths: [Int: Int] = [:]
    /// The names of the Swift parameters.
    var names: [String] = []
  }

  /// Finds what is known of the pointers of a function. `names` are those of the Swift parameters.
  func uses(_ function: Library.Function, _ names: [String]) -> Uses {
    var uses = Uses(names: names)
    for index in function.parameters.indices where library.resolved(function.parameters[index].type).pointee != nil {
      let choice = choices.pointer(function, index, in: library)
      if let use = choice?.memory ?? choice?.frees.map({ _ in PointerUse(.text) }) ?? inferred(function, index) {
        uses.pointers[index] = (use, choice?.frees)
      }
    }
    func isNumber(_ index: Int) -> Bool { swift.imported(function.parameters[index].type)?.zero == "0" }
    func place(_ name: String) -> Int? { function.index(of: name) }
    // What C reads has a length already.
    let reading = uses.pointers.filter { $0.value.use.kind != .output && $0.value.use.kind != .text }.map(\.key)
      .sorted()
    let writing = uses.pointers.keys.filter { !reading.contains($0) && !isGiven(function, $0) }.sorted()
    for index in reading + writing {
      guard let (name, factor) = uses.pointers[index]?.use.counted, let count = place(name), uses.counts[count] == nil
      else { continue }
      uses.counts[count] = (index, factor)
    }
    var given = uses.pointers.values.flatMap { PointerUse.names(in: $0.use.count) + PointerUse.names(in: $0.use.used) }
    if let own = choices.pointer(function, nil, in: library)?.memory { given += PointerUse.names(in: own.count) }
    for index in given.compactMap(place) where uses.counts[index] == nil && !isNumber(index) {
      if uses.pointers[index] == nil { uses.hidden.insert(index) }
    }
    return uses
  }

  /// True if C gives a pointer through the parameter: to memory of its own.
  private func isGiven(_ function: Library.Function, _ index: Int) -> Bool {
    library.resolved(function.parameters[index].type).pointee.map { library.resolved($0).pointee != nil } ?? false
  }

  /// Numbers, enums, and plain structs that are constant, and whose count stands beside them.
  private func inferred(_ function: Library.Function, _ index: Int) -> PointerUse? {
    let parameter = function.parameters[index]
    guard unit(parameter.type) == nil, let target = library.resolved(parameter.type).pointee,
      library.isConstant(target), library.function(parameter.type) == nil, object(parameter.type) == nil,
      let element = element(target), element.isPlain || !isRecord(target)
    else { return nil }
    let counts: Set<String> = ["count", "n", "num", "cnt", "nmemb", "len", "length"]
    let beside = [index + 1, index - 1].first { beside in
      guard function.parameters.indices.contains(beside), library.isNumber(function.parameters[beside].type) else {
        return false
      }
      let words = Words.split(function.parameters[beside].name)
      // A number after another pointer counts what that one leads to.
      if beside < index, beside > 0, library.resolved(function.parameters[beside - 1].type).pointee != nil {
        return false
      }
      return words.contains { counts.contains($0) } && !words.contains { ["size", "bytes"].contains($0) }
    }
    return beside.map { PointerUse(.input, count: function.parameters[$0].name) }
  }

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
      return Element(imported: value.text, type: own, zero: ".init(rawValue: 0)", isPlain: false)
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
    guard let (use, frees) = uses.pointers[index], let target = library.resolved(parameter.type).pointee else {
      return false
    }
    if use.kind != .null { try checkLending(function) }
    switch use.kind {
    case .null: plan.arguments.append("nil")
    case .input where use.count != nil: try lendElements(function, index, use, uses, &plan)
    case .both where use.count != nil, .output where use.count != nil && !isGiven(function, index),
      .text where use.count != nil && !isGiven(function, index):
      try writeElements(function, index, use, uses, &plan)
    case .output where isGiven(function, index), .text where isGiven(function, index):
      let pointer = swift.imported(target)?.text ?? "UnsafeMutableRawPointer?"
      plan.variables.append("var \(own): \(pointer.hasSuffix("?") ? pointer : pointer + "?")")
      plan.arguments.append("&" + own)
      plan.results.append(try given(target, use, own, uses.names[index], function, uses))
      if let frees, frees != "no" { plan.freed.append((frees, own, pointer.hasPrefix("UnsafePointer"))) }
    case .text:
      guard let unit = unit(parameter.type) else { throw contradiction(function, index, "It has no characters.") }
      let isOptional = self.isOptional(function, index)
      plan.parameters.append(.init(name: own, type: swift.string + (isOptional ? "?" : "")))
      plan.lending.append(isOptional ? "lending(text: \(own)) { \(own) in" : "\(own).withCString { \(own) in")
      let mutable = unit.isConst ? own : "UnsafeMutablePointer(mutating: \(own))"
      plan.arguments.append(
        unit.unit == .bytes || character(parameter.type) != "CChar"
          ? "UnsafeMutableRawPointer(mutating: \(own))\(isOptional ? "?" : "").assumingMemoryBound(to: \(character(parameter.type)).self)"
          : mutable)
    case .input, .output, .both:
      guard let element = element(target) else {
        throw contradiction(function, index, "It needs a number of elements, such as memory=\(use.kind.rawValue)[n].")
      }
      switch use.kind {
      case .input:
        plan.parameters.append(.init(name: own, type: element.type))
        let value =
          element.type == element.imported || isRecord(target) ? own : "\(element.imported)(rawValue: \(own).rawValue)"
        plan.lending.append("withUnsafePointer(to: \(value)) { \(own) in")
        plan.arguments.append(library.isConstant(target) ? own : "UnsafeMutablePointer(mutating: \(own))")
      case .both:
        plan.parameters.append(.init(name: own, type: "inout " + (isRecord(target) ? element.type : element.imported)))
        plan.arguments.append("&" + own)
      default:
        plan.variables.append("var \(own): \(element.imported) = \(element.zero)")
        plan.arguments.append("&" + own)
        let (type, code) = converted(target, element.imported, own)
        plan.results.append(.init(name: uses.names[index], type: type, code: code))
      }
    }
    return true
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
        if name == Choices.result { return "Int(result)" }
        return MacroValue.number(name, library.headers.macros).map(String.init) ?? name
      }
      let isPointer = library.resolved(function.parameters[index].type).pointee != nil
      if let memory = uses.lengths[index] {
        let isConst = unit(function.parameters[memory].type)?.isConst ?? true
        return isConst ? "\(SwiftTypes.escaped(uses.names[memory])).count" : "count"
      }
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
        "let \(own) = \(own).map { \(element.imported)(rawValue: $0.rawValue) }\(isEnded ? " + [\(element.zero)]" : "")"
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
  private func check(
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
    plan.checks.append(
      "precondition(\(own).count >= \(needed), \"\(function.name) reads \(count) elements of \(own).\")")
  }

  /// Plans elements that C writes, and reads before that if the use is `both`.
  private func writeElements(
    _ function: Library.Function, _ index: Int, _ use: PointerUse, _ uses: Uses, _ plan: inout FunctionPlan
  ) throws(Unwrapped) {
    let parameter = function.parameters[index]
    let own = SwiftTypes.escaped(uses.names[index])
    guard let target = library.resolved(parameter.type).pointee, let count = use.count, !library.isConstant(target)
    else { throw contradiction(function, index, "C can't write to it.") }
    let isBytes = unit(parameter.type) != nil
    guard let element = isBytes ? Element(imported: "UInt8", type: "UInt8", zero: "0", isPlain: true) : element(target)
    else { throw contradiction(function, index, "Swift does not import the type of its elements.") }
    plan.lending.append(
      isBytes ? "\(own).withUnsafeMutableBytes { \(own) in" : "\(own).withUnsafeMutableBufferPointer { \(own) in")
    let address = bound("\(own).baseAddress", parameter.type)
    plan.arguments.append(parameter.isNonnull ? "(\(address))!" : address)
    if use.kind == .both {
      check(own, function, use, uses, &plan, index)
      plan.parameters.append(.init(name: own, type: "inout [\(element.imported)]"))
    } else {
      if uses.counts.values.contains(where: { $0.pointer == index }) {
        if plan.parameters.contains(where: { $0.name == "upTo count" }) {
          throw Unwrapped("It writes into several memories.", pointer(function, index))
        }
        plan.parameters.append(.init(name: "upTo count", type: "Int"))
      }
      let size = code(count, function, uses, isBefore: true)
      let capacity = size.contains("-") ? "max(0, \(size))" : size
      plan.variables.append("var \(own) = [\(element.imported)](repeating: \(element.zero), count: \(capacity))")
    }
    if let used = use.used ?? changed(count, function, uses) {
      if used.hasPrefix(Choices.result) || PointerUse.names(in: used).contains(Choices.result) {
        plan.countsResult = true
      }
      plan.afterwards.append(Self.shortening(own, to: code(used, function, uses)))
    }
    if use.kind == .both { return }
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

  private func contradiction(_ function: Library.Function, _ index: Int, _ reason: String) -> Unwrapped {
    contradiction(function, function.parameters[index].name, reason)
  }

  func contradiction(_ function: Library.Function, _ name: String, _ reason: String) -> Unwrapped {
    var error = Unwrapped(reason, name)
    error.isContradiction = true
    return error
  }
}
