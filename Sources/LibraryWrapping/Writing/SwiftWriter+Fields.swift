/// Structs of which lines of the choices tell what their pointers are, so that a program can make them.
extension SwiftWriter {
  /// True for a struct that a program makes, with memory that is lent to C for each call.
  func isLent(_ record: Library.Record) -> Bool {
    choices.hasFields(of: record, in: library) && !record.isUnion && objects?.handle(of: record) == nil
      && library.isTaken(record) && !hasFunctions(record) && library.freer(of: record) == nil
  }

  /// True for an object in one place, to which a program lends memory: a line says that C reads a field, or how much of the room
  /// it has left.
  func isLent(_ handle: String) -> Bool {
    guard objects?.byHandle[handle]?.isFixed == true, let record = library.record(handle) else { return false }
    return record.fields.contains { field in
      guard let use = choices.field(field.path, of: record, in: library)?.memory else { return false }
      return use.kind == .input || use.kind == .both || PointerUse.names(in: use.used).contains(PointerUse.room)
    }
  }

  /// The setter of an object's field, if a program may set it: what is in a struct that it has made, or the elements of memory
  /// that a line calls `inout`.
  func setter(_ property: Property, _ value: String, _ record: Library.Record, isFixed: Bool) -> String? {
    let place = "pointer.pointee." + SwiftTypes.escapedPath(property.path)
    if property.use?.kind == .both, let field = record.fields.first(where: { $0.path == property.path }),
      element(field) != nil, let count = property.use?.count
    {
      let number = code(count, record, "pointer.pointee")
      let message = "\(record.name).\(property.path) has \(count) elements."
      return
        "set {\nprecondition(newValue.count == \(number), \"\(message)\")\nguard let memory = \(place) else { return }\n"
        + "newValue.withUnsafeBytes {\nUnsafeMutableRawBufferPointer(start: memory, count: $0.count).copyMemory(from: $0)\n}\n}"
    }
    let isLent = objects?.handle(of: record).map { self.isLent($0) } ?? false
    guard isFixed, value == place, !isLent || countFields(of: record)[property.path] == nil else { return nil }
    return "set { \(place) = newValue }"
  }

  /// True for memory that a program lends to an object.
  func isLent(_ property: Property, _ record: Library.Record) -> Bool {
    guard let use = property.use, let field = record.fields.first(where: { $0.path == property.path }) else {
      return false
    }
    return !isGivenByC(field, use)
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
  }

  /// True for a struct of callbacks, which C keeps.
  private func hasFunctions(_ record: Library.Record) -> Bool {
    record.fields.contains { library.function($0.type) != nil }
  }

  /// Notes the fields for which lines have been obeyed, and the pointers of the structs in Swift for which there is none.
  /// `used` are the identifiers of the functions, and `values` is the code of the structs.
  mutating func noteFields(_ used: Set<Substring>, _ values: Code) {
    let used = used.union(values.lines.flatMap { Words.identifiers($0) })
    for record in library.records where !record.isUnion && !library.deprecated.contains(record.name) {
      let own = swift.importedName(record)
      let handle = objects?.handle(of: record)
      let isObject = handle != nil
      if handle.map({ scopes[$0]?.object == nil })
        ?? (library.isTaken(record) && (hasFunctions(record) || library.freer(of: record) != nil))
      {
        continue
      }
      let names = isObject ? [] : [types.copies[own], types.records[own]].compactMap(\.self)
      guard isObject || names.contains(where: { used.contains($0[...]) }) else { continue }
      let properties = properties(of: record, types).properties
      let known = Set(properties.map(\.path)).union(lengths(of: record).keys)
      // A program that makes the struct has no use for a copy.
      let isMade = !isObject && library.isTaken(record) && types.copies[own] == nil
      for field in record.fields where !field.isShared && !field.declaration.isDeprecated {
        if let line = choices.field(field.path, of: record, in: library)?.text.split(separator: " ").first {
          if known.contains(field.path) { output.fields.insert(String(line)) }
        } else if isMade || !known.contains(field.path), mayBeMemory(field, of: record) {
          output.openFields.append("\(choices.name(of: record, in: library)).\(field.path)")
        }
      }
    }
  }

