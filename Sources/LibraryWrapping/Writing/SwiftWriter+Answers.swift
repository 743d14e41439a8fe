/// What callbacks get and give through pointers, as lines of the choices tell.
extension SwiftWriter {
  /// Lets a callback receive what its pointers lead to, and answer what C gets through them.
  mutating func usePointers(_ classified: ClassifiedSite, _ plan: inout CallbackPlan) throws {
    let site = classified.site
    let lines = choices.pointers(of: site).sorted { $0.key < $1.key }
    if lines.isEmpty { return }
    var answers = Answers(
      result: plan.result,
      isSigned: plan.result.text.hasPrefix("Int")
        && !library.resolved(site.function.result).description.hasPrefix("unsigned"))
    // Numbers that Swift knows from the elements, and those that limit what it gives.
    var known: Set<Int> = []
    var limits: Set<Int> = []
    var counters: [Int: String] = [:]
    for (index, line) in lines {
      func fail(_ reason: String) -> WrappingError {
        WrappingError("The choice for \(line.key) does not fit. \(reason) Change its line.")
      }
      guard let place = plan.values.firstIndex(where: { $0.parameter == index }) else {
        throw fail("The callback does not get it.")
      }
      output.arguments.insert(line.key)
      if line.use.kind == .null {
        plan.values.remove(at: place)
        continue
      }
      let pointer = try pointer(index, line.use, site, plan, fail)
      let counts = PointerUse.names(in: line.use.count).compactMap { parameter($0, site) }
      if pointer.isGiven {
        if Choices.isResult(line.use.used, for: index, of: site.function), answers.values.contains(where: \.isCounted) {
          throw fail("C's result is the number of elements of another pointer.")
        }
        answers.values.append(given(pointer, line.use, counts, site, plan, plan.values[place].name))
        let counter = counter(index, line.use, counts, site)
        if let counter, let other = counters.updateValue(line.key, forKey: counter) {
          throw fail("C gets the number of elements of \(other) through \(Choices.name(site.function, counter)).")
        }
      }
      if pointer.isRead {
        let (type, code) = read(pointer, line.use)
        plan.values[place].type = type
        plan.values[place].expression = code
        plan.values[place].isCopy = true
        plan.values[place].parameter = nil
        if counts.count == 1 { known.formUnion(counts) }
      } else {
        plan.values.remove(at: place)
        limits.formUnion(counts)
      }
      if let counter = counter(index, line.use, counts, site), !counts.contains(counter) { known.insert(counter) }
    }
    for (counter, key) in counters.sorted(by: { $0.key < $1.key }) {
      guard let line = lines.first(where: { $0.key == counter })?.value, line.use.kind != .null else { continue }
      throw WrappingError(
        "The choice for \(line.key) does not fit. C gets the number of elements of \(key) through it. Remove its line.")
    }
    plan.values.removeAll { value in value.parameter.map { known.contains($0) && !limits.contains($0) } ?? false }
    // The room is a number, also behind a pointer.
    for index in limits where isPointer(index, site) {
      guard let place = plan.values.firstIndex(where: { $0.parameter == index }) else { continue }
      plan.values[place].type = numberType(index, site)
      plan.values[place].expression =
        "\(plan.names[index])\(mark(index, site)).pointee\(mark(index, site) == "?" ? " ?? 0" : "")"
      plan.values[place].isCopy = true
      plan.values[place].parameter = nil
    }
    if answers.values.isEmpty { return }
    plan.result = answers.answer
    plan.answers = answers
    usesStoring = true
    if answers.values.contains(where: \.isText) { usesGivenText = true }
  }

  /// A pointer that a callback gets.
  private struct Pointer {
    var index: Int
    /// The code for it.
    var code: String
    var mark: String
    /// The type of its elements, and their number.
    var item: String
    var count: String?
    var isBytes: Bool
    /// True if the callback reads what it leads to, and if it writes there.
    var isRead: Bool
    var isGiven: Bool
  }

