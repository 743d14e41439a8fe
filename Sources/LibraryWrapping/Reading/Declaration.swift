/// A place in a file that clang has read.
struct Location: Hashable {
  var file = ""
  var line = 0
  var offset = -1
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
  /// True for an enum that Swift imports as an enum of its own, or as an option set.
  var isSwiftEnum = false
  var isOptionSet = false
  /// The bytes of the alignment that an attribute gives a struct, a field, or a typedef, or 0.
  var alignment = 0
  /// The `nonnull` attributes of a function.
  var nonnullAttributes: [Declaration] = []
  var inner: [Declaration] = []
  /// True for a function that the header defines.
  var hasBody = false
  /// The parameters that the body of a function calls, stores, or passes on. It may only return, compare, or cast the others.
  var usedParameters: Set<String> = []

  /// The parameters of a function.
  var parameters: [Declaration] { inner.filter { $0.kind == "ParmVarDecl" } }
}
