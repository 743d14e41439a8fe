/// The enumerations, structs, and constants of a whole library.
extension SwiftWriter {
  /// The Swift names of enumerations and structs, by the names that Swift imports them with.
  struct ValueTypes {
    var enumerations: [String: String] = [:]
    /// The structs whose fields a program knows.
    var records: [String: String] = [:]
    /// The values that copy structs with text, memory, or arrays. C gives those to the program.
    var copies: [String: String] = [:]
    /// Those of them that a program makes, too, because lines of the choices tell what their pointers are.
    var lent: [String: String] = [:]
    /// The structs that functions take, so that functions do not return copies.
    var taken: Set<String> = []
    /// The structs that lead to no other memory: an assignment copies all of them.
    var plain: Set<String> = []

    /// The copy that a function returns.
    func returned(_ text: String) -> String? { lent[text] ?? (taken.contains(text) ? nil : copies[text]) }

    var names: Set<String> { Set(enumerations.values).union(records.values).union(copies.values) }
  }

  func valueTypes() -> ValueTypes {
    var used = Set(scopes.values.map(\.name)).union(importedNames).union([failure, module + "Constant"])
    used.formUnion(library.enumerations.map { swift.own($0.name) })
    func name(_ own: String, _ suffix: String) -> String {
      var text = names.object(own)
      while !used.insert(text).inserted { text += suffix }
      return text
    }
    var enumerations: [String: String] = [:]
    for enumeration in library.enumerations where !enumeration.constants.isEmpty && !enumeration.name.isEmpty {
      let own = swift.own(enumeration.name)
      guard enumerations[own] == nil, !library.deprecated.contains(enumeration.name),
        swift.imported(.named("enum " + enumeration.name, isConst: false)) != nil
      else {
        continue
      }
      enumerations[own] = name(enumeration.name, "Kind")
    }
    var records: [String: String] = [:]
    for record in library.records where !record.name.isEmpty && objects?.handle(of: record) == nil {
      let own = record.spelling.split(separator: " ").last.map(String.init) ?? record.name
      // `struct _point` has the name of its typedef.
      let known =
        !own.hasPrefix("_") ? own : library.typedefs.first { $0.type.withoutConst.description == record.spelling }?.name
      guard let known, !known.hasPrefix("_"), !library.deprecated.contains(own), records[swift.own(own)] == nil else {
        continue
      }
      if swift.imported(.named(record.spelling, isConst: false)) == nil { continue }
      records[swift.own(own)] = name(known, "Value")
    }
    // An enum may have another name than its tag, too.
    for typedef in library.typedefs {
      guard case .named(let tag, _) = library.resolved(typedef.type), tag.hasPrefix("enum "),
        let name = enumerations[swift.own(String(tag.dropFirst(5)))]
      else { continue }
      let alias = swift.own(typedef.name)
      enumerations[alias] = enumerations[alias] ?? name
    }
    var types = ValueTypes(enumerations: enumerations, records: records)
    for record in library.records {
      let own = swift.importedName(record)
      if library.isTaken(record) { types.taken.insert(own) }
      if !record.isUnion, !hasPointers(record) { types.plain.insert(own) }
      guard let name = types.records[own], needsCopy(record) else { continue }
      types.copies[own] = name
    }
    // What a copy would have nothing of stays as it is.
    for record in library.records {
      let own = swift.importedName(record)
      guard let copy = types.copies[own] else { continue }
      if properties(of: record, types).properties.isEmpty {
        types.copies[own] = nil
      } else {
        types.records[own] = "Raw" + copy
        if isLent(record) { types.lent[own] = copy }
      }
    }
    // A struct may have another name in C than its tag.
    for typedef in library.typedefs {
      guard case .named(let tag, _) = library.resolved(typedef.type), tag.hasPrefix("struct ") else { continue }
      let (own, alias) = (swift.own(String(tag.dropFirst(7))), swift.own(typedef.name))
      if own == alias { continue }
      types.records[alias] = types.records[alias] ?? types.records[own]
      types.copies[alias] = types.copies[alias] ?? types.copies[own]
      types.lent[alias] = types.lent[alias] ?? types.lent[own]
      if types.taken.contains(own) { types.taken.insert(alias) }
      if types.plain.contains(own) { types.plain.insert(alias) }
    }
    return types
  }

  /// The enumerations, and the structs that `used`, the identifiers of the other files, have.
  func values(_ used: Set<Substring>) -> Code {
    var code = Code()
    var seen: Set<String> = []
    for enumeration in library.enumerations where !enumeration.name.isEmpty {
      guard let name = types.enumerations[swift.own(enumeration.name)], seen.insert(name).inserted else {
        continue
      }
      write(enumeration, name, &code)
    }
    // A copy may have others, which come before it.
    var used = used
    var copies: [Code] = []
    for record in library.records.reversed() {
      let own = swift.importedName(record)
      guard let name = types.copies[own], used.contains(name[...]), seen.insert(name).inserted else { continue }
      var copy = Code()
      write(copyOf: record, own, name, types, &copy)
      used.formUnion(copy.lines.flatMap { Words.identifiers($0) })
      copies.append(copy)
    }
    for copy in copies.reversed() {
      code.gap()
      code.add(copy)
    }
    let structs = library.records.map(swift.importedName).compactMap { own in types.records[own].map { (own, $0) } }
    for (own, name) in structs.sorted(by: { $0.1 < $1.1 }) where used.contains(name[...]) && seen.insert(name).inserted
    {
      code.gap()
      code.add("/// The struct `\(own)` of C.")
      code.add("public typealias \(name) = \(own)")
    }
    return code
  }

