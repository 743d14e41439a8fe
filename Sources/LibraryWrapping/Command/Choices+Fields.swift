/// The lines about fields of structs that are pointers: `QRcode.data memory=out[width*width]`.
extension Choices {
  /// The line for a field.
  func field(_ path: String, of record: Library.Record, in library: Library) -> Choice? {
    if fields.isEmpty { return nil }
    return fields.first { key, _ in
      key.hasSuffix("." + path) && Self.isName(key.dropLast(path.count + 1), of: record, in: library)
    }?.value
  }

  /// True if there are lines for fields of a struct.
  func hasFields(of record: Library.Record, in library: Library) -> Bool {
    if fields.isEmpty { return false }
    return record.fields.contains { field($0.path, of: record, in: library) != nil }
  }

  /// True for the key of a line about a field, if the line is one about memory.
  static func isField(_ key: String) -> Bool {
    key.contains(".") && !key.contains("/") && !isOfCallback(key)
  }

  private static func isName(_ name: Substring, of record: Library.Record, in library: Library) -> Bool {
    if name == record.name || name == record.spelling.split(separator: " ").last { return true }
    return library.resolved(.named(String(name), isConst: false)).withoutConst.description == record.spelling
  }

  /// The struct and the field that a line is about. Nil if there is no such struct.
  func place(ofField key: String, _ library: Library) -> (record: Library.Record, field: Library.Field?)? {
    let owner = String(key.prefix { $0 != "." })
    let record = library.records.first { Self.isName(owner[...], of: $0, in: library) }
    let path = key.dropFirst(owner.count + 1)
    return record.map { ($0, $0.fields.first { $0.path == path }) }
  }

  /// Makes functions of the fields of structs for which a line says so: `DB methods`.
  mutating func addMethods(to library: Library, path: String) throws {
    for (key, choice) in bySite.sorted(by: { $0.value.line < $1.value.line }) where choice.hasMethods {
      func fail(_ message: String) -> WrappingError { WrappingError("\(path):\(choice.line): \(message)") }
      if let other = choice.options.first(where: { $0 != "methods" }) {
        let option = other == "skip" ? other : other + "="
        throw fail("\(option) is no choice beside methods. Remove it from the line of \(key).")
      }
      guard let record = place(ofField: key + ".", library)?.record else {
        throw fail("The headers have no struct \(key) whose fields are known.")
      }
      if library.methods(of: record, all: choice.hasOnlyMethods).isEmpty {
        throw fail(
          choice.hasOnlyMethods || library.methods(of: record, all: true).isEmpty
            ? "\(key) has no functions. Remove the line."
            : "\(key) has no functions that take it first. Write \(key) methods=all for the others, or remove the line."
        )
      }
      // The lines of the callbacks that these functions were before.
      for (field, _) in library.methods(of: record, all: choice.hasOnlyMethods) {
        bySite["\(record.name).\(field.path)"] = nil
      }
      library.addMethods(of: record, key, all: choice.hasOnlyMethods)
    }
  }

  /// The name of a struct in the keys of the lines about its fields: that of a typedef, if the other one is for the library itself.
  func name(of record: Library.Record, in library: Library) -> String {
    if !record.name.isEmpty, !record.name.hasPrefix("_"), !record.name.hasSuffix("_") { return record.name }
    return library.typedefs.first { library.resolved($0.type).withoutConst.description == record.spelling }?.name
      ?? record.name
  }

  /// True for characters that a zero can end.
  private static func isText(_ target: CType, _ library: Library) -> Bool {
    guard case .named(let name, _) = library.resolved(target) else { return false }
    return ["char", "signed char", "unsigned char"].contains(name)
  }

  /// Checks that a line about a field fits the headers.
  func checkField(_ key: String, _ choice: Choice, _ library: Library, _ fail: (String) -> WrappingError) throws {
    let owner = String(key.prefix { $0 != "." })
    guard let (record, found) = place(ofField: key, library) else {
      throw fail("The headers have no struct \(owner) whose fields are known.")
    }
    guard let field = found else {
      throw fail("\(owner) has no field \(key.dropFirst(owner.count + 1)). Write STRUCT.FIELD.")
    }
    guard let target = library.resolved(field.type).pointee, case .pointer = library.resolved(field.type),
      library.function(field.type) == nil
    else { throw fail("\(key) is no pointer to memory. Remove the line.") }
    guard let use = choice.memory, choice.frees == nil, choice.type == nil else {
      throw fail("The choice for a field is memory=. Remove the others from the line of \(key).")
    }
    for (other, line) in fields where line.line < choice.line {
      if let (place, same) = place(ofField: other, library), place.spelling == record.spelling, same?.path == field.path
      {
        throw fail("\(key) is the field of line \(line.line), \(other). Remove one of them.")
      }
    }
    if use.kind == .text, !Self.isText(target, library) {
      throw fail("\(key) has no characters, so it is no text. Correct the line, or remove it.")
    }
    if field.isShared { throw fail("\(key) shares its memory with other fields, and no line tells when it is used.") }
    if use.kind == .null { throw fail("A field without a line is NULL for C. Remove the line of \(key).") }
    if use.kind == .kept { throw fail("Write memory=in[\(use.count ?? "n")] for a field that C reads.") }
    if use.count == nil, use.kind != .text {
      throw fail("\(key) needs a number of elements, such as memory=\(use.kind.rawValue)[n].")
    }
    if use.count == PointerUse.end { throw fail("\(key) needs a number of elements: no other element ends them.") }
    if use.kind == .both, library.isConstant(target) { throw fail("\(key) is constant, so C can't write to it.") }
    let given = PointerUse.given(in: use.count) + PointerUse.given(in: use.used)
    for used in PointerUse.names(in: use.count) + PointerUse.names(in: use.used) where !given.contains(used) {
      let number = record.fields.first { $0.path == used }
      if let number, !library.isInteger(number.type) { throw fail("\(owner).\(used) is no number.") }
      let isKnown =
        number != nil || MacroValue.number(used, library.headers.macros) != nil
        || used == PointerUse.room && PointerUse.names(in: use.used).contains(used)
      if !isKnown {
        throw fail(
          "\(owner) has no field \(used), and no macro is the number \(used). Write \(used)? for a number that the program gives."
        )
      }
    }
    if let other = given.first(where: { name in record.fields.contains { $0.path == name } }) {
      throw fail("\(owner) has the field \(other). Write it without the question mark.")
    }
    for name in given {
      let own = Names.lower(Words.split(name))
      let other = record.fields.first { SwiftWriter.name($0, of: record) == own }
      if let other { throw fail("\(name)? has the name of the field \(other.path) in Swift. Choose another one.") }
      if own.isEmpty { throw fail("\(name)? is no name in Swift. Choose another one.") }
    }
    if let factor = use.uselessFactor(library), !record.fields.contains(where: { $0.path == factor }) {
      throw fail("\(use.written) multiplies or divides by \(factor), which is not positive.")
    }
  }
}
