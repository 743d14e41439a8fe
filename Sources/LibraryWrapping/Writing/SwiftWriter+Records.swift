/// Structs with text, memory, and arrays, which Swift values copy.
extension SwiftWriter {
  /// A field as a property: its type, and the code that copies it from `SOURCE`.
  struct Property {
    var name: String
    var type: String
    var code: String
    var comment: String
    /// The field, and what a line of the choices says of it.
    var path = ""
    var use: PointerUse?

    static let source = "SOURCE"
  }

  /// The properties for the fields of a struct, and the names of the fields that have none.
  func properties(of record: Library.Record, _ types: ValueTypes) -> (properties: [Property], others: [String]) {
    var types = types
    // A value can't contain itself, so it has copies of those only that come before it.
    let earlier = Set(
      library.records.prefix { $0.spelling != record.spelling }.compactMap { types.copies[swift.importedName($0)] })
    types.copies = types.copies.filter { earlier.contains($0.value) }
    var properties: [Property] = []
    var others: [String] = []
    let lengths = lengths(of: record)
    var names: Set<String> = []
    let hidden = Set(lengths.values).union(isLent(record) ? countFields(of: record).keys : [:].keys)
    for field in record.fields where !hidden.contains(field.path) && !field.declaration.isDeprecated {
      let length = lengths[field.path]
      // A field `_` is nobody's.
      guard !field.isShared, !Words.split(field.path).isEmpty, let (type, code) = copy(field, of: record, length, types)
      else {
        others.append(field.path)
        continue
      }
      // Two fields can have one name in Swift: `data` and `Data`.
      var name = Self.name(field, of: record)
      while !names.insert(name).inserted { name += "C" }
      var comment = Self.sentence(of: field.comment) ?? ""
      // A comment above the struct is not one of its first field.
      if comment == Self.sentence(of: record.comment) { comment = "" }
      properties.append(
        Property(
          name: name, type: type, code: code, comment: comment, path: field.path,
          use: choices.field(field.path, of: record, in: library)?.memory))
    }
    return (
      properties, others + lengths.values.filter { path in record.fields.contains { $0.path == path && $0.isShared } }
    )
  }

  /// The name of a field in Swift.
  static func name(_ field: Library.Field, of record: Library.Record) -> String {
    let words = Words.split(field.path).filter { $0 != record.name.lowercased() }
    return Names.lower(words.isEmpty ? Words.split(field.path) : words)
  }

  /// The fields that are the lengths of others.
  func lengths(of record: Library.Record) -> [String: String] {
    var lengths: [String: String] = [:]
    let parameters = record.fields.map { CParameter(name: $0.path, type: $0.type) }
    let memories = parameters.indices.filter { isMemory(parameters[$0].type) }
    for index in memories {
      guard let length = library.namedLength(of: parameters[index], in: parameters) else { continue }
      lengths[parameters[index].name] = parameters[length].name
    }
    // `data` and `size`, of which there is one each.
    let open = memories.filter { lengths[parameters[$0].name] == nil && Self.isData(parameters[$0].name) }
    let counts = parameters.filter {
      ["len", "length", "size", "n", "nbytes"].contains($0.name) && library.isNumber($0.type)
    }
    if open.count == 1, counts.count == 1 { lengths[parameters[open[0]].name] = counts[0].name }
    // A `length` beside one text is that of the text.
    if memories.count == 1, counts.count == 1, ["len", "length"].contains(counts[0].name) {
      lengths[parameters[memories[0]].name] = counts[0].name
    }
    if let bytes = library.bytes(in: .named(record.spelling, isConst: false)) {
      lengths[bytes.memory.path] = bytes.length.path
    }
    return lengths.filter { choices.field($0.key, of: record, in: library) == nil }
  }

  private func isMemory(_ type: CType) -> Bool {
    guard let target = library.resolved(type).pointee, case .pointer = library.resolved(type),
      case .named(let name, _) = library.resolved(target)
    else { return false }
    return ["char", "unsigned char", "void"].contains(name)
  }