  private func write(_ enumeration: Enumeration, _ name: String, _ code: inout Code) {
    let own = swift.own(enumeration.name)
    code.gap()
    code.add("/// " + (Self.sentence(of: enumeration.comment) ?? "The constants of `\(enumeration.name)`."))
    code.add(
      "public struct \(name): \(enumeration.isFlags || enumeration.style == .options ? "OptionSet" : "RawRepresentable"), Hashable, Sendable {"
    )
    code.add("/// The value in C.\npublic let rawValue: \(own).RawValue")
    code.gap()
    code.add("/// Creates it from the value in C.")
    code.add("public init(rawValue: \(own).RawValue) { self.rawValue = rawValue }")
    var used: Set<String> = ["rawValue", "self", "Self", "Type", "init"]
    let shared = Self.shared(enumeration.constants.map(\.name))
    for constant in enumeration.constants {
      var words = Array(Words.split(constant.name).dropFirst(shared))
      if words.isEmpty { words = Words.split(constant.name) }
      // No name begins with a digit: `QR_MODE_8` is `mode8`.
      if words[0].first?.isNumber == true, shared > 0 { words.insert(Words.split(constant.name)[shared - 1], at: 0) }
      var member = Names.lower(words)
      while !used.insert(member).inserted { member += "C" }
      code.gap()
      code.add("/// " + (Self.sentence(of: constant.comment) ?? "`\(constant.name)`."))
      let isKeyword = SwiftTypes.keywords.contains(constant.name)
      // The constants of an enum of Swift have other names there.
      let number =
        enumeration.style == .constants
        ? "\(member == constant.name || isKeyword ? cModule + "." : "")\(SwiftTypes.escaped(constant.name)).rawValue"
        : "\(own).RawValue(truncatingIfNeeded: \(Library.shimName(of: constant.name)))"
      code.add("public static let \(SwiftTypes.escaped(member)) = Self(rawValue: \(number))")
    }
    code.add("}")
  }

  /// How many words the names have in common at their beginning.
  static func shared(_ names: [String]) -> Int {
    let words = names.map { Words.split($0) }
    guard let first = words.first, names.count > 1 else { return 0 }
    var count = 0
    while count < first.count - 1, words.allSatisfy({ $0.count > count + 1 && $0[count] == first[count] }) {
      count += 1
    }
    return count
  }

  /// The macros of the headers that are numbers.
  func constants(_ prefix: String) -> Code {
    let own = prefix.filter { $0 != "_" }.lowercased()
    let macros = library.headers.countedFiles.flatMap { library.headers.source($0).macroNames }.compactMap {
      name -> (name: String, value: Int)? in
      // Those of the header itself, and not of the library: `LIBRARY_H`, `HAVE_STDINT_H`, `__need_size_t`.
      if name.hasPrefix("_") || name.hasSuffix("_H") || name.hasPrefix("HAVE_") || name.hasSuffix("_INCLUDED") {
        return nil
      }
      return MacroValue.number(name, library.headers.macros).map { (name, $0) }
    }
    let named = Set(library.enumerations.filter { !$0.name.isEmpty }.flatMap(\.constants).map(\.name))
    // A macro of the same name hides the constant from C, and is another one for Swift.
    let hidden = Set(macros.map(\.name))
    let unnamed = library.enumerations.filter(\.name.isEmpty).flatMap(\.constants).filter { !hidden.contains($0.name) }
    var code = Code()
    var seen: Set<String> = []
    if macros.isEmpty, unnamed.isEmpty { return code }
    code.gap()
    code.add("/// The numbers that the headers define.\npublic enum \(module)Constant {")
    let values = macros.filter { !named.contains($0.name) }.map { macro in
      (macro.name, Int32(exactly: macro.value) == nil ? "Int" : "Int32", "= \(macro.value)")
    }
    for (constant, type, value) in values
      + unnamed.map({ constant in
        let type = constant.type == "int" ? "Int32" : "Int"
        return (constant.name, type, "{ \(type)(\(cModule).\(constant.name)) }")
      })
    {
      var words = Words.split(constant)
      if own.count > 0, words.first == own, words.count > 1 { words.removeFirst() }
      let name = Names.lower(words)
      guard seen.insert(name).inserted else { continue }
      code.gap()
      code.add("/// `\(constant)`.")
      code.add("public static \(value.hasPrefix("=") ? "let" : "var") \(SwiftTypes.escaped(name)): \(type) \(value)")
    }
    code.add("}")
    return code
  }
}
