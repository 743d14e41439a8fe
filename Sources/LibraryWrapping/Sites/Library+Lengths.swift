/// Lengths of memory, which stand beside a pointer to it.
extension Library {
  /// Notes that a parameter is declared as an array, also by a typedef, which its type no longer tells.
  func markArray(_ parameter: inout CParameter, _ code: String) {
    if resolved(parameter.type).pointee == nil { return }
    let size = code.rest(after: "[").prefix { $0 != "]" }.filter { $0 != " " }
    let isTypedef = Words.identifiers(code).contains { word in
      guard let index = typedefIndex[String(word)], case .array = resolved(typedefs[index].type) else { return false }
      return true
    }
    if code.contains("[") || isTypedef { parameter.isArray = true }
    parameter.isSized = isTypedef || !size.isEmpty && !size.hasPrefix("static") && !size.hasPrefix("restrict")
  }

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

  /// The parameter that has the length of another one by its name: `payloadlen` of `payload`, `srcSize` of `src`.
  func namedLength(of pointer: CParameter, in parameters: [CParameter]) -> Int? {
    let own = Self.plain(pointer.name)
    if own.isEmpty { return nil }
    return parameters.firstIndex { isNumber($0.type) && Self.stem($0.name) == own }
  }

  /// True if C gives the length of what it writes behind a pointer: `size_t *outlen` of `out`.
  func givesLength(of pointer: CParameter, in parameters: [CParameter]) -> Bool {
    let own = Self.plain(pointer.name)
    return !own.isEmpty
      && parameters.contains { other in
        resolved(other.type).pointee.map { isNumber($0) } == true && Self.stem(other.name) == own
      }
  }

  /// True for the name of a number of elements that has the name of the pointer: `niv` of `iv`, `entry_count` of `entries`.
  static func isCount(_ number: String, of pointer: String) -> Bool {
    let (number, pointer) = (plain(number), plain(pointer))
    if pointer.isEmpty { return false }
    var names = [pointer]
    if pointer.hasSuffix("ies") { names.append(pointer.dropLast(3) + "y") }
    if pointer.hasSuffix("s"), pointer.count > 2 { names.append(String(pointer.dropLast())) }
    return names.contains { name in
      ["n", "num", "nr", "nb", "numof", "nof"].contains { number == $0 + name }
        || ["count", "cnt", "num", "n", "len"].contains { number == name + $0 }
    }
  }

  /// What a name is the length of: `payload` of `payloadlen`. Nil if it is no such name.
  private static func stem(_ name: String) -> String? {
    let plain = plain(name)
    let ending = ["length", "len", "size", "capacity", "bytes"].first { plain.hasSuffix($0) && plain.count > $0.count }
    return ending.map { String(plain.dropLast($0.count)) }
  }

  private static func plain(_ name: String) -> String { name.filter { $0 != "_" }.lowercased() }

  /// True if a pointer to numbers may lead to several of them, because a number beside it may count them: `short *ptr, long frames`.
  func isArray(_ index: Int, of function: Function) -> Bool {
    let names: Set<String> = [
      "ptr", "buf", "buffer", "data", "array", "arr", "vec", "vector", "samples", "values", "list",
    ]
    return function.parameters[index].isArray || isCounted(index, of: function)
      || Words.split(function.parameters[index].name).contains { names.contains($0) }
  }

  /// The memory and its length of a struct that has nothing else, such as a value of a database.
  func bytes(in type: CType) -> (memory: Field, length: Field)? {
    guard case .named(let name, _) = resolved(type), let record = record(name), !record.isUnion,
      record.fields.count == 2, !record.fields.contains(where: \.isShared),
      let memory = record.fields.first(where: { resolved($0.type).pointee != nil }),
      let length = record.fields.first(where: { isNumber($0.type) }),
      let target = resolved(memory.type).pointee, case .named(let unit, _) = resolved(target)
    else { return nil }
    let memories: Set<String> = [
      "data", "buf", "buffer", "ptr", "base", "bytes", "mem", "memory", "val", "value", "str", "p", "d", "dptr",
      "content",
    ]
    let lengths: Set<String> = ["size", "len", "length", "n", "nbytes", "dsize", "count"]
    guard ["void", "char", "unsigned char"].contains(unit),
      unit == "void" || Words.split(memory.path).last.map({ memories.contains($0) }) == true,
      Words.split(length.path).last.map({ lengths.contains($0) }) == true
    else { return nil }
    return (memory, length)
  }

  /// True if a number beside a pointer may count what it leads to.
  func isCounted(_ index: Int, of function: Function) -> Bool {
    let counts: Set<String> = ["count", "num", "n", "len", "length", "size", "sz", "cnt", "nmemb", "capacity"]
    let others: Set<String> = [
      "flags", "opts", "options", "status", "pos", "axis", "class", "address", "alias", "bias", "ms", "ns", "us",
      "args",
    ]
    return [index - 1, index + 1].contains { beside in
      guard function.parameters.indices.contains(beside), case let other = function.parameters[beside],
        case .named(let type, _) = resolved(other.type), !type.hasPrefix("struct "), !type.hasPrefix("enum "),
        let last = Words.split(other.name).last
      else { return false }
      if Self.isCount(other.name, of: function.parameters[index].name) { return true }
      if beside < index {
        // A number after another pointer counts what that one leads to.
        let isOfAnother = beside > 0 && resolved(function.parameters[beside - 1].type).pointee != nil
        return !isOfAnother && (counts.contains(last) || last.hasPrefix("max"))
      }
      if last.hasPrefix("max") { return true }
      if counts.contains(last) || Self.namesLength(other.name) || last.count > 3 && last.hasSuffix("len") {
        return true
      }
      // What follows a pointer and is a plural counts: `frames`, `items`.
      return last.count > 2 && last.hasSuffix("s") && !others.contains(last)
    }
  }

  /// True for the name of a length that has a word of another name: `srouce_filename_len` of `source_filename`.
  static func sharesWord(_ length: String, with name: String) -> Bool {
    let own = Words.split(name)
    return namesLength(length) && Words.split(length).contains { own.contains($0) && !namesLength($0) }
  }

  /// True if a name says that it is a length.
  static func namesLength(_ name: String) -> Bool {
    Words.split(name).contains {
      ["len", "length", "size", "capacity", "buflen", "keylen", "namelen", "valuelen", "nbytes"].contains(
        $0.lowercased())
    }
  }
}