  /// True for a name of memory that need not end with a zero.
  private static func isData(_ name: String) -> Bool {
    Words.split(name).contains {
      [
        "data", "buf", "buffer", "bytes", "chunk", "contents", "payload", "body", "base", "ptr", "at", "start", "end",
        "next",
      ]
      .contains($0)
    }
  }

  /// False for memory that is not constant, and that its comment, or a name such as `tp` or `res_tab`, calls no text.
  private static func isText(_ field: Library.Field, of record: Library.Record) -> Bool {
    let own = sentence(of: field.comment) == sentence(of: record.comment) ? "" : field.comment.lowercased()
    let others: Set<String> = [
      "tab", "table", "priv", "dppriv", "bitmap", "array", "vec", "mem", "memory", "raw", "record", "pach",
    ]
    return field.path.count > 2 && !Words.split(field.path).contains { others.contains($0) }
      && ![
        "buffer", "table", "array", "bytes", "binary", "memory", "bitmap", "raw", "not 0 term", "not null", "not zero",
        "not nul",
      ].contains { own.has($0) }
  }

  private func copy(_ field: Library.Field, of record: Library.Record, _ length: String?, _ types: ValueTypes) -> (
    type: String, code: String
  )? {
    let source = "\(Property.source).\(SwiftTypes.escapedPath(field.path))"
    if let use = choices.field(field.path, of: record, in: library)?.memory {
      return copy(field, of: record, use, source)
    }
    switch library.resolved(field.type) {
    case .named:
      guard let imported = swift.imported(field.type.withoutConst), imported.text != "Void" else { return nil }
      if let own = types.enumerations[imported.text] { return (own, "\(own)(rawValue: \(source).rawValue)") }
      if let own = types.copies[imported.text] { return (own, "\(own)(copying: \(source))") }
      if let own = types.records[imported.text] { return (own, source) }
      return imported.isValue && !imported.isOfLibrary ? (imported.text, source) : nil
    case .array(let element, let count):
      // Swift does not import longer ones.
      guard let count, (1...4096).contains(count), case .named(let name, _) = library.resolved(element) else {
        return nil
      }
      if name == "char" {
        return (
          swift.string,
          "withUnsafeBytes(of: \(source)) { \(swift.string)(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }"
        )
      }
      guard let item = swift.imported(element.withoutConst), item.isValue, !item.isOfLibrary else { return nil }
      return (
        "[\(item.text)]", "withUnsafeBytes(of: \(source)) { [\(item.text)]($0.bindMemory(to: \(item.text).self)) }"
      )
    case .pointer(let target, _):
      guard case .named(let name, _) = library.resolved(target) else { return nil }
      if let length {
        let number = "\(Property.source).\(SwiftTypes.escapedPath(length))"
        if name == "char", !Self.isData(field.path) {
          let bytes = "UnsafeRawBufferPointer(start: $0, count: Int(\(number)))"
          return ("\(swift.string)?", "\(source).map { \(swift.string)(decoding: \(bytes), as: UTF8.self) }")
        }
        return (
          "[UInt8]", "[UInt8](UnsafeRawBufferPointer(start: \(source), count: \(source) == nil ? 0 : Int(\(number))))"
        )
      }
      if name == "char" || Library.isCharacter(target), !Self.isData(field.path),
        library.isConstant(target) || Self.isText(field, of: record)
      {
        return ("\(swift.string)?", "\(source).map { \(swift.string)(cString: $0) }")
      }
      guard library.isConstant(target), let imported = swift.imported(target.withoutConst),
        let own = types.copies[imported.text]
      else { return nil }
      return (own + "?", "\(source).map { \(own)(copying: $0.pointee) }")
    case .function: return nil
    }
  }

  /// True for a struct that Swift code can't read without pointers or tuples. What functions take stays as it is, because the
  /// program has to make it, unless it has pointers and a callback gives it.
  func needsCopy(_ record: Library.Record) -> Bool {
    if record.isUnion { return false }
    let isOpen = record.fields.contains { field in
      switch library.resolved(field.type) {
      case .pointer, .array: true
      // A struct in it that has to be copied.
      case .named(let name, _): library.record(name).map { $0.name != record.name && needsCopy($0) } ?? false
      case .function: false
      }
    }
    return isOpen
      && (!library.isTaken(record) || choices.hasFields(of: record, in: library)
        || hasPointers(record) && isGiven(record))
  }

