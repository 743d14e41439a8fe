/// How Swift imports C's types.
struct SwiftTypes {
  let library: Library
  /// The module of the C types.
  var module = ""

  private static let basics = [
    "char": "CChar", "signed char": "Int8", "unsigned char": "UInt8", "short": "Int16", "unsigned short": "UInt16",
    "int": "Int32", "unsigned int": "UInt32", "long": "Int", "unsigned long": "UInt", "long long": "Int64",
    "unsigned long long": "UInt64", "float": "Float", "double": "Double", "_Bool": "Bool", "bool": "Bool",
  ]
  private static let special = [
    "size_t": "Int", "ssize_t": "Int", "int8_t": "Int8", "uint8_t": "UInt8", "int16_t": "Int16", "uint16_t": "UInt16",
    "int32_t": "Int32", "uint32_t": "UInt32", "int64_t": "Int64", "uint64_t": "UInt64", "intptr_t": "Int",
    "uintptr_t": "UInt", "ptrdiff_t": "Int",
  ]
  private static let unavailable: Set<String> = [
    "va_list", "__builtin_va_list", "__gnuc_va_list", "long double", "__int128", "unsigned __int128", "_Complex",
    "_BitInt", "unsigned _BitInt", "__float128", "__bf16", "jmp_buf", "sigjmp_buf",
  ]

  /// A type, and its properties.
  struct Imported {
    var text: String
    /// The value that stands for nothing.
    var zero: String
    /// True for a plain value that may cross threads.
    var isValue: Bool
    /// True if the text names a type of the library's module.
    var isOfLibrary = false
  }

  /// The type of a parameter.
  func imported(_ parameter: CParameter) -> Imported? {
    guard var type = imported(parameter.type) else { return nil }
    if parameter.isNonnull, type.text.hasSuffix("?") { type.text.removeLast() }
    return type
  }

  /// The type of a value as a parameter or a result; nil if Swift doesn't import it.
  func imported(_ type: CType) -> Imported? {
    switch type {
    case .named(let name, _): return imported(name)
    case .function: return nil
    case .array(let element, _): return imported(.pointer(element, isConst: false))
    case .pointer(let pointee, _):
      guard let text = pointer(to: pointee) else { return nil }
      return Imported(text: text.text + "?", zero: "nil", isValue: false, isOfLibrary: text.isOfLibrary)
    }
  }

  /// The code for a call whose result has a question mark, as the code that uses it expects.
  func optional(_ call: String, _ function: Library.Function) -> String {
    guard function.isResultNonnull, let type = imported(function.result)?.text, type.hasSuffix("?") else { return call }
    return "(\(call) as \(type))"
  }

  /// False for a value without a type in Swift, which then has no type for a function with such a parameter, either.
  func isPassable(_ type: CType) -> Bool {
    guard case .named(let name, _) = library.resolved(type) else { return true }
    if name.hasPrefix("struct ") || name.hasPrefix("union ") {
      guard case .named(let own, _) = type else { return true }
      return library.complete.contains(name) || library.complete.contains(own)
    }
    return !Self.unavailable.contains(name) && !name.contains("_Complex")
  }

  private func imported(_ name: String) -> Imported? {
    var current = name
    for _ in 0..<32 {
      if Self.unavailable.contains(current) || current.contains("_Complex") { return nil }
      if let text = Self.special[current] { return Imported(text: text, zero: "0", isValue: true) }
      if let text = Self.basics[current] {
        return Imported(text: text, zero: text == "Bool" ? "false" : "0", isValue: true)
      }
      if current == "void" { return Imported(text: "Void", zero: "()", isValue: true) }
      if current.hasPrefix("enum ") {
        let own = name.hasPrefix("enum ") ? String(name.dropFirst(5)) : name
        if own.contains("(") || own.isEmpty || library.isUnknownEnum(current) { return nil }
        // `enum kind` beside `typedef short kind`: the name is ambiguous in Swift.
        if let index = library.typedefIndex[own], case let other = library.resolved(library.typedefs[index].type),
          case .named(let text, _) = other, !text.hasPrefix("enum "), name.hasPrefix("enum ")
        {
          return nil
        }
        return Imported(text: self.own(own), zero: "zero()", isValue: true, isOfLibrary: true)
      }
      if current.hasPrefix("struct ") || current.hasPrefix("union ") {
        guard library.complete.contains(current) || library.complete.contains(name) else { return nil }
        let own = name.split(separator: " ").last.map(String.init) ?? name
        if own.contains(")") { return nil }
        // `typedef struct option *option`, or a typedef of another struct, makes the name ambiguous.
        if let index = library.typedefIndex[own] {
          guard case .named(let other, _) = library.resolved(library.typedefs[index].type), other == current else {
            return nil
          }
        }
        return Imported(text: self.own(own), zero: ".init()", isValue: false, isOfLibrary: true)
      }
      guard let index = library.typedefIndex[current],
        !["vector_size", "vector_type"].contains(where: { library.typedefs[index].declaration.type.has($0) })
      else { return nil }
      switch library.typedefs[index].type {
      case .named(let next, _):
        if next == current { return nil }
        // An unnamed enum or struct has the typedef's name.
        if next.contains("(unnamed") || next.contains("(anonymous") {
          return Imported(
            text: self.own(current), zero: next.hasPrefix("enum") ? "zero()" : ".init()",
            isValue: next.hasPrefix("enum"), isOfLibrary: true)
        }
        current = next
      case .pointer:
        guard let text = imported(library.typedefs[index].type) else { return nil }
        return text
      case .array, .function: return nil
      }
    }
    return nil
  }

