/// The memory that a program lends to C for a call.
extension SwiftWriter {
  /// A call with the memory that the program lends to the objects of the function. `own` is the object of the method.
  func lending(_ plan: FunctionPlan, _ own: String?, _ call: String) -> String {
    var call = own.map { lending($0, call) } ?? call
    for owner in plan.owners where owner.name != "self" && isLent(owner.handle) {
      guard let name = scopes[owner.handle]?.name else { continue }
      call = "\(name).lendingMemory(of: \(owner.name)) { \(call) }"
    }
    return call
  }

  /// A call with the memory that the program lends to an object.
  func lending(_ handle: String, _ call: String) -> String {
    isLent(handle) ? "lendingMemory { \(call) }" : call
  }

  /// Writes the memory that a program lends to an object.
  func writeLent(_ record: Library.Record, _ lent: [Property], _ code: inout Code) {
    for property in lent {
      code.gap()
      code.add("/// " + (property.comment.isEmpty ? "The field `\(property.name)`." : property.comment))
      let access = property.use?.kind == .output ? "public private(set) var" : "public var"
      let zero = property.type.hasPrefix("[") ? "[]" : "nil"
      code.add("\(access) \(SwiftTypes.escaped(property.name)): \(property.type) = \(zero)")
    }
    writeLending(record, nil, lent, types, &code)
    code.gap()
    code.add("private var isLending = false")
    code.gap()
    let name = objects?.handle(of: record).flatMap { scopes[$0]?.name } ?? "Self"
    code.add("/// Lends what an argument has, if there is one.")
    code.add("static func lendingMemory<Result>(of object: \(name)?, _ body: () -> Result) -> Result {")
    code.add("if let object { object.lendingMemory(body) } else { body() }\n}")
  }

  /// Writes the method that lends the memory to C for a call. `own` is the type of the struct in C, or nil for an object, which
  /// has its struct in one place.
  func writeLending(
    _ record: Library.Record, _ own: String?, _ properties: [Property], _ types: ValueTypes, _ code: inout Code
  ) {
    let source = own == nil ? "value.pointee" : "value"
    let counts = countFields(of: record)
    let fields = properties.compactMap { property in
      record.fields.first { $0.path == property.path }.map { (field: $0, property: property) }
    }
    code.gap()
    code.add("/// Lends what it has to C for a call, and takes what C has changed.")
    if let own {
      code.add("mutating func lending<Result>(_ body: (UnsafeMutablePointer<\(own)>) -> Result) -> Result {")
      code.add("var value = \(own)()")
    } else {
      code.add("func lendingMemory<Result>(_ body: () -> Result) -> Result {")
      code.add("// A callback of the call that runs has called: the memory is lent already.")
      code.add("if isLending { return body() }")
      code.add("isLending = true\ndefer { isLending = false }\nlet value = storedPointer")
    }
    for name in givenNumbers(record) {
      code.add(
        "precondition(self.\(SwiftTypes.escaped(name)) > 0, \"\(record.name) needs \(name), which is at least 1.\")")
    }
    let pointers = own == nil ? [] : keptPointers(of: record)
    for pointer in pointers { code.add("value.\(pointer.path) = \(pointer.name)") }
    for (field, property) in fields {
      if own != nil, let statement = setting(field, property, types), !statement.isEmpty { code.add(statement) }
    }
    for (path, count) in counts.sorted(by: { $0.key < $1.key }) {
      guard let property = fields.first(where: { $0.field.path == count.memory.path })?.property,
        property.use.map({ !isGivenByC(count.memory, $0) }) ?? true,
        let type = record.fields.first(where: { $0.path == path }).flatMap({ swift.imported($0.type)?.text })
      else { continue }
      let name = "self." + SwiftTypes.escaped(property.name)
      let product = count.factors.map { self.code($0, record, source) }.joined(separator: " * ")
      let divisor = count.factors.count > 1 ? "(\(product))" : product
      if !divisor.isEmpty {
        code.add("precondition(\(name).count % \(divisor) == 0,")
        code.add(
          "\"\(record.name).\(count.memory.path) needs a multiple of \(count.factors.joined(separator: "*").replacing("?", with: "")) elements.\")"
        )
      }
      let (place, number) = (
        "\(source).\(SwiftTypes.escapedPath(path))", "\(name).count\(divisor.isEmpty ? "" : " / \(divisor)")"
      )
      // A number of a few bits takes what fits, without a trap of its own.
      code.add("\(place) = \(type)(truncatingIfNeeded: \(number))\nprecondition(Int(\(place)) == \(number),")
      code.add("\"\(record.name).\(path) can't count so many elements of \(record.name).\(count.memory.path).\")")
    }
    var lending = Lending()
    for (field, property) in fields {
      guard let use = property.use, !isGivenByC(field, use) else { continue }
      let isCounted = counts.values.contains { $0.memory.path == field.path }
      lend(field, of: record, property, use, isCounted: isCounted, source, &lending)
    }
    for line in lending.before { code.add(line) }
    for closure in lending.closures { code.add((closure == lending.closures[0] ? "let result = " : "") + closure) }
    for line in lending.inside { code.add(line) }
    code.add("let result = body(\(own == nil ? "" : "&value"))")
    // While the memory exists, because C may have given a part of it.
    for (field, property) in fields where own != nil && property.use.map({ isGivenByC(field, $0) }) ?? true {
      code.add("self.\(SwiftTypes.escaped(property.name)) = \(property.code.replacing(Property.source, with: "value"))")
    }
    for line in lending.copied { code.add(line) }
    if own == nil {
      // C must not find the memory of this call in the next one.
      for (field, _) in fields { code.add("\(source).\(SwiftTypes.escapedPath(field.path)) = nil") }
    }
    for pointer in pointers { code.add("\(pointer.name) = value.\(pointer.path)") }
    if !lending.closures.isEmpty { code.add("return result") }
    for _ in lending.closures { code.add("}") }
    for line in lending.after { code.add(line) }
    code.add("return result\n}")
  }

