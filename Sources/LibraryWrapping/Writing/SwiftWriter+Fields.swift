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
    let isRoom = record.fields.contains { field in
      let count = choices.field(field.path, of: record, in: library)?.memory?.count
      return PointerUse.names(in: count).contains(property.path)
    }
    let message = "C has the memory that \(record.name).\(property.path) counts until its call returns."
    let check = isLent && isRoom ? "precondition(!isLending, \"\(message)\")\n" : ""
    return "set {\n\(check)\(place) = newValue\n}"
  }

  /// True for memory that a program lends to an object.
  func isLent(_ property: Property, _ record: Library.Record) -> Bool {
    guard let use = property.use, let field = record.fields.first(where: { $0.path == property.path }) else {
      return false
    }
    return !isGivenByC(field, use)
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
  func element(_ field: Library.Field) -> (imported: String, zero: String)? {
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
  func code(
    _ expression: String, _ record: Library.Record, _ source: String, room: String = PointerUse.room,
    isClamped: Bool = false
  ) -> String {
    PointerUse.replacing(expression) { name in
      if name == PointerUse.room, !isField(name, record) { return room }
      if isField(name, record) {
        // A number that says how much C has used can be the greatest one, for a failure.
        return "Int(\(isClamped ? "clamping: " : "")\(source).\(SwiftTypes.escapedPath(name)))"
      }
      return MacroValue.number(name, library.headers.macros).map(String.init) ?? "self."
        + SwiftTypes.escaped(given(name))
    }
  }

  private func given(_ name: String) -> String { Names.lower(Words.split(name)) }

  /// The numbers that the program gives.
  func givenNumbers(_ record: Library.Record) -> [String] {
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
    var names = Set(record.fields.map { Self.name($0, of: record) } + givenNumbers(record))
    return record.fields.compactMap { field in
      guard case .pointer(let target, _) = library.resolved(field.type), !library.isConstant(target),
        !library.isConstant(field.type), choices.field(field.path, of: record, in: library) == nil, !field.isShared,
        let type = swift.imported(field.type)?.text, type.hasSuffix("?")
      else { return nil }
      var name = Names.lower(["kept"] + Words.split(field.path))
      while !names.insert(name).inserted { name += "Pointer" }
      return (name, SwiftTypes.escapedPath(field.path), type)
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
  func setting(_ field: Library.Field, _ property: Property, _ types: ValueTypes) -> String? {
    let name = "self." + SwiftTypes.escaped(property.name)
    let place = "value.\(SwiftTypes.escapedPath(field.path))"
    if library.isConstant(field.type) { return nil }
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
  func isGivenByC(_ field: Library.Field, _ use: PointerUse) -> Bool {
    use.kind == .output && library.resolved(field.type).pointee.map { library.isConstant($0) } == true
      || use.kind == .text && use.count != nil
  }
}
