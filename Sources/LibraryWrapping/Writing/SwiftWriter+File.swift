/// The files of the module.
extension SwiftWriter {
  mutating func assemble() {
    var classes: [(scope: Scope, code: Code)] = []
    for key in order {
      guard let scope = scopes[key], !scope.members.isEmpty || scope.object != nil || !scope.functions.isEmpty else {
        continue
      }
      var code = Code()
      write(scope, &code)
      classes.append((scope, code))
    }
    classes = used(classes)
    var body = Code()
    // The end of an object can fail, too.
    let isThrown = classes.contains { $0.code.lines.contains { $0.contains("throws(\(failure))") } }
    if usesFailure || isThrown { writeFailure(&body) }
    for (scope, code) in classes where scope.object == nil {
      body.gap()
      body.add(code)
    }
    addShared(to: &body, all: body.lines + topLevel.lines + classes.flatMap(\.code.lines))
    let usesCallbacks = objects == nil || classes.contains { $0.scope.object == nil && !$0.scope.members.isEmpty }
    output.swift = file(body, usesCallbacks: usesCallbacks || !topLevel.isEmpty || !globalSlots.isEmpty)
    for (scope, code) in classes where scope.object != nil {
      let usesCallbacks = !scope.members.isEmpty || !scope.slots.isEmpty || scope.isConstructed || scope.isDriven
      output.files.append((scope.name, file(code, usesCallbacks: usesCallbacks, isDriven: scope.isDriven)))
    }
    let written = classes.flatMap(\.code.lines) + body.lines
    if objects != nil { assembleValues(Set(written.flatMap { Words.identifiers($0) })) }
    writeShim()
  }

  /// The classes that have a function or a callback, or that those name.
  private func used(_ classes: [(scope: Scope, code: Code)]) -> [(scope: Scope, code: Code)] {
    var kept = Set(
      classes.indices.filter { !classes[$0].scope.members.isEmpty || !classes[$0].scope.functions.isEmpty })
    var new = kept.map { classes[$0].code } + [topLevel]
    while let code = new.popLast() {
      let words = Set(code.lines.flatMap { Words.identifiers($0) })
      for index in classes.indices where !kept.contains(index) && words.contains(classes[index].scope.name[...]) {
        kept.insert(index)
        new.append(classes[index].code)
      }
    }
    return kept.sorted().map { classes[$0] }
  }

  /// The text of a file with its imports.
  private func file(_ body: Code, usesCallbacks: Bool, isDriven: Bool = false, exported: Substring? = nil) -> String {
    let taken = SwiftTypes.modules.keys.filter { swift.isTaken($0) }.sorted()
    let body = qualified(taken.reduce(body) { naming($1, in: $0) })
    var code = Code()
    code.add(Self.mark + " from \(library.headers.options.headers.joined(separator: ", ")).")
    code.add("// Change the choices beside this file and run it again; what is edited here is lost.")
    code.gap()
    code.add((namesLibraryTypes(body) ? "public import " : "import ") + cModule)
    if let exported { code.add("@_exported public import struct \(cModule).\(exported)") }
    // A function may take the context of a struct of callbacks.
    if usesCallbacks || !delegateContexts.isEmpty && namesAdapters(body) {
      code.add((namesAdapters(body) ? "public import " : "import ") + "Callbacks")
    }
    func uses(_ names: [String]) -> Bool { body.lines.contains { line in names.contains { line.contains($0) } } }
    if isDriven { code.add("import EventLoops") }
    if usesSystem && uses(["Glibc.", "strerror("]) || isDriven { code.add("import Glibc") }
    code.gap()
    code.add(body)
    return Self.nonisolated(code.text)
  }

  /// The beginning of each file that is written.
  static let mark = "// Written by wrap-library"