  private func pointer(
    _ index: Int, _ use: PointerUse, _ site: Site, _ plan: CallbackPlan, _ fail: (String) -> WrappingError
  ) throws -> Pointer {
    let type = library.resolved(site.function.parameters[index].type)
    guard let target = type.pointee, case let text = library.resolved(target).withoutConst.description else {
      throw fail("It is no pointer.")
    }
    let isBytes = ["void", "unsigned char", "char"].contains(text)
    if use.kind == .text, !isBytes || text == "void" { throw fail("It has no characters.") }
    if isBytes, use.count == nil, use.kind != .text {
      throw fail("It needs a number of elements, such as memory=\(use.kind.rawValue)[n].")
    }
    let item = isBytes ? "UInt8" : swift.imported(target.withoutConst)?.text ?? "?"
    if item.hasSuffix("?") || item == "Void" { throw fail("Swift does not import the type of its elements.") }
    let isWritten = Choices.isWritten(use, type, library)
    if let record = library.record(text), hasPointers(record) {
      if isWritten || use.kind == .both { throw fail("What its elements lead to would be lost after the call.") }
      if objects == nil { throw fail("With --callbacks, what its elements lead to is not copied.") }
    }
    return Pointer(
      index: index, code: plan.names[index], mark: mark(index, site), item: item,
      count: use.count.map { number($0, site, plan) }, isBytes: isBytes, isRead: !isWritten,
      isGiven: isWritten || use.kind == .both)
  }

  /// What a closure gives C through a pointer.
  private func given(
    _ pointer: Pointer, _ use: PointerUse, _ counts: [Int], _ site: Site, _ plan: CallbackPlan, _ name: String
  ) -> Answers.Value {
    let type = types.records[pointer.item] ?? pointer.item
    var value = Answers.Value(
      name: name, pointer: pointer.code + pointer.mark, type: type, zero: "", room: pointer.count)
    value.isText = use.kind == .text
    if value.isText {
      value.type = swift.string
      value.zero = "\"\""
    } else if pointer.count != nil {
      value.type = "[\(type)]"
      // Without an answer, C keeps what it has.
      value.zero = pointer.isRead ? read(pointer, use).code : "[]"
    } else {
      let target = library.resolved(site.function.parameters[pointer.index].type).pointee ?? .void
      let zero = swift.imported(target.withoutConst)?.zero ?? ".init()"
      value.zero =
        pointer.isRead ? "\(pointer.code)\(pointer.mark).pointee\(pointer.mark.isEmpty ? "" : " ?? \(zero)")" : zero
      if zero.hasPrefix("."), !pointer.isRead { value.zero = type + "()" }
    }
    value.isCounted = Choices.isResult(use.used, for: pointer.index, of: site.function)
    // C gives the room through a pointer, and gets the number of elements there.
    if let counter = counter(pointer.index, use, counts, site) {
      value.counter = (plan.names[counter] + mark(counter, site), numberType(counter, site))
    }
    return value
  }

  /// The parameter through which C gets the number of elements.
  private func counter(_ index: Int, _ use: PointerUse, _ counts: [Int], _ site: Site) -> Int? {
    if use.count == nil || Choices.isResult(use.used, for: index, of: site.function) { return nil }
    return use.used.flatMap { parameter($0, site) } ?? counts.first { isPlace($0, site) }
  }

