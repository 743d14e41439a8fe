/// The lines about pointers that callbacks get: `parse/1(buffer) memory=out[size:result]`, with the key of the callback, or
/// the name of its type, before the parameter.
extension Choices {
  /// True for the key of such a line.
  static func isOfCallback(_ key: String) -> Bool { key.hasSuffix(")") }

  /// The lines for the pointers of a callback, by the numbers of its parameters: their keys, and what they say.
  func pointers(of site: Site) -> [Int: (key: String, use: PointerUse)] {
    var result: [Int: (key: String, use: PointerUse)] = [:]
    if arguments.isEmpty { return result }
    for index in site.function.parameters.indices {
      let keys = [site.key, site.typedef].compactMap(\.self).map { "\($0)(\(Self.name(site.function, index)))" }
      for key in keys where result[index] == nil {
        if let use = arguments[key]?.memory { result[index] = (key, use) }
      }
    }
    return result
  }

  /// The name of a callback's parameter in the key of its line: its number if the header has none.
  static func name(_ function: CFunction, _ index: Int) -> String {
    let name = function.parameters[index].name
    return name.isEmpty ? "\(index)" : name
  }

  /// The parameter of a callback that a number of elements names: `argument2` if the header has no name for it.
  static func parameter(_ name: String, of function: CFunction) -> Int? {
    function.parameters.indices.first {
      let own = function.parameters[$0].name
      return own.isEmpty ? name == "argument\($0 + 1)" : own == name
    }
  }

  /// True if the number of elements behind a pointer is C's result: `result` can be the name of another parameter.
  static func isResult(_ used: String?, for index: Int, of function: CFunction) -> Bool {
    guard let used, used == result else { return false }
    return parameter(used, of: function).map { $0 == index } ?? true
  }

  /// True if what Swift answers is also what C gets through pointers.
  func gives(_ site: Site, _ library: Library) -> Bool {
    pointers(of: site).contains { index, line in
      line.use.kind == .both || Self.isWritten(line.use, site.function.parameters[index].type, library)
    }
  }

  /// True if a callback only writes what a pointer leads to. A text with a limit that is not constant is written.
  static func isWritten(_ use: PointerUse, _ type: CType, _ library: Library) -> Bool {
    guard let target = library.resolved(type).pointee else { return false }
    return use.kind == .output || use.kind == .text && use.count != nil && !library.isConstant(target)
  }

  /// Checks that a line about a pointer of a callback fits the headers.
  func checkArgument(
    _ key: String, _ choice: Choice, _ sites: [ClassifiedSite], _ library: Library, _ fail: (String) -> WrappingError
  ) throws {
    guard let open = key.firstIndex(of: "(") else { throw fail("\(key) has no parameter in parentheses.") }
    let (owner, name) = (String(key[..<open]), String(key[key.index(after: open)...].dropLast()))
    let known = sites.filter { $0.site.key == owner || $0.site.typedef == owner }
    guard let site = known.first?.site else {
      throw fail(
        "The headers have no callback \(owner). Write FUNCTION/NUMBER(\(name)), STRUCT.FIELD(\(name)), or TYPE(\(name))."
      )
    }
    let names = site.function.parameters.indices.map { Self.name(site.function, $0) }
    guard let index = names.firstIndex(of: name) else {
      throw fail("\(owner) has no parameter \(name). It has \(names.joined(separator: ", ")).")
    }
    let type = site.function.parameters[index].type
    guard let target = library.resolved(type).pointee, library.function(type) == nil else {
      throw fail("\(key) is no pointer to memory. Remove the line.")
    }
    guard let use = choice.memory, choice.options == ["memory"] else {
      throw fail("The choice for a pointer of a callback is memory=. Remove the others from the line of \(key).")
    }
    if known.contains(where: { $0.context.value?.isArgument == true && $0.context.value?.index == index }) {
      throw fail("\(key) is the context of the callback. Remove the line.")
    }
    let isConst = library.isConstant(target)
    if use.kind == .kept { throw fail("A callback gets memory of C's own. Write memory=in, and how many elements.") }
    if isConst, use.kind == .output || use.kind == .both {
      throw fail("\(key) is constant, so the callback can't write to it. Write memory=in[n] or text.")
    }
    if use.count == PointerUse.end { throw fail("\(key) needs a number of elements: no other element ends them.") }
    if let given = PointerUse.given(in: (use.count ?? "") + "*" + (use.used ?? "")).first {
      throw fail("\(given)? is a number for the field of a struct. Write the name of a parameter.")
    }
    if use.used != nil, use.kind == .input || isConst {
      throw fail(
        "\(use.written) has no number of elements that the callback writes. Write memory=in[\(use.count ?? "n")].")
    }
    let isResult = Self.isResult(use.used, for: index, of: site.function)
    if isResult, !library.isInteger(site.function.result) { throw fail("\(owner) returns no number.") }
    for used in PointerUse.names(in: use.count) + (isResult ? [] : PointerUse.names(in: use.used)) {
      if let place = Self.parameter(used, of: site.function) {
        let type = site.function.parameters[place].type
        let number = library.resolved(type).pointee ?? type
        if place == index { throw fail("\(key) can't be its own number of elements.") }
        if use.used == nil, use.kind == .output || use.kind == .both, use.count != used,
          let target = library.resolved(type).pointee, !library.isConstant(target)
        {
          throw fail("The callback gives a number through \(used). Write memory=\(use.kind.rawValue)[COUNT:\(used)].")
        }
        if !library.isInteger(number) { throw fail("\(used) is no number.") }
        continue
      }
      if MacroValue.number(used, library.headers.macros) == nil {
        throw fail("\(owner) has no parameter \(used), and no macro is the number \(used).")
      }
    }
    if let used = use.used, !isResult {
      let place = Self.parameter(used, of: site.function).flatMap {
        library.resolved(site.function.parameters[$0].type).pointee
      }
      if let place, library.isConstant(place) { throw fail("\(used) is constant, so the callback can't write to it.") }
      if place == nil {
        throw fail("The callback tells the number of elements by its result, or through a pointer. \(used) is neither.")
      }
    }
    if bySite[site.key]?.isHandler == false, gives(site, library) {
      throw fail("\(owner) gives C something, so a closure answers it. Remove as=stream.")
    }
  }
}
