/// What names suggest of pointers.
extension FunctionPlanner {
  /// True for the Hungarian name of an array: `panMap`, `padfBounds`.
  static func namesArray(_ name: String) -> Bool {
    guard name.hasPrefix("pa") else { return false }
    let kind = name.dropFirst(2).prefix { $0.isLowercase }
    return ["n", "df", "d", "f", "sz", "ch", "b", "by", "us", "ul", "ui", "l", "u"].contains(kind)
      && name.dropFirst(2 + kind.count).first?.isUppercase == true
  }

  /// True for a struct to which functions return pointers: the library has some.
  func isOfLibrary(_ type: CType) -> Bool {
    library.functions.contains { function in
      library.resolved(function.result).pointee?.withoutConst == type.withoutConst
    }
  }

  /// True for a struct that no other function takes by its address: the program does not have it in memory of its own.
  func isGivenByAddress(_ type: CType, except freeing: Library.Function) -> Bool {
    !library.functions.contains { function in
      function.name != freeing.name
        && function.parameters.contains { library.resolved($0.type).pointee?.withoutConst == type.withoutConst }
    }
  }

  /// True for `items` of a type `debug_item`.
  func isPlural(_ name: String, of type: CType) -> Bool {
    guard let last = Words.split(name).last, last.count > 3, last.hasSuffix("s"),
      case .named(let own, _) = library.resolved(type)
    else { return false }
    let names = [own] + (library.record(own).map { [$0.spelling, $0.name] } ?? [])
    return names.flatMap { Words.split($0) }.contains { $0 == last.dropLast() }
  }

  /// True for the name of something that a zero ends, also in an array of a fixed size.
  static func namesText(_ name: String) -> Bool {
    let texts: Set<String> = ["str", "string", "text", "code", "path", "filename", "url", "uri", "hostname"]
    return Words.split(name).last.map { texts.contains($0) } ?? false
  }

  /// Names of what C gives.
  static let given: Set<String> = [
    "out", "ret", "result", "id", "index", "count", "len", "length", "size", "written", "error", "err", "errcode", "rc",
    "status", "handle", "cookie",
  ]

  /// True for a name of several numbers: `rhsvector`, and a `row` that is no integer.
  static func namesVector(_ words: [String], _ type: String) -> Bool {
    words.contains { $0.hasSuffix("vector") || $0.hasSuffix("array") }
      || ["Double", "Float"].contains(type)
        && words.contains { ["row", "rows", "col", "column", "columns", "weights", "coefficients"].contains($0) }
  }

  /// True for a struct with a function.
  func hasFunctions(_ type: CType) -> Bool {
    guard case .named(let name, _) = library.resolved(type), let record = library.record(name) else { return false }
    return record.fields.contains { library.function($0.type) != nil }
  }

  /// Words of functions that only look at what they get.
  static let comparing: Set<String> = [
    "match", "matches", "swap", "hash", "equal", "equals", "eq", "cmp", "compare", "same",
  ]
  static let single: Set<String> = [
    "out", "ret", "result", "count", "size", "len", "length", "num", "n", "id", "mid", "value", "val", "flags",
    "status", "error", "err", "errcode", "width", "height", "x", "y", "w", "h", "type", "kind", "version", "major",
    "minor", "index", "written", "read", "used", "consumed", "offset", "pos", "position", "code", "state", "mode", "rc",
    "cookie", "fd",
  ]
  static let arrays: Set<String> = [
    "in", "input", "src", "source", "dst", "dest", "destination", "output", "table", "array", "re", "im", "ri", "ii",
    "ro", "io", "raster", "pixels",
  ]
  /// Words of functions that free what a pointer to a pointer leads to.
  static let freeing: Set<String> = [
    "free", "unref", "decref", "decrefp", "destroy", "freep", "unrefp", "clear", "release", "put", "delete", "close",
    "drop",
  ]
  static let making: Set<String> = ["new", "create", "init", "open", "alloc", "make"]
}