  /// True if a callback gets it.
  private func isGiven(_ record: Library.Record) -> Bool {
    sites.contains { site in
      site.role.value == .callback
        && site.site.function.parameters.contains { parameter in
          guard library.isPointer(parameter.type, to: record) else { return false }
          guard let target = library.resolved(parameter.type).pointee else { return true }
          return library.isConstant(target)
        }
    }
  }

  /// True if its fields lead to other memory, so that a copy of it is none of that.
  func hasPointers(_ record: Library.Record) -> Bool {
    record.fields.contains { field in
      var type = library.resolved(field.type)
      while case .array(let element, _) = type { type = library.resolved(element) }
      guard case .named(let name, _) = type else { return true }
      return name.hasPrefix("struct ") || name.hasPrefix("union ")
    }
  }

  /// Writes the value that copies a struct, or that a program makes, too.
  func write(copyOf record: Library.Record, _ own: String, _ name: String, _ types: ValueTypes, _ code: inout Code) {
    // A struct with pointers can't be in a value that any thread may use.
    var types = types
    types.records = types.records.filter { types.plain.contains($0.key) }
    let (properties, others) = properties(of: record, types)
    let isLent = isLent(record)
    code.add("/// " + (Self.sentence(of: record.comment) ?? "A copy of the struct `\(own)` of C."))
    if !others.isEmpty {
      code.add("///")
      let list = others.map { "`\($0)`" }.joined(separator: ", ")
      for line in Self.wrapped("It has no copy of the fields that Swift can't know: \(list).") {
        code.add("/// " + line)
      }
    }
    let pointers = isLent ? keptPointers(of: record) : []
    code.add("public struct \(name)\(pointers.isEmpty ? ": Sendable" : "") {")
    for property in properties {
      code.gap()
      code.add("/// " + (property.comment.isEmpty ? "The field `\(property.name)`." : property.comment))
      if isLent {
        writeVariable(property, record, types, &code)
      } else {
        code.add("public let \(SwiftTypes.escaped(property.name)): \(property.type)")
      }
    }
    if isLent { writeGiven(record, &code) }
    for pointer in pointers { code.add("private var \(pointer.name): \(pointer.type) = nil") }
    code.gap()
    code.add("init(copying value: \(own)) {")
    for pointer in pointers { code.add("\(pointer.name) = value.\(pointer.path)") }
    for property in properties {
      code.add("self.\(SwiftTypes.escaped(property.name)) = \(property.code.replacing(Property.source, with: "value"))")
    }
    code.add("}")
    if isLent { writeLending(record, own, properties, types, &code) }
    code.add("}")
  }

  /// Lets a callback receive copies of structs instead of pointers to them.
  func copyRecords(_ classified: ClassifiedSite, _ plan: inout CallbackPlan) {
    for index in plan.values.indices {
      guard let number = plan.values[index].parameter else { continue }
      let type = classified.site.function.parameters[number].type
      let expression = plan.values[index].expression
      if isCounted(number, in: classified.site.function) { continue }
      // Several structs need a line.
      if classified.site.function.parameters[number].isArray { continue }
      if let target = library.resolved(type).pointee {
        guard library.isConstant(target), let text = swift.imported(target.withoutConst)?.text
        else { continue }
        let isOptional = plan.values[index].type.hasSuffix("?")
        if let own = types.copies[text] {
          plan.values[index].type = own + (isOptional ? "?" : "")
          plan.values[index].expression =
            isOptional ? "\(expression).map { \(own)(copying: $0.pointee) }" : "\(own)(copying: \(expression).pointee)"
        } else if let own = types.records[text], types.plain.contains(text) {
          plan.values[index].type = own + (isOptional ? "?" : "")
          plan.values[index].expression = expression + (isOptional ? "?" : "") + ".pointee"
        } else {
          continue
        }
      } else if let own = swift.imported(type).flatMap({ types.copies[$0.text] }) {
        plan.values[index].type = own
        plan.values[index].expression = "\(own)(copying: \(expression))"
      } else {
        continue
      }
      plan.values[index].isCopy = true
      plan.values[index].parameter = nil
    }
  }