  /// The code for a value of an enum of C from its number. An enum of Swift has an optional initializer, which never returns nil
  /// for an enum of C.
  func value(of type: String, _ number: String) -> String {
    let name = type.filter { $0 != "`" }.split(separator: ".").last.map(String.init) ?? type
    return "\(type)(rawValue: \(number))" + (library.style(ofEnum: name) == .cases ? "!" : "")
  }

  /// The pointer to a type, without its question mark.
  private func pointer(to pointee: CType) -> (text: String, isOfLibrary: Bool)? {
    let target = library.resolved(pointee)
    let isConst = pointee.isConst || target.isConst
    switch target {
    case .function, .array: return nil
    case .named(let name, _):
      if name == "struct __va_list_tag" || name == "struct __va_list" { return nil }
      if name == "void" { return (isConst ? "UnsafeRawPointer" : "UnsafeMutableRawPointer", false) }
      if library.isUnknownEnum(name) { return ("OpaquePointer", false) }
      if name.hasPrefix("struct ") || name.hasPrefix("union ") {
        var written = name
        if case .named(let own, _) = pointee { written = own }
        if !library.complete.contains(name), !library.complete.contains(written) { return ("OpaquePointer", false) }
      }
    default: break
    }
    guard let inner = imported(pointee.withoutConst) else { return nil }
    return ((isConst ? "UnsafePointer<" : "UnsafeMutablePointer<") + inner.text + ">", inner.isOfLibrary)
  }

  /// The type of a C function pointer.
  func function(_ function: CFunction) -> Imported? {
    guard !function.isVariadic, let result = imported(function.result) else { return nil }
    var texts: [String] = []
    var isOfLibrary = result.isOfLibrary
    for parameter in function.parameters {
      guard let type = imported(parameter) else { return nil }
      texts.append(type.text)
      isOfLibrary = isOfLibrary || type.isOfLibrary
    }
    let text = "@convention(c) (" + texts.joined(separator: ", ") + ") -> " + result.text
    return Imported(text: text, zero: "nil", isValue: false, isOfLibrary: isOfLibrary)
  }

  /// The name of a type of C, with its module if the generated code uses a type of Swift with that name.
  func own(_ name: String) -> String {
    (Self.qualified.contains(name) && !module.isEmpty ? module + "." : "") + Self.escaped(name)
  }

  /// The types that generated code uses, other than those of the library, and their modules.
  static let modules: [String: String] = {
    let swift = [
      "Bool", "CChar", "CustomStringConvertible", "Double", "Error", "Float", "Hashable", "Int", "Int8", "Int16",
      "Int32", "Int64", "OpaquePointer", "OptionSet", "RawRepresentable", "Sendable", "Span", "String", "UInt",
      "UInt8", "UInt16", "UInt32", "UInt64", "UTF8", "UnsafeBufferPointer", "UnsafeMutableBufferPointer",
      "UnsafeMutablePointer", "UnsafeMutableRawPointer", "UnsafePointer", "UnsafeRawBufferPointer",
      "UnsafeRawPointer", "Void",
    ]
    let callbacks = [
      "BlockDisposable", "CallbackPlace", "Disposable", "ForeignCallback", "Inlet", "LentCallback", "OnceCallback",
      "Operation",
      "OverflowPolicy", "RepeatingCallback", "ScopedCallback", "Stream",
    ]
    return Dictionary(
      swift.map { ($0, "Swift") } + callbacks.map { ($0, "Callbacks") }, uniquingKeysWith: { first, _ in first })
  }()

  /// The names of types of C that are written with their module. Generated code has generic parameters of some names.
  static let qualified = Set(modules.keys).union(["Element", "Result", "Value"])

  /// The name that Swift imports a struct with.
  func importedName(_ record: Library.Record) -> String {
    own(record.spelling.split(separator: " ").last.map(String.init) ?? record.name)
  }

  /// True if C has a type of this name.
  func isTaken(_ name: String) -> Bool {
    library.typedefIndex[name] != nil || ["struct ", "union "].contains { library.complete.contains($0 + name) }
      || library.enumerations.contains { $0.name == name }
  }

  /// The name of Swift's strings. A type of the library can have the short one.
  var string: String { library.typedefIndex["String"] == nil ? "String" : "Swift.String" }

  static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum",
    "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
    "internal", "is", "let", "nil", "open", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "Self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
    "try",
    "typealias", "var", "where", "while", "Type", "Protocol", "Any", "await",
  ]

  static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// The path of a field, such as `events.default`.
  static func escapedPath(_ path: String) -> String {
    path.split(separator: ".").map { escaped(String($0)) }.joined(separator: ".")
  }

  /// The label of an argument in a call. There `inout` is the only keyword that needs backticks, and the others may not have them.
  static func label(_ name: String) -> String { name == "inout" ? "`inout`" : name }
}
