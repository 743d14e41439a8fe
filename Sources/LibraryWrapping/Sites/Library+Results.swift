extension Library.Function {
  /// The number of the parameter with a name; one without a name is `argument1`, as in Swift.
  func index(of name: String) -> Int? {
    parameters.indices.first {
      parameters[$0].name == name || parameters[$0].name.isEmpty && name == "argument\($0 + 1)"
    }
  }

  /// The name of a parameter.
  func name(of index: Int) -> String {
    parameters[index].name.isEmpty ? "argument\(index + 1)" : parameters[index].name
  }
}

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

  /// The function that drops the only reference to what a registering function gives through a parameter: the slot of a
  /// registration. Nil if the type is something else.
  func slotRelease(_ type: CType) -> Function? {
    guard function(type) == nil, let inner = resolved(type).pointee, function(inner) == nil, !inner.isConst,
      let handle = Classifier.handle(inner, self),
      Words.split(handle).contains(where: { ["slot", "source", "registration", "subscription", "watch"].contains($0) })
    else { return nil }
    return functions.filter { other in
      other.parameters.count == 1 && Classifier.handle(other.parameters[0].type, self) == handle
        && ["unref", "free", "destroy", "release"].contains(Words.split(other.name).last ?? "")
    }.min { $0.name.count < $1.name.count }
  }

  /// The struct with a spelling, or with a tag: `stat` of `struct stat`.
  func record(_ name: String) -> Record? {
    records.first { $0.spelling == name || "struct " + $0.name == name }
  }

  /// True if a function takes the address of a pointer to an object first.
  func takesPlace(_ function: Function, of handle: String) -> Bool {
    guard let target = function.parameters.first.flatMap({ resolved($0.type).pointee }), !target.isConst,
      resolved(target).pointee != nil
    else { return false }
    return Classifier.handle(target, self) == handle
  }

  /// True for a struct itself, or a pointer to it.
  func isPointer(_ type: CType, to record: Record) -> Bool {
    let target = resolved(type).pointee ?? type
    guard case .named(let name, _) = resolved(target) else { return false }
    return name.hasPrefix("struct ") ? name.dropFirst(7) == record.name : name == record.name
  }

  /// True if a function takes a struct.
  func isTaken(_ record: Record) -> Bool {
    if let known = takenRecords[record.name] { return known }
    let isTaken = functions.contains { $0.parameters.contains { isPointer($0.type, to: record) } }
    takenRecords[record.name] = isTaken
    return isTaken
  }

  /// The function that frees what a struct leads to, so that its memory is C's.
  func freer(of record: Record) -> Function? {
    let freeing: Set<String> = ["free", "clear", "release", "destroy", "delete", "unref", "cleanup", "dispose"]
    return functions.first { function in
      guard function.parameters.count == 1, let target = resolved(function.parameters[0].type).pointee,
        !isConstant(target)
      else { return false }
      return isPointer(function.parameters[0].type, to: record)
        && Words.split(function.name).contains { freeing.contains($0) }
    }
  }

  /// The function that returns the number of the last error.
  var errorNumber: Function? {
    functions.first { function in
      guard function.parameters.isEmpty, case .named("int", _) = resolved(function.result) else { return false }
      return Words.split(function.name).last == "errno"
    }
  }

  static func isIdentifier(_ name: String) -> Bool {
    Words.split(name).contains { word in
      ["id", "ident", "identifier", "handle", "watch", "timer", "token", "cookie", "tag"].contains(word)
        || word.hasSuffix("id")
    }
  }
}
