/// Questions about types.
extension Library {
  /// True if the constants of an enum are unknown, so that Swift knows only pointers to it.
  func isUnknownEnum(_ name: String) -> Bool { announcedEnums.contains(name) && zeroConstants[name] == nil }

  /// True if zero is the success of an enum, so that its other numbers are failures.
  func namesSuccess(_ name: String) -> Bool {
    Words.split(zeroConstants[name] ?? "").contains { ["ok", "success"].contains($0) }
  }

  /// True if a struct, or one of its fields, is aligned to more than 16 bytes.
  func isOveraligned(_ declaration: Declaration) -> Bool {
    declaration.alignment > 16
      || declaration.inner.contains { member in
        if member.kind == "RecordDecl" { return member.name.isEmpty && isOveraligned(member) }
        guard member.kind == "FieldDecl" else { return false }
        return member.alignment > 16 || isOveraligned(type(member.type))
      }
  }

  private func isOveraligned(_ type: CType) -> Bool {
    switch type {
    case .array(let element, _): return isOveraligned(element)
    case .named(let name, _):
      if overaligned.contains(name) { return true }
      guard let index = typedefIndex[name] else { return false }
      return typedefs[index].declaration.alignment > 16 || isOveraligned(typedefs[index].type)
    case .function, .pointer: return false
    }
  }

  /// The function that a type of a pointer to one, or of one, stands for, and the name of its typedef.
  func function(_ type: CType) -> (function: CFunction, typedef: Typedef?)? {
    var type = type
    var last: Typedef?
    for _ in 0..<32 {
      switch type {
      case .function(let function): return (function, last)
      case .pointer(let pointee, _):
        type = pointee
        guard isFunction(type) else { return nil }
      case .named(let name, _):
        guard let index = typedefIndex[name] else { return nil }
        last = typedefs[index]
        type = typedefs[index].type
      case .array: return nil
      }
    }
    return nil
  }

  private func isFunction(_ type: CType) -> Bool {
    if case .function = resolved(type) { true } else { false }
  }

  /// True if a function's signature has a type that the header deprecates.
  func isDeprecated(_ function: CFunction) -> Bool {
    func isDeprecated(_ type: CType) -> Bool {
      switch type {
      case .named(let name, _):
        if deprecated.contains(name.split(separator: " ").last.map(String.init) ?? name) { return true }
        if let index = typedefIndex[name], case .named(let next, _) = typedefs[index].type, next != name {
          return deprecated.contains(next.split(separator: " ").last.map(String.init) ?? next)
        }
        return false
      case .pointer(let inner, _), .array(let inner, _): return isDeprecated(inner)
      case .function(let function): return self.isDeprecated(function)
      }
    }
    return isDeprecated(function.result) || function.parameters.contains { isDeprecated($0.type) }
  }

  /// True for a type of characters that are bytes: `xmlChar`.
  static func isCharacter(_ type: CType) -> Bool {
    guard case .named(let own, _) = type else { return false }
    return own.hasSuffix("Char") || own.hasSuffix("Char8")
  }

  /// True if what a pointer leads to is constant, by itself or by its typedef.
  func isConstant(_ target: CType) -> Bool { target.isConst || resolved(target).isConst }

  /// True for the numbers that count bytes.
  func isNumber(_ type: CType) -> Bool {
    guard case .named(let name, _) = resolved(type) else { return false }
    return ["int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"].contains(name)
  }

  /// True for whole numbers of any size.
  func isInteger(_ type: CType) -> Bool {
    guard case .named(let name, _) = resolved(type) else { return false }
    return isNumber(type) || ["short", "unsigned short", "unsigned char", "signed char"].contains(name)
  }

  /// True for a pointer to `void`, or to such a pointer.
  func isVoid(_ type: CType) -> Bool {
    guard let target = resolved(type).pointee.map({ resolved($0) }) else { return false }
    return target.isVoid || target.pointee.map { resolved($0).isVoid } ?? false
  }

  /// The text of a declaration, without the start of the next one.
  func code(of declaration: Declaration) -> String {
    // What is made up has none.
    guard declaration.begin.file == declaration.end.file, declaration.begin.offset >= 0 else { return "" }
    let source = headers.source(declaration.begin.file)
    var end = declaration.end.offset + declaration.endLength
    // clang ends a call of a macro at its name.
    if end < source.bytes.count, source.bytes[end] == UInt8(ascii: "("), declaration.kind == "EnumConstantDecl" {
      end += 1
    }
    // clang ends a declaration with `_Nullable` at its name.
    return source.code(from: declaration.begin.offset, to: source.balancedEnd(from: declaration.begin.offset, to: end))
  }

  func innerComments(of declaration: Declaration) -> String {
    guard declaration.begin.file == declaration.end.file, declaration.begin.offset >= 0 else { return "" }
    return headers.source(declaration.begin.file)
      .comments(from: declaration.begin.offset, to: declaration.end.offset + declaration.endLength)
  }

  /// The fields of an unnamed struct or union.
  func shared(_ record: Declaration, _ fields: [Field]) -> [Field] {
    fields.map { field in
      var field = field
      if record.tag == "union" { field.isShared = true }
      return field
    }
  }
}
