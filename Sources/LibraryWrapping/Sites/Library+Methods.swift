/// Functions in the fields of structs that C makes, which a program calls: `db->put(db, key)`.
extension Library {
  /// The fields of a struct that are functions: those with the struct as their first parameter, or all.
  func methods(of record: Record, all: Bool = false) -> [(field: Field, function: CFunction)] {
    if record.isUnion { return [] }
    return record.fields.compactMap { field in
      guard !field.isShared, !field.declaration.isDeprecated, let function = function(field.type)?.function,
        !function.isVariadic, all || takesItself(function, record),
        !([function.result] + function.parameters.map(\.type)).contains(where: { $0.description.contains("(unnamed") })
      else { return nil }
      let typedef = self.function(field.type)?.typedef?.declaration
      return (field, SiteFinder.naming(function, code(of: typedef ?? field.declaration), self))
    }
  }

  private func takesItself(_ function: CFunction, _ record: Record) -> Bool {
    function.parameters.first.map { resolved($0.type).pointee != nil && isPointer($0.type, to: record) } ?? false
  }

  /// True for a struct that C makes with several such functions. A program may also make one, with functions of its own.
  func mayHaveMethods(_ record: Record, all: Bool = false) -> Bool {
    methods(of: record, all: all).count > 2
      && functions.contains { function in
        ([function.result] + function.parameters.compactMap { resolved($0.type).pointee }).contains {
          resolved($0).pointee != nil && isPointer($0, to: record)
        }
      }
  }

  /// Makes functions of the functions in a struct's fields, with names that begin with `name`. The fields are no callbacks then,
  /// and the struct is an object.
  func addMethods(of record: Record, _ name: String, all: Bool) {
    guard let place = records.firstIndex(where: { $0.spelling == record.spelling }) else { return }
    methodOwners.formUnion([record.spelling, record.name])
    let itself = CParameter(name: "", type: .pointer(.named(record.spelling, isConst: false), isConst: false))
    for (field, function) in methods(of: record, all: all) {
      var own = "\(name)_\(field.path.replacing(".", with: "_"))"
      while functionIndex[own] != nil || functions.contains(where: { $0.name == own }) { own += "_field" }
      let isGiven = takesItself(function, record)
      // What ends an object has flags that hardly anyone needs: they are 0.
      let ends = Words.split(field.path).contains { ["close", "free", "destroy", "release", "abort"].contains($0) }
      let hasFlags = isGiven && ends && function.parameters.dropFirst().allSatisfy { isNumber($0.type) }
      let given = hasFlags ? [function.parameters[0]] : function.parameters
      let parameters = isGiven ? given : [itself] + given
      let list = parameters.enumerated().map { $1.type.spelled("argument\($0 + 1)") }.joined(separator: ", ")
      let first = isGiven ? 1 : 2
      let arguments = function.parameters.indices.map { $0 < given.count ? "argument\($0 + first)" : "0" }
      let called = "wrap_method_" + own
      let head = function.result.spelled("\(called)(\(list))")
      let call = "argument1->\(field.path)(\(arguments.joined(separator: ", ")));"
      let isVoid = resolved(function.result).isVoid
      // An object that has no function to end it needs none.
      let missing =
        hasFlags && (isVoid || isNumber(function.result))
        ? "return\(isVoid ? "" : " 0");" : "wrap_missing(\"\(name)\", \"\(field.path)\");"
      let declaration = Declaration()
      declaration.name = own
      declaration.hasBody = true
      declaration.location = field.declaration.location
      var method =
        Function(
          name: own, parameters: parameters, result: function.result, isVariadic: false,
          comment: field.comment == record.comment ? "" : field.comment, declaration: declaration, wrapper: called,
          shim: "static inline \(head) { if (!argument1->\(field.path)) \(missing) \(isVoid ? "" : "return ")\(call) }")
      method.isOfTable = !isGiven
      functions.append(method)
      records[place].fields.removeAll { $0.path == field.path }
    }
    indexFunctions()
  }

  /// The function of the shim that ends a program which calls a function that a struct does not have.
  static let missing = """
    __attribute__((noreturn)) static inline void wrap_missing(const char *owner, const char *field) {
      fprintf(stderr, "%s->%s is NULL: this %s has no such function.\\n", owner, field, owner);
      abort();
    }
    """
}
