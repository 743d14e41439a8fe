/// A type of C.
indirect enum CType: Hashable, Sendable {
  /// A name: of a built-in type, of a typedef, or with its tag (`struct stat`).
  case named(String, isConst: Bool)
  case pointer(CType, isConst: Bool)
  case array(CType, count: Int?)
  case function(CFunction)

  static let void = CType.named("void", isConst: false)

  var isConst: Bool {
    switch self {
    case .named(_, let isConst), .pointer(_, let isConst): isConst
    case .array(let element, _): element.isConst
    case .function: false
    }
  }

  /// The same without `const` at its outermost level.
  var withoutConst: CType {
    switch self {
    case .named(let name, _): .named(name, isConst: false)
    case .pointer(let pointee, _): .pointer(pointee, isConst: false)
    case .array, .function: self
    }
  }

  var pointee: CType? {
    switch self {
    case .pointer(let pointee, _): pointee
    case .array(let element, _): element
    default: nil
    }
  }

  var isVoid: Bool { if case .named("void", _) = self { true } else { false } }
}

/// The signature of a function.
struct CFunction: Hashable, Sendable {
  var result: CType
  var parameters: [CParameter]
  var isVariadic = false
  /// True if the header says that the result is never NULL.
  var isResultNonnull = false
}

/// A header's annotation about NULL: `_Nonnull` or `_Nullable`.
enum Nullability {
  case nonnull
  case nullable
}

/// A parameter of a function.
struct CParameter: Hashable, Sendable {
  var name: String
  var type: CType
  var nullability: Nullability?
  /// True if it is declared as an array: `int values[3]`.
  var isArray = false
  /// True if the header says how many elements the array has: `char tag[40]`, or a typedef of an array.
  var isSized = false

  /// True if the header says that it is never NULL: then Swift imports it without a question mark.
  var isNonnull: Bool { nullability == .nonnull }
}

extension CType: CustomStringConvertible {
  var description: String { spelled("") }

  /// C's spelling of a declaration of `name` with this type.
  func spelled(_ name: String) -> String {
    switch self {
    case .named(let base, let isConst):
      return (isConst ? "const " : "") + base + (name.isEmpty ? "" : " " + name)
    case .pointer(let pointee, let isConst):
      let inner = "*" + (isConst ? "const" + (name.isEmpty ? "" : " ") : "") + name
      switch pointee {
      case .function, .array: return pointee.spelled("(" + inner + ")")
      default: return pointee.spelled(inner)
      }
    case .array(let element, let count):
      return element.spelled(name + "[" + (count.map { "\($0)" } ?? "") + "]")
    case .function(let function):
      var list = function.parameters.map { $0.type.spelled($0.name) }
      if function.isVariadic { list.append("...") }
      return function.result.spelled(name + "(" + (list.isEmpty ? "void" : list.joined(separator: ", ")) + ")")
    }
  }
}