  /// True if a number beside a pointer may say how many structs it leads to.
  private func isCounted(_ index: Int, in function: CFunction) -> Bool {
    guard library.resolved(function.parameters[index].type).pointee != nil else { return false }
    let counts: Set<String> = ["count", "num", "n", "cnt", "len", "length", "nmemb"]
    return [index - 1, index + 1].contains { beside in
      guard function.parameters.indices.contains(beside), library.isNumber(function.parameters[beside].type) else {
        return false
      }
      // A number after another pointer counts what that one leads to.
      if beside < index, beside > 0, library.resolved(function.parameters[beside - 1].type).pointee != nil {
        return false
      }
      let name = function.parameters[beside].name
      return Words.split(name).contains { counts.contains($0) }
        || Library.isCount(name, of: function.parameters[index].name)
        || name.isEmpty && function.parameters[index].name.isEmpty && beside < index
    }
  }

  /// A field that leads to another object, which belongs to this one.
  private mutating func object(field: Library.Field, of container: String) -> Property? {
    guard !field.isShared, library.function(field.type) == nil, let handle = Classifier.handle(field.type, library),
      let scope = scopes[handle], let object = scope.object, scope.slots.isEmpty,
      let text = swift.imported(field.type)?.text, text.hasSuffix("?")
    else { return nil }
    let isConst = text.hasPrefix("UnsafePointer<")
    let pointer = isConst ? "UnsafeMutablePointer(mutating: $0)" : "$0"
    let owned = object.release == nil ? "" : ", isOwned: false"
    scopes[handle]?.containers.insert(container)
    let source = "\(Property.source).\(SwiftTypes.escapedPath(field.path))"
    return Property(
      name: Names.lower(Words.split(field.path)), type: scope.name + "?",
      code: "\(source).map { \(scope.name)(\(pointer)\(owned)).asPart(of: self) }",
      comment: Self.sentence(of: field.comment) ?? "")
  }

  /// Adds a property for each field of an object that a program may know.
  mutating func writeFields() {
    for handle in objects?.handles ?? [] {
      guard scopes[handle]?.object != nil,
        let record = library.record(handle),
        !record.isUnion
      else { continue }
      var objects: [Property] = []
      for field in record.fields where !field.declaration.isDeprecated {
        if let property = object(field: field, of: handle) { objects.append(property) }
      }
      var values = properties(of: record, types).properties
      // A field with a line has a property, also if another member has its name.
      for index in values.indices where values[index].use != nil {
        let used = Set((usedMembers[handle] ?? [:]).keys.map { String($0.prefix { $0 != "(" }) })
          .union(Self.own).union(values.indices.filter { $0 != index }.map { values[$0].name })
        while used.contains(values[index].name) { values[index].name += "C" }
        if isLent(handle), isLent(values[index], record) {
          usedMembers[handle, default: [:]][values[index].name] = record.name
        }
      }
      let lent = isLent(handle) ? values.filter { isLent($0, record) } : []
      if !lent.isEmpty {
        var code = Code()
        writeLent(record, lent, &code)
        scopes[handle]?.functions.gap()
        scopes[handle]?.functions.add(code)
      }
      for property in values + objects where !lent.contains(where: { $0.name == property.name }) {
        let used = usedMembers[handle] ?? [:]
        let names = used.keys.map { $0.prefix { $0 != "(" } }
        if names.contains(property.name[...]) || Self.own.contains(property.name) { continue }
        usedMembers[handle, default: [:]][property.name] = record.name
        var code = Code()
        code.add("/// " + (property.comment.isEmpty ? "The field `\(property.name)`." : property.comment))
        code.add("public var \(SwiftTypes.escaped(property.name)): \(property.type) {")
        let value = property.code.replacing(Property.source, with: "pointer.pointee")
        code.add(
          setter(property, value, record, isFixed: scopes[handle]?.object?.isFixed == true).map {
            "get { \(value) }\n\($0)\n}"
          } ?? value + "\n}")
        scopes[handle]?.functions.gap()
        scopes[handle]?.functions.add(code)
      }
    }
  }
}
