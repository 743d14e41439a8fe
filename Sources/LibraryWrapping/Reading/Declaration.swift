/// A place in a file that clang has read.
struct Location: Hashable {
  var file = ""
  var line = 0
  var offset = -1
}

/// What keeps Swift from a function that C code can call.
enum Obstacle: String {
  case unavailable = "The header makes it unavailable."
  case renamed = "The header gives it another name for Swift. Call it with the C module."
  case neverReturns = "It never returns. Call it with the C module."
  case returnsTwice = "It returns twice, which Swift does not allow."

  /// The meaning of an attribute of a function.
  init?(_ attribute: String) {
    switch attribute {
    case "UnavailableAttr": self = .unavailable
    case "SwiftNameAttr", "SwiftPrivateAttr": self = .renamed
    case "C11NoReturnAttr", "NoReturnAttr": self = .neverReturns
    case "ReturnsTwiceAttr": self = .returnsTwice
    default: return nil
    }
  }
}

/// A declaration of clang's syntax tree, with the parts that finding callbacks needs.
final class Declaration {
  var kind = ""
  var name = ""
  var type = ""
  var tag = ""
  var storage = ""
  var location = Location()
  var begin = Location()
  var end = Location()
  var endLength = 0
  /// True if it is defined in the source and not made up by the compiler.
  var isImplicit = false
  var isCompleteDefinition = false
  var isDeprecated = false
  /// Why Swift code can't call it, although C code can.
  var obstacle: Obstacle?
  /// True for an enum that Swift imports as an enum of its own, or as an option set.
  var isSwiftEnum = false
  var isOptionSet = false
  /// The bytes of the alignment that an attribute gives a struct, a field, or a typedef, or 0.
  var alignment = 0
  /// The `nonnull` attributes of a function.
  var nonnullAttributes: [Declaration] = []
  /// Whether a parameter has a `nonnull` attribute of its own, or a function a `returns_nonnull` attribute.
  var isNonnull = false
  var inner: [Declaration] = []
  /// True for a function that the header defines.
  var hasBody = false
  /// The parameters that the body of a function calls, stores, or passes on. It may only return, compare, or cast the others.
  var usedParameters: Set<String> = []

  /// The parameters of a function.
  var parameters: [Declaration] { inner.filter { $0.kind == "ParmVarDecl" } }
}
