/// A declaration in a header through which C takes, stores, or returns a pointer to a function.
struct Site {
  enum Kind: String {
    case parameter
    case field
    case global
    case result
    case typedef
    case argument
  }

  var kind: Kind
  var header: String
  var line: Int
  /// The function, struct, or typedef.
  var owner: String
  /// The name of the parameter, field, or global.
  var name: String
  /// The number of the parameter; of a callback's own parameter, that one's.
  var index: Int
  /// Its name in a file of choices: `function/index`, `struct.field`, or the name alone.
  var key: String
  var declared: CType
  var function: CFunction
  var typedef: String?
  /// True for arrays of callbacks, and for pointers through which C gives one.
  var isArray = false
  var isIndirect = false
  /// True if the header deprecates it.
  var isDeprecated = false
  /// The comments of the declaration, of its typedef, and of the parameter.
  var comment: String

  /// C's spelling of the callback.
  var signature: String { CType.function(function).spelled(name.isEmpty ? "callback" : name) }
}