  /// The parts of a method that lends memory.
  private struct Lending {
    var before: [String] = []
    var closures: [String] = []
    var inside: [String] = []
    var copied: [String] = []
    var after: [String] = []
  }

  /// Lends the memory of one field.
  private func lend(
    _ field: Library.Field, of record: Library.Record, _ property: Property, _ use: PointerUse, isCounted: Bool,
    _ source: String, _ lending: inout Lending
  ) {
    let name = "self." + SwiftTypes.escaped(property.name)
    let (memory, room) = (property.name + "Memory", property.name + "Room")
    let place = "\(source).\(SwiftTypes.escapedPath(field.path))"
    let isWritten = use.kind == .output || use.kind == .both
    lending.closures.append("\(memory).\(isWritten ? "withUnsafeMutableBytes" : "withUnsafeBytes") { \(memory) in")
    let start = pointer(to: "\(memory).baseAddress", field.type, isMutable: isWritten)
    guard use.kind != .text else {
      lending.before.append("let \(memory) = Array((\(name) ?? \"\").utf8) + [0]")
      // C may have set it to another text.
      let (text, copy) = (property.name + "Text", property.code.replacing(Property.source, with: source))
      lending.inside.append("let \(text) = \(name) == nil ? nil : \(start)\n\(place) = \(text)")
      lending.copied.append("if \(place) != \(text) { \(name) = \(copy) }")
      return
    }
    lending.inside.append("\(place) = \(start)")
    let count = code(use.count ?? "0", record, source)
    let element = element(field) ?? ("UInt8", "0")
    if use.kind == .both, use.used == nil {
      // C may have set it to memory of its own.
      let other = property.name + "Other"
      let elements =
        "UnsafeRawBufferPointer(start: \(place), count: \(place) == nil ? 0 : max(0, \(count)) * MemoryLayout<\(element.imported)>.stride)"
      lending.before.append("var \(other): [\(element.imported)]?")
      lending.copied.append(
        "if \(place) != \(start) { \(other) = [\(element.imported)](\(elements).bindMemory(to: \(element.imported).self)) }"
      )
      lending.after.append("if let \(other) { \(memory) = \(other) }")
    }
    if use.kind == .output {
      lending.before.append("let \(room) = max(0, \(count))")
      lending.before.append("var \(memory) = [\(element.imported)](repeating: \(element.zero), count: \(room))")
    } else {
      if !isCounted {
        lending.before.append("precondition(\(name).count >= \(count),")
        lending.before.append(
          "\"C reads \((use.count ?? "").replacing("?", with: "")) elements of \(record.name).\(field.path).\")")
      }
      lending.before.append("\(isWritten ? "var" : "let") \(memory) = \(name)")
    }
    let used = use.used.map {
      code($0, record, source, room: use.kind == .output ? room : "\(memory).count", isClamped: true)
    }
    if use.kind == .input {
      if let used { lending.after.append("\(name).removeFirst(min(\(name).count, max(0, \(used))))") }
      return
    }
    if let used {
      lending.after.append("\(memory).removeLast(\(memory).count - min(\(memory).count, max(0, \(used))))")
    }
    lending.after.append("\(name) = \(memory)")
  }
}