  /// A value or elements that a callback reads.
  private func read(_ pointer: Pointer, _ use: PointerUse) -> (type: String, code: String) {
    let start = pointer.code
    if use.kind == .text {
      if let count = pointer.count {
        return (swift.string, "\(swift.string)(decoding: lentBytes(\(start), \(count)), as: UTF8.self)")
      }
      return pointer.mark.isEmpty
        ? (swift.string, "\(swift.string)(cString: \(start))")
        : (swift.string + "?", "\(start).map { \(swift.string)(cString: $0) }")
    }
    let type = types.records[pointer.item] ?? pointer.item
    let copy = types.copies[pointer.item]
    guard let count = pointer.count else {
      guard let copy else { return (type + pointer.mark, "\(start)\(pointer.mark).pointee") }
      return pointer.mark.isEmpty
        ? (copy, "\(copy)(copying: \(start).pointee)") : (copy + "?", "\(start).map { \(copy)(copying: $0.pointee) }")
    }
    if pointer.isBytes { return ("[UInt8]", "[UInt8](lentBytes(\(start), \(count)))") }
    let length = pointer.mark.isEmpty ? count : "\(start) == nil ? 0 : \(count)"
    let buffer = "UnsafeBufferPointer(start: \(start), count: max(0, \(length)))"
    return copy.map { copy in ("[\(copy)]", "\(buffer).map { \(copy)(copying: $0) }") } ?? (
      "[\(type)]", "[\(type)](\(buffer))"
    )
  }

  private func parameter(_ name: String, _ site: Site) -> Int? {
    Choices.parameter(name, of: site.function)
  }

  private func isPointer(_ index: Int, _ site: Site) -> Bool {
    library.resolved(site.function.parameters[index].type).pointee != nil
  }

  /// True if the callback can write a number there.
  private func isPlace(_ index: Int, _ site: Site) -> Bool {
    library.resolved(site.function.parameters[index].type).pointee.map { !library.isConstant($0) } ?? false
  }

  private func mark(_ index: Int, _ site: Site) -> String { site.function.parameters[index].isNonnull ? "" : "?" }

  /// The type of a number, which may be behind a pointer.
  private func numberType(_ index: Int, _ site: Site) -> String {
    let type = site.function.parameters[index].type
    return swift.imported((library.resolved(type).pointee ?? type).withoutConst)?.text ?? "Int"
  }

  /// An expression of C in Swift.
  private func number(_ expression: String, _ site: Site, _ plan: CallbackPlan) -> String {
    PointerUse.replacing(expression) { name in
      guard let index = parameter(name, site) else {
        return MacroValue.number(name, library.headers.macros).map(String.init) ?? name
      }
      let mark = mark(index, site)
      if !isPointer(index, site) { return "Int(\(plan.names[index]))" }
      return "Int(\(plan.names[index])\(mark).pointee\(mark.isEmpty ? "" : " ?? 0"))"
    }
  }

  /// Lets a closure return a constant of an enum as the type that the program knows it by.
  func useOwnResult(_ plan: inout CallbackPlan) {
    let imported = plan.result.text
    guard let own = types.enumerations[imported] else { return }
    plan.result.text = own
    plan.result.zero = ".init(rawValue: 0)"
    plan.toC = { [swift] code in swift.value(of: imported, "\(code.has(" ?? ") ? "(\(code))" : code).rawValue") }
  }

  /// Hands the constants of enums over as those types.
  func useOwnTypes(_ plan: inout CallbackPlan) {
    for index in plan.values.indices where plan.values[index].parameter != nil {
      guard let own = types.enumerations[plan.values[index].type] else { continue }
      plan.values[index].type = own
      plan.values[index].expression = "\(own)(rawValue: \(plan.values[index].expression).rawValue)"
      plan.values[index].parameter = nil
    }
  }

  /// Notes the pointers of a callback for which a line would help.
  mutating func noteOpen(_ classified: ClassifiedSite, _ plan: CallbackPlan) {
    let types = ["UnsafeMutablePointer<", "UnsafePointer<", "UnsafeMutableRawPointer", "UnsafeRawPointer"]
    for value in plan.values {
      guard let index = value.parameter, types.contains(where: { value.type.hasPrefix($0) }) else { continue }
      let key = "\(classified.site.key)(\(Choices.name(classified.site.function, index)))"
      if !output.openArguments.contains(key) { output.openArguments.append(key) }
    }
  }
}
