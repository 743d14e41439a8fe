/// Functions in the fields of structs that C makes, which a program calls: `db->put(db, key)`.
extension Library {
  /// The fields of a struct that are functions with the struct as their first parameter.
  func methods(of record: Record) -> [(field: Field, function: CFunction)] {
    if record.isUnion { return [] }
    return record.fields.compactMap { field in
      guard !field.isShared, !field.declaration.isDeprecated, let function = function(field.type)?.function,
        !function.isVariadic, let first = function.parameters.first, resolved(first.type).pointee != nil,
        isPointer(first.type, to: record)
      else { return nil }
      return (field, function)
    }
  }

  /// True for a struct that C makes with several such functions. A program may also make one, with functions of its own.
  func mayHaveMethods(_ record: Record) -> Bool {
    methods(of: record).count > 2
      && functions.contains { function in
        ([function.result] + function.parameters.compactMap { resolved($0.type).pointee }).contains {
          resolved($0).pointee != nil && isPointer($0, to: record)
        }
      }
  }

  /// Makes functions of the functions in a struct's fields, with names that begin with `name`. The fields are no callbacks then.
  func addMethods(of record: Record, _ name: String) {
    guard let place = records.firstIndex(where: { $0.spelling == record.spelling }) else { return }
    for (field, function) in methods(of: record) {
      let own = "\(name)_\(field.path.replacing(".", with: "_"))"
      if functionIndex[own] != nil { continue }
      // What ends an object has flags that hardly anyone needs: they are 0.
      let ends = Words.split(field.path).contains { ["close", "free", "destroy", "release", "abort"].contains($0) }
      let hasFlags = ends && function.parameters.dropFirst().allSatisfy { isNumber($0.type) }
      let parameters = hasFlags ? [function.parameters[0]] : function.parameters
      let list = parameters.enumerated().map { $1.type.spelled("argument\($0 + 1)") }.joined(separator: ", ")
      let arguments = function.parameters.indices.map { $0 < parameters.count ? "argument\($0 + 1)" : "0" }
      let head = function.result.spelled("\(own)(\(list))")
      let call = "argument1->\(field.path)(\(arguments.joined(separator: ", ")));"
      // A comment above the struct is not one of its fields.
      let comment = field.comment == record.comment ? "" : field.comment
      let declaration = Declaration()
      declaration.name = own
      declaration.hasBody = true
      declaration.location = field.declaration.location
      functions.append(
        Function(
          name: own, parameters: parameters, result: function.result, isVariadic: false,
          comment: comment, declaration: declaration,
          shim: "static inline \(head) { \(resolved(function.result).isVoid ? "" : "return ")\(call) }"))
      records[place].fields.removeAll { $0.path == field.path }
    }
    indexFunctions()
  }
}
