/// Lengths of memory, which stand beside a pointer to it.
extension Library {
  /// True if the type of a declaration, or its name, says that it is a length.
  func isLength(_ name: String, _ type: CType) -> Bool {
    guard isNumber(type) else { return false }
    if case .named("size_t", _) = type { return true }
    return Self.namesLength(name)
  }

  /// True for the length of the memory behind a pointer: `dataLength` of `data`, but not `stack_size`.
  func isLength(_ name: String, _ type: CType, of pointer: String) -> Bool {
    guard isLength(name, type) else { return false }
    let own = Words.split(pointer)
    return !Self.namesLength(name) || Words.split(name).allSatisfy { own.contains($0) || Self.namesLength($0) }
  }

  /// True if a name says that it is a length.
  static func namesLength(_ name: String) -> Bool {
    Words.split(name).contains {
      ["len", "length", "size", "buflen", "keylen", "namelen", "valuelen", "nbytes"].contains($0.lowercased())
    }
  }

  /// True for the numbers that count bytes.
  func isNumber(_ type: CType) -> Bool {
    guard case .named(let name, _) = resolved(type) else { return false }
    return ["int", "unsigned int", "long", "unsigned long"].contains(name)
  }
}