  /// The fields that count what C reads, by their names: the memory that determines each, and what its count is divided by.
  func countFields(of record: Library.Record) -> [String: (memory: Library.Field, factors: [String])] {
    var counts: [String: (memory: Library.Field, factors: [String])] = [:]
    for field in record.fields {
      guard let use = choices.field(field.path, of: record, in: library)?.memory, use.kind != .output,
        let count = use.count, !count.contains(where: { "+-/".contains($0) })
      else { continue }
      let factors = count.split(separator: "*").map(String.init)
      let fields = factors.filter { factor in record.fields.contains { $0.path == factor } }
      guard fields.count == 1, counts[fields[0]] == nil else { continue }
      counts[fields[0]] = (field, factors.filter { $0 != fields[0] })
    }
    return counts
  }

  /// True for a pointer to text, or to memory that another field may count.
  private func mayBeMemory(_ field: Library.Field, of record: Library.Record) -> Bool {
    guard element(field) != nil, case .pointer(let target, _) = library.resolved(field.type),
      case .named(let name, _) = library.resolved(target)
    else { return false }
    let others: Set<String> = ["reserved", "user", "userdata", "opaque", "priv", "private", "context", "ctx", "userp"]
    if Words.split(field.path).contains(where: { others.contains($0) }) { return false }
    return name == "char" || record.fields.contains { library.isInteger($0.type) }
  }

  /// The type of an element of memory, for C and for Swift.
  private func element(_ field: Library.Field) -> (imported: String, zero: String)? {
    guard let target = library.resolved(field.type).pointee, case .named(let name, _) = library.resolved(target) else {
      return nil
    }
    if ["char", "unsigned char", "void"].contains(name) { return ("UInt8", "0") }
    guard let imported = swift.imported(target.withoutConst), imported.isValue || types.plain.contains(imported.text),
      types.enumerations[imported.text] == nil
    else { return nil }
    return (types.records[imported.text] ?? imported.text, imported.isOfLibrary ? ".init()" : imported.zero)
  }

  /// A field with a line as a value of Swift.
  func copy(_ field: Library.Field, of record: Library.Record, _ use: PointerUse, _ source: String) -> (
    type: String, code: String
  )? {
    if use.kind == .text, use.count == nil {
      return ("\(swift.string)?", "\(source).map { \(swift.string)(cString: $0) }")
    }
    guard let element = element(field), let count = use.kind == .output ? use.used ?? use.count : use.count else {
      return nil
    }
    // C does not know the numbers that the program gives, nor how much it had room for.
    let names = PointerUse.names(in: count)
    let isUnknown = !PointerUse.given(in: count).isEmpty || names.contains(PointerUse.room) && !isField("room", record)
    if isUnknown { return ("[\(element.imported)]", "[]") }
    let number = "\(source) == nil ? 0 : max(0, \(code(count, record, Property.source)))"
    if use.kind == .text {
      let bytes = "UnsafeRawBufferPointer(start: \(source), count: \(number))"
      return (swift.string, "\(swift.string)(decoding: \(bytes).prefix { $0 != 0 }, as: UTF8.self)")
    }
    if element.imported == "UInt8" {
      return ("[UInt8]", "[UInt8](UnsafeRawBufferPointer(start: \(source), count: \(number)))")
    }
    return (
      "[\(element.imported)]", "[\(element.imported)](UnsafeBufferPointer(start: \(source), count: \(number)))"
    )
  }

  private func isField(_ name: String, _ record: Library.Record) -> Bool {
    record.fields.contains { $0.path == name }
  }

  /// A number of elements in Swift. `source` has the fields, and the program the given numbers.
  private func code(
    _ expression: String, _ record: Library.Record, _ source: String, room: String = PointerUse.room
  ) -> String {
    PointerUse.replacing(expression) { name in
      if name == PointerUse.room, !isField(name, record) { return room }
      if isField(name, record) { return "Int(\(source).\(SwiftTypes.escapedPath(name)))" }
      return MacroValue.number(name, library.headers.macros).map(String.init) ?? "self."
        + SwiftTypes.escaped(given(name))
    }
  }

  private func given(_ name: String) -> String { Names.lower(Words.split(name)) }

