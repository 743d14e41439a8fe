extension SwiftWriter {
  /// A documentation comment: the summary from C's comment, the facts that the tool knows, and the C function.
  func documentation(_ classified: ClassifiedSite, _ code: inout Code, _ facts: String) {
    let site = classified.site
    let summary = Self.sentence(of: site.comment) ?? fallback(site)
    code.add("/// " + summary)
    code.add("///")
    for line in Self.wrapped(facts) { code.add("/// " + line) }
    code.add("/// C: `\(site.kind == .field ? site.key : site.owner)`.")
  }

  private func fallback(_ site: Site) -> String {
    switch site.kind {
    case .field: "C calls this through the field `\(site.name)`."
    case .typedef: "A callback of the type `\(site.owner)`."
    case .global: "C calls this through the variable `\(site.name)`."
    default: "C calls this through `\(site.owner)`."
    }
  }

  static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.count + word.count > 100 {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// The first sentence of a comment that says something, in one line.
  static func sentence(of comment: String) -> String? {
    let named = comment.split(separator: "\n").map(String.init).filter { line in
      // The comment begins with a heading such as `virErrorFunc:`.
      let text = line.trimmed
      return !(text.hasSuffix(":") && text.dropLast().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" })
    }
    let lines = named.drop { line in
      let text = line.trimmed
      return [
        "CAPI3REF", "METHOD:", "CONSTRUCTOR", "DESTRUCTOR", "Function:", "Section:", "====", "----", "@{", "@}",
        "\\defgroup", "@defgroup",
        "@name", "@file", "@ingroup", "\\ingroup", "@function", "@functypedef", "***", "___",
      ].contains { text.hasPrefix($0) }
        || !text.contains { $0.isLetter }
    }
    var text = lines.prefix(8).joined(separator: " ")
    for mark in ["@brief ", "\\brief ", "^", "**", "##"] {
      while let range = text.firstRange(of: mark) { text.removeSubrange(range) }
    }
    for mark in ["@", " \\param", "Parameters:", " - "] {
      if let range = text.firstRange(of: mark) { text = String(text[..<range.lowerBound]) }
    }
    text = String(text.filter { !"[]|`<>\\".contains($0) }).trimmed
    guard
      let end = text.firstRange(of: ". ")
        ?? (text.hasSuffix(".") ? text.index(before: text.endIndex)..<text.endIndex : nil)
    else {
      let short = text.prefix(110)
      guard short.count > 8, short.count == text.count else { return nil }
      return String(short.prefix(1)).uppercased() + short.dropFirst() + "."
    }
    let sentence = text[..<end.lowerBound]
    guard sentence.count > 8, sentence.count <= 110 else { return nil }
    return String(sentence.prefix(1)).uppercased() + sentence.dropFirst() + "."
  }

  // MARK: The files

  mutating func assemble() {
    var body = Code()
    assembleBody(&body)
    body = qualified(body)
    var code = Code()
    code.add("// Written by wrap-callbacks from \(library.headers.options.headers.joined(separator: ", ")).")
    code.add("// Change the choices beside this file and run it again; what is edited here is lost.")
    code.gap()
    code.add((namesLibraryTypes(body) ? "public import " : "import ") + cModule)
    code.add((namesAdapters(body) ? "public import " : "import ") + "Callbacks")
    let hasSlots = !globalSlots.isEmpty || scopes.values.contains { !$0.slots.isEmpty }
    if usesSystem { code.add("import Glibc") }
    if hasSlots { code.add("import Synchronization") }
    code.add(body)
    output.swift = code.text
    if objects != nil { assembleValues() }
    writeShim()
  }

  /// The file with the types of values.
  private mutating func assembleValues() {
    var values = values()
    values.gap()
    values.add(constants(names.prefix))
    if values.isEmpty { return }
    var code = Code()
    code.add("// Written by wrap-callbacks from \(library.headers.options.headers.joined(separator: ", ")).")
    code.gap()
    code.add((namesLibraryTypes(values) ? "public import " : "import ") + cModule)
    code.add(values)
    output.files.append((module + "Values", code.text))
  }

  /// Calls of C functions that a member has the name of say which module they mean.
  private func qualified(_ body: Code) -> Code {
    let members = usedMembers.values.flatMap(\.keys).map { String($0.prefix { $0 != "(" }) }
    let hidden = Set(members).filter { library.functionIndex[$0] != nil }
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
    // A class can have the name of its struct, which is then written with the module.
    types.insert(cModule[...])
    for line in code.lines {
      let words = line.trimmed.split(separator: " ")
      if let kind = words.firstIndex(where: { ["class", "struct", "enum"].contains($0) }), kind + 1 < words.count {
        types.remove(words[kind + 1].prefix { $0 != ":" })
      }
    }
    return code.lines.contains { line in
      // `Swift.String` is not the library's `String`.
      let text = line.trimmed.replacing("Swift.String", with: "")
      guard ["public ", "func ", "extension "].contains(where: { text.hasPrefix($0) }) else { return false }
      // Not the names of parameters, which a colon follows.
      let identifiers = text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":" || $0 == "`") }
      return identifiers.contains { !$0.hasSuffix(":") && types.contains($0) }
    }
  }

  private func namesAdapters(_ code: Code) -> Bool {
    code.lines.contains { line in
      line.trimmed.hasPrefix("public ")
        && ["Stream<", "Operation<", "Disposable", "ForeignCallback"].contains { line.contains($0) }
    }
  }

  private mutating func assembleBody(_ code: inout Code) {
    let hasSlots = !globalSlots.isEmpty || scopes.values.contains { !$0.slots.isEmpty }
    if usesFailure { writeFailure(&code) }
    for key in order {
      if let scope = scopes[key], !scope.members.isEmpty || scope.object != nil || !scope.functions.isEmpty {
        write(scope, &code)
      }
    }
    if !topLevel.isEmpty {
      code.gap()
      code.add(topLevel)
    }
    if !globalSlots.isEmpty {
      code.gap()
      code.add("// Contexts of callbacks that C calls without one.")
      for slot in globalSlots { code.add("private let \(slot) = Atomic<UInt>(0)") }
    }
    if hasSlots { writeSlots(&code) }
    if code.lines.contains(where: { $0.contains("zero()") }) {
      code.gap()
      code.add("/// The value that answers a call that is dropped.")
      code.add("private func zero<Value: RawRepresentable>() -> Value where Value.RawValue: BinaryInteger {")
      code.add(
        "guard let value = Value(rawValue: 0) else { preconditionFailure(\"\\(Value.self) has no value of zero.\") }")
      code.add("return value\n}")
    }
    if usesLending {
      code.gap()
      code.add("/// Lends a value to C for a call, or NULL.")
      code.add("private func lending<Value, Result>(")
      code.add("_ value: Value?, _ body: (UnsafePointer<Value>?) -> Result\n) -> Result {")
      code.add("guard let value else { return body(nil) }")
      code.add("return withUnsafePointer(to: value) { body($0) }\n}")
    }
    if usesLentText {
      code.gap()
      code.add("/// Lends a text to C for a call, or NULL.")
      code.add("private func lending<Result>(")
      code.add("text: \(swift.string)?, _ body: (UnsafePointer<CChar>?) -> Result\n) -> Result {")
      code.add("guard let text else { return body(nil) }")
      code.add("return text.withCString { body($0) }\n}")
    }
    if usesBytes {
      code.gap()
      code.add("/// The memory that C lends; empty if there is none.")
      code.add(
        "private func lentBytes(_ start: UnsafeRawPointer?, _ count: some BinaryInteger) -> UnsafeRawBufferPointer {")
      code.add("UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : max(0, Int(count)))\n}")
    }
  }

  private func write(_ scope: Scope, _ code: inout Code) {
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
  func writeContext(_ scope: Scope, _ code: inout Code) {
    if scope.contextSetters.isEmpty { return }
    code.gap()
    code.add("/// Gives the object its context, once.")
    code.add("private lazy var setsContext: Void = {")
    for setter in scope.contextSetters {
      let function = library.functionIndex[setter].map { library.functions[$0] }
      let isVoid = function.map { library.resolved($0.result).isVoid } ?? true
      code.add("\(isVoid ? "" : "_ = ")\(setter)(pointer, callback.context)")
    }
    code.add("}()")
  }

  func writeSlots(of scope: Scope, _ code: inout Code) {
    code.gap()
    code.add("/// The contexts of the handlers that are there.")
    code.add("private final class \(scope.name)Slots: Sendable {")
    for slot in scope.slots { code.add("let \(SwiftTypes.escaped(slot)) = Atomic<UInt>(0)") }
    code.add("}")
  }

  private func writeSlots(_ code: inout Code) {
    code.gap()
    code.add("extension Atomic where Value == UInt {")
    code.add("/// The context that is in here.")
    code.add(
      "fileprivate var context: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: load(ordering: .acquiring)) }"
    )
    code.gap()
    code.add("/// Replaces the context.")
    code.add(
      "fileprivate func claim(_ context: UnsafeMutableRawPointer) {\nstore(UInt(bitPattern: context), ordering: .releasing)\n}"
    )
    code.gap()
    code.add("/// Removes the context, unless another one has replaced it.")
    code.add("fileprivate func release(_ context: UnsafeMutableRawPointer) {")
    code.add(
      "_ = compareExchange(expected: UInt(bitPattern: context), desired: 0, ordering: .acquiringAndReleasing)\n}\n}")
  }

  /// How the shim names a header of yours: one in a path from here is included from beside the shim.
  private func include(_ header: String) -> String {
    let path = Files.resolved(header)
    if header.hasPrefix("/") { return path }
    let here = Files.resolved(".")
    let directory = folder.hasPrefix("/") ? folder : here + "/" + folder
    let from = "\(directory)/\(cModule)".split(separator: "/").filter { $0 != "." }
    let to = path.split(separator: "/")
    let shared = zip(from, to).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: from.count - shared) + to.dropFirst(shared).map(String.init))
      .joined(separator: "/")
  }

  private mutating func writeShim() {
    var shim = "// Written by wrap-callbacks.\n#pragma once\n"
    for define in library.headers.options.defines {
      let parts = define.split(separator: "=", maxSplits: 1)
      shim += "#ifndef \(parts[0])\n#define \(parts[0]) \(parts.count > 1 ? String(parts[1]) : "1")\n#endif\n"
    }
    shim += "\n// Swift knows these types from its own modules.\n" + Headers.systemTypes + "\n"
    for header in library.headers.options.headers {
      shim += Files.exists(header) ? "#include \"\(include(header))\"\n" : "#include <\(header)>\n"
    }
    let functions = shims + constants()
    if !functions.isEmpty {
      if functions.contains(where: { $0.contains("va_list") }) {
        shim += "#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
      }
      shim +=
        "\n// Swift can't import these: global variables, variadic functions, and numbers that stand for functions.\n"
      shim += functions.joined(separator: "\n") + "\n"
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

  /// The macros that cast a number to a callback, and its type.
  func castConstants() -> [(name: String, type: String)] {
    let headers = library.headers
    var paths: [String] = []
    for typedef in library.typedefs where typedef.isInScope && !paths.contains(typedef.declaration.location.file) {
      paths.append(typedef.declaration.location.file)
    }
    return paths.flatMap { headers.source($0).castConstants() }.filter { _, type in
      library.typedefIndex[type] != nil && library.function(.named(type, isConst: false)) != nil
    }
  }
}