  /// The file with the types of values.
  private mutating func assembleValues(_ used: Set<Substring>) {
    var values = values(used)
    noteFields(used, values)
    values.gap()
    values.add(constants(names.prefix))
    values.gap()
    values.add(optionTypes)
    if values.isEmpty { return }
    // With MemberImportVisibility, a program reaches the fields of structs by this, and no other name of C.
    let structs = values.lines.filter { $0.hasPrefix("public typealias ") }
      .compactMap { $0.split { " .".contains($0) }.last }
    // An import cannot tell a struct from a function or a variable of the same name.
    let exported = structs.first { name in
      library.functionIndex[String(name)] == nil && !library.globals.contains { $0.path == name }
    }
    output.files.append((module + "Values", file(values, usesCallbacks: false, exported: exported)))
  }

  /// Names Swift's own type with its module, because the library has one of that name.
  private func naming(_ type: String, in body: Code) -> Code {
    Code(
      body.lines.map { line in
        if line.trimmed.hasPrefix("//") { return line }
        var result = ""
        var rest = line[...]
        while let found = rest.firstRange(of: type) {
          let before = rest[..<found.lowerBound].last ?? result.last
          let after = rest[found.upperBound...].first
          // `@Sendable` is an attribute.
          func isPart(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || "_.\"`@".contains($0) } ?? false
          }
          let isWhole = !isPart(before) && !(after.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false)
          result += rest[..<found.lowerBound] + (isWhole ? (SwiftTypes.modules[type] ?? "Swift") + "." : "") + type
          rest = rest[found.upperBound...]
        }
        return result + rest
      })
  }

  /// Calls of C functions, and values of C types, that a member has the name of say which module they mean.
  private func qualified(_ body: Code) -> Code {
    let members = usedMembers.values.flatMap(\.keys).map { String($0.prefix { $0 != "(" }) }
    // An initializer has no name that hides a function's.
    let types = importedNames.union(library.enumerations.map(\.name))
    let hidden = Set(members).filter { $0 != "init" && (library.functionIndex[$0] != nil || types.contains($0)) }
    if hidden.isEmpty { return body }
    return Code(
      body.lines.map { line in
        if line.trimmed.hasPrefix("//") { return line }
        var result = ""
        var word = ""
        for character in line {
          if character.isLetter || character.isNumber || character == "_" {
            word.append(character)
            continue
          }
          if character == "(", hidden.contains(word), !result.hasSuffix("func "), !result.hasSuffix(".") {
            result += cModule + "."
          }
          result += word
          result.append(character)
          word = ""
        }
        return result + word
      })
  }

  /// True if the public declarations name types of C.
  private func namesLibraryTypes(_ code: Code) -> Bool {
    var types: Set<Substring> = []
    for typedef in library.typedefs { types.insert(typedef.name[...]) }
    for name in library.complete { types.insert(name.split(separator: " ").last ?? "") }
    for name in library.zeroConstants.keys { types.insert(name.split(separator: " ").last ?? "") }
    // A class can have the name of its struct, which is then written with the module, as are these.
    types.subtract(SwiftTypes.qualified.map { $0[...] })
    types.insert(cModule[...])
    // The classes and values of the other files. An alias of a struct is a type of C.
    if objects != nil {
      types.subtract((scopes.values.map(\.name) + self.types.names).map { $0[...] })
      types.formUnion(self.types.records.values.map { $0[...] })
    }
    for line in code.lines {
      let words = line.trimmed.split(separator: " ")
      if let kind = words.firstIndex(where: { ["class", "struct", "enum"].contains($0) }), kind + 1 < words.count {
        types.remove(words[kind + 1].prefix { $0 != ":" })
      }
    }
    return code.lines.contains { line in
      // `Swift.String` is not the library's `String`.
      // What stands in a body of the same line is no part of the declaration.
      let text = (line.split(separator: "{").first.map(String.init) ?? line).trimmed.replacing("Swift.String", with: "")
      guard ["public ", "func ", "extension "].contains(where: { text.hasPrefix($0) }),
        !byteStructs.contains(where: { text == "extension \($0)" })
      else { return false }
      // Not the names of parameters, which a colon follows.
      let identifiers = text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":" || $0 == "`") }
      return identifiers.indices.contains { index in
        // Nor the name that is declared.
        let isDeclared = index > 0 && ["func", "var", "let"].contains(identifiers[index - 1])
        return !isDeclared && !identifiers[index].hasSuffix(":") && types.contains(identifiers[index])
      }
    }
  }

  private func namesAdapters(_ code: Code) -> Bool {
    code.lines.contains { line in
      line.trimmed.hasPrefix("public ")
        && ["Stream<", "Operation<", "Disposable", "Callback<"].contains { line.contains($0) }
    }
  }

  /// Adds what several classes use.
  private func addShared(to code: inout Code, all: [String]) {
    let hidden = objects == nil ? "private " : ""
    if !topLevel.isEmpty {
      code.gap()
      code.add(topLevel)
    }
    if !globalSlots.isEmpty {
      code.gap()
      code.add("// Places for callbacks that C calls without a context.")
      for slot in globalSlots { code.add("\(hidden)let \(slot) = CallbackPlace()") }
    }
    writeUsable(hidden, &code)
    writeHold(hidden, &code)
    writeByteStructs(&code)
    if all.contains(where: { $0.contains("zero()") }) {
      code.gap()
      code.add("/// The value that answers a call that is dropped.")
      code.add("\(hidden)func zero<Value: RawRepresentable>() -> Value where Value.RawValue: BinaryInteger {")
      code.add(
        "guard let value = Value(rawValue: 0) else { preconditionFailure(\"\\(Value.self) has no value of zero.\") }")
      code.add("return value\n}")
    }
    if usesFixed {
      code.gap()
      code.add("/// Memory for a struct that may not move.")
      code.add("\(hidden)final class FixedMemory<Value> {\nlet pointer: UnsafeMutablePointer<Value>")
      code.gap()
      code.add("init(_ pointer: UnsafeMutablePointer<Value>) { self.pointer = pointer }")
      code.gap()
      code.add("deinit { pointer.deallocate() }\n}")
    }
    writeKeptMemory(hidden, &code)
    writeSupport(hidden, &code)
  }

  private mutating func write(_ scope: Scope, _ code: inout Code) {
    code.gap()
    guard let handle = scope.handle else {
      code.add(
        scope.functions.isEmpty
          ? "/// Callbacks that belong to no object." : "/// Functions and callbacks that belong to no object.")
      code.add("public enum \(scope.name) {")
      code.add(scope.members)
      if !scope.members.isEmpty, !scope.functions.isEmpty { code.gap() }
      code.add(scope.functions)
      code.add("}")
      return
    }
    if let object = scope.object { return write(scope, object, &code) }
    let slots = scope.name + "Slots"
    code.add("/// The callbacks of a `\(handle)`.\n///")
    let maker =
      scope.isConstructed && !scope.slots.isEmpty
      ? "The closure of `init` makes the object, and you" : "You make the object and"
    if scope.isConsumed {
      code.add(
        "/// You make the object. Observe its callbacks before you pass it to the function that makes another object of it."
      )
      code.add("/// C destroys it then, and the subscriptions last until that other object is destroyed.")
    } else {
      code.add("/// \(maker) destroy it, after disposing the subscriptions to its callbacks.")
    }
    code.add("public final class \(scope.name) {")
    code.add("/// The object of the library.\npublic let pointer: \(scope.pointerType)")
    if scope.slots.isEmpty {
      code.gap()
      code.add(
        "/// Wraps an object of the library.\npublic init(_ pointer: \(scope.pointerType)) { self.pointer = pointer }")
    } else {
      code.add("private let slots: \(slots)")
      code.add("private let callback: ForeignCallback<\(slots)?>")
      code.gap()
      code.add("/// The context that all callbacks of the object share.")
      code.add("public var context: UnsafeMutableRawPointer { callback.context }")
      code.gap()
      if scope.isConstructed {
        code.add(
          "/// Wraps an object that `make` makes with the context, which `\(scope.note)` takes. Nil if that returns nil."
        )
        code.add("public init?(_ make: (_ context: UnsafeMutableRawPointer) -> \(scope.pointerType)?) {")
        code.add("let slots = \(slots)()\nlet callback = ForeignCallback<\(slots)?> { slots }")
        code.add("guard let pointer = make(callback.context) else { return nil }")
        code.add("self.pointer = pointer\nself.slots = slots\nself.callback = callback\n}")
      } else {
        code.add("/// Wraps an object of the library.")
        code.add("public init(_ pointer: \(scope.pointerType)) {")
        code.add("let slots = \(slots)()\nself.pointer = pointer\nself.slots = slots")
        code.add("callback = ForeignCallback<\(slots)?> { slots }\n}")
      }
    }
    writeContext(scope, &code)
    code.gap()
    code.add(scope.members)
    code.add("}")
    if !scope.slots.isEmpty { writeSlots(of: scope, &code) }
  }

  /// Writes the member that gives the object its context, before its first callback: not each object of a type may have one.
  func writeSlots(of scope: Scope, _ code: inout Code) {
    code.gap()
    code.add("/// The handlers that are there.")
    code.add("private final class \(scope.name)Slots: Sendable {")
    for slot in scope.slots { code.add("let \(SwiftTypes.escaped(slot)) = CallbackPlace()") }
    code.add("}")
  }

  private mutating func writeShim() {
    var shim = "\(Self.mark).\n#pragma once\n"
    for define in library.headers.options.defines {
      let parts = define.split(separator: "=", maxSplits: 1)
      shim += "#ifndef \(parts[0])\n#define \(parts[0]) \(parts.count > 1 ? String(parts[1]) : "1")\n#endif\n"
    }
    shim += "\n// Swift knows these types from its own modules.\n" + Headers.systemTypes + "\n"
    for header in library.headers.options.headers {
      shim += Files.exists(header) ? "#include \"\(include(header))\"\n" : "#include <\(header)>\n"
    }
    let functions = shims + library.functions.compactMap(\.shim) + constants() + (objects == nil ? [] : caseConstants())
    if !functions.isEmpty {
      let missing = functions.contains { $0.contains("wrap_missing(") }
      if missing || functions.contains(where: { $0.contains("va_list") }) {
        shim += "#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
      }
      shim +=
        "\n// Swift can't import these: global variables, variadic functions, and numbers that stand for functions.\n"
      shim += ((missing ? [Library.missing] : []) + functions).joined(separator: "\n") + "\n"
    }
    output.shim = shim
    let links = link.map { "  link \"\($0)\"\n" }.joined()
    output.moduleMap = "module \(cModule) [system] {\n  header \"shim.h\"\n\(links)  export *\n}\n"
  }
}

extension SwiftWriter {
  /// Functions for macros that cast a number to a callback, such as `SQLITE_TRANSIENT`.
  fileprivate func constants() -> [String] {
    castConstants().map { name, type in "static inline \(type) wrap_\(name)(void) { return \(name); }" }
  }

  /// The numbers of enums that Swift does not import as structs, with names that it imports as they are.
  fileprivate func caseConstants() -> [String] {
    library.enumerations.filter { $0.style != .constants && !$0.name.isEmpty }.map { enumeration in
      let numbers = enumeration.constants.map { "\(Library.shimName(of: $0.name)) = \($0.name)" }
      return "enum { \(numbers.joined(separator: ", ")) };"
    }
  }

  /// The macros that cast a number to a callback, and its type.
  func castConstants() -> [(name: String, type: String)] {
    let headers = library.headers
    var paths: [String] = []
    for typedef in library.typedefs where typedef.isInScope && !paths.contains(typedef.declaration.location.file) {
      paths.append(typedef.declaration.location.file)
    }
    return paths.flatMap { headers.source($0).castConstants }.filter { _, type in
      library.typedefIndex[type] != nil && library.function(.named(type, isConst: false)) != nil
    }
  }
}
