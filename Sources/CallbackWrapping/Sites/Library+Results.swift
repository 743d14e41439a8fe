/// Functions that take the results of others.
extension Library {
  /// True if `other` takes the number or the `void *` that a registering function returns. Its other parameters are those of that
  /// function.
  func takesResult(of function: Function, _ other: Function) -> Bool {
    let result = function.result.withoutConst
    let isPointer = resolved(result).pointee.map { resolved($0).isVoid } ?? false
    func isOwn(_ parameter: CParameter) -> Bool {
      function.parameters.contains { $0.type.withoutConst == parameter.type.withoutConst && $0.name == parameter.name }
    }
    let taken = other.parameters.filter { !isOwn($0) }
    guard let only = taken.first, taken.count == 1, only.type.withoutConst == result else { return false }
    if isPointer { return self.function(only.type) == nil }
    guard case .named(let name, _) = resolved(result), name == "int" else { return false }
    return Self.isIdentifier(only.name)
  }

  static func isIdentifier(_ name: String) -> Bool {
    Words.split(name).contains { word in
      ["id", "ident", "identifier", "handle", "watch", "timer", "token", "cookie", "tag"].contains(word)
        || word.hasSuffix("id")
    }
  }
}