  /// The numbers that the program gives.
  private func givenNumbers(_ record: Library.Record) -> [String] {
    var names: [String] = []
    for field in record.fields {
      guard let use = choices.field(field.path, of: record, in: library)?.memory else { continue }
      for name in PointerUse.given(in: use.count) + PointerUse.given(in: use.used) where !names.contains(given(name)) {
        names.append(given(name))
      }
    }
    return names
  }

  /// The pointers that C keeps in a struct from one call to the next: those without a line, to what is not constant.
  func keptPointers(of record: Library.Record) -> [(name: String, path: String, type: String)] {
    record.fields.compactMap { field in
      guard case .pointer(let target, _) = library.resolved(field.type), !library.isConstant(target),
        choices.field(field.path, of: record, in: library) == nil, !field.isShared,
        let type = swift.imported(field.type)?.text, type.hasSuffix("?")
      else { return nil }
      return (Names.lower(["kept"] + Words.split(field.path)), SwiftTypes.escapedPath(field.path), type)
    }
  }

  /// Writes the numbers that C does not have, and an initializer of a struct.
  func writeGiven(_ record: Library.Record, _ code: inout Code) {
    for name in givenNumbers(record) {
      code.gap()
      code.add(
        "/// A number that the struct of C does not have, and by which sizes of memory are multiplied. A call without it traps."
      )
      code.add("public var \(SwiftTypes.escaped(name)): Int = 0")
    }
    code.gap()
    code.add("/// Creates it with zeros, and without memory.\npublic init() {}")
  }

  /// Writes a property that a program sets, or C.
  func writeVariable(_ property: Property, _ record: Library.Record, _ types: ValueTypes, _ code: inout Code) {
    let name = SwiftTypes.escaped(property.name)
    guard let field = record.fields.first(where: { $0.path == property.path }) else { return }
    let access = setting(field, property, types) == nil ? "public private(set) var" : "public var"
    code.add("\(access) \(name): \(property.type) = \(zero(field, property))")
  }

  private func zero(_ field: Library.Field, _ property: Property) -> String {
    if property.type.hasSuffix("?") { return "nil" }
    if property.type.hasPrefix("[") { return "[]" }
    if property.type == swift.string { return "\"\"" }
    if case .named = library.resolved(field.type), let imported = swift.imported(field.type.withoutConst) {
      if types.enumerations[imported.text] != nil { return ".init(rawValue: 0)" }
      if !imported.isOfLibrary { return imported.zero }
      if types.copies[imported.text] != nil { return ".init(copying: .init())" }
    }
    return ".init()"
  }

  /// The statement that sets a field of C to what the program has set. Nil if C alone sets it, and empty for memory, which is
  /// lent.
  private func setting(_ field: Library.Field, _ property: Property, _ types: ValueTypes) -> String? {
    let name = "self." + SwiftTypes.escaped(property.name)
    let place = "value.\(SwiftTypes.escapedPath(field.path))"
    if let use = property.use { return use.kind == .output || use.kind == .text && use.count != nil ? nil : "" }
    switch library.resolved(field.type) {
    case .named:
      guard let imported = swift.imported(field.type.withoutConst), types.copies[imported.text] == nil else {
        return nil
      }
      if types.enumerations[imported.text] != nil {
        return "\(place) = \(swift.value(of: imported.text, "\(name).rawValue"))"
      }
      return "\(place) = \(name)"
    case .array:
      if property.type == swift.string {
        return "withUnsafeMutableBytes(of: &\(place)) { $0.copyBytes(from: \(name).utf8.prefix($0.count - 1)) }"
      }
      return "withUnsafeMutableBytes(of: &\(place)) { room in\n\(name).withUnsafeBytes { "
        + "room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(room.count))) }\n}"
    case .pointer, .function: return nil
    }
  }

  /// True if C writes to memory of its own.
  private func isGivenByC(_ field: Library.Field, _ use: PointerUse) -> Bool {
    use.kind == .output && library.resolved(field.type).pointee.map { library.isConstant($0) } == true
      || use.kind == .text && use.count != nil
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
      code.add("private func lendingMemory<Result>(_ body: () -> Result) -> Result {\nlet value = storedPointer")
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
      code.add(
        "\(source).\(SwiftTypes.escapedPath(path)) = \(type)(\(name).count\(divisor.isEmpty ? "" : " / \(divisor)"))")
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
    let used = use.used.map { code($0, record, source, room: use.kind == .output ? room : "\(name).count") }
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
