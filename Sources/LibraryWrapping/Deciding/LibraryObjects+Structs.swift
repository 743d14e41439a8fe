/// Structs that a program knows the fields of, and yet has to leave in one place.
extension LibraryObjects {
  /// True if a program may know what is inside.
  func isComplete(_ handle: String) -> Bool {
    !library.opaque.contains(handle) && !library.isHandle(handle)
      && (library.complete.contains(handle) || library.complete.contains("struct " + handle))
  }

  /// True for a struct with an array and a pointer to such elements, such as the next one in it, or with a part to which another
  /// part has a pointer.
  func pointsIntoItself(_ handle: String) -> Bool {
    guard let record = library.record(handle), !record.isUnion, takers(of: handle).count > 1 else { return false }
    if hasOwnPointer(record, 4) { return true }
    var parts: Set<String> = []
    var targets: Set<String> = []
    func add(_ record: Library.Record, _ depth: Int) {
      for field in record.fields {
        var type = library.resolved(field.type)
        if let target = type.pointee, case .named(let name, _) = library.resolved(target) { targets.insert(name) }
        while case .array(let element, _) = type { type = library.resolved(element) }
        guard case .named(let name, _) = type, let part = library.record(name), depth > 0 else { continue }
        parts.insert(name)
        add(part, depth - 1)
      }
    }
    add(record, 4)
    return !parts.isDisjoint(with: targets)
  }

  /// True for a struct that ends with an array of no or one element, which stand for as many as there are: `int items[1]`.
  func hasTail(_ handle: String) -> Bool {
    guard let record = library.record(handle), !record.isUnion, record.fields.count > 1, let last = record.fields.last,
      case .array(_, let count?) = library.resolved(last.type)
    else { return false }
    return count < 2
  }

  /// True for a struct in which functions keep a state that others end: `z_stream`, which `deflateEnd` ends or `inflateEnd`. C may
  /// compare its address with that in the state.
  func keepsState(_ handle: String) -> Bool {
    guard let record = library.record(handle), !record.isUnion, takers(of: handle).count > 2 else { return false }
    let states: Set<String> = ["state", "internal", "internals", "impl"]
    let hasState = record.fields.contains { field in
      guard let target = library.resolved(field.type).pointee, case .named(let name, _) = library.resolved(target)
      else {
        return false
      }
      let isOpaque = name.hasPrefix("struct ") ? !library.complete.contains(name) : name == "void"
      return isOpaque && Words.split(field.path).contains { states.contains($0) }
    }
    return hasState && !enders(ofState: handle).isEmpty
  }

  /// The functions that end what C keeps in a struct.
  func enders(ofState handle: String) -> [Library.Function] {
    takers(of: handle).filter { function in
      let ends = classifier.split(function.name).last.map { ["end", "fini", "cleanup"].contains($0) } ?? false
      return function.parameters.count == 1 && ends
    }
  }

  /// The functions that may change an object.
  func takers(of handle: String) -> [Library.Function] {
    (classifier.byHandle[handle] ?? []).filter { function in
      function.parameters.first.flatMap { library.resolved($0.type).pointee }.map { !library.isConstant($0) } ?? false
    }
  }

  /// True for a struct that only its own functions change, which take it first: a copy of it would own the same memory. What others
  /// fill, such as `get_path(buffer *out, config *config)`, is a value.
  func isFilledByItsOwn(_ handle: String) -> Bool {
    var changing = 0
    for function in library.functions {
      let places = function.parameters.indices.filter { index in
        let type = function.parameters[index].type
        return Classifier.handle(type, library) == handle
          && library.resolved(type).pointee.map { !library.isConstant($0) } ?? true
      }
      if places.isEmpty { continue }
      let others = function.parameters.indices.filter { !places.contains($0) }
        .compactMap { Classifier.handle(function.parameters[$0].type, library) }
      // `db_open(name, &db)` has it last.
      let opens = classifier.split(function.name).contains { ["open", "init", "create", "new"].contains($0) }
      if places.count > 1 || places != [0] && !opens { return false }
      if others.contains(where: { library.isHandle($0) || $0 == handle }) { return false }
      changing += 1
    }
    return changing > 1
  }

  /// True for a struct that a function `init` takes first: a program keeps something in it.
  func isSetUp(_ type: CType) -> Bool {
    guard case .named(let name, _) = library.resolved(type) else { return false }
    return library.functions.contains { other in
      classifier.split(other.name).last == "init" && other.parameters.first.flatMap { structName($0.type) } == name
    }
  }

  /// The name of the type that a pointer leads to.
  func structName(_ pointer: CType) -> String? {
    guard let target = library.resolved(pointer).pointee, case .named(let name, _) = library.resolved(target) else {
      return nil
    }
    return name
  }

  /// True for a struct whose fields say that they are the library's own. C may compare its address, or keep it.
  func isPrivate(_ handle: String) -> Bool {
    guard let record = library.record(handle), !record.isUnion, !record.fields.isEmpty else { return false }
    return record.fields.allSatisfy { Words.split($0.path).first == "private" }
  }

  /// True for a function that makes an object in memory of the program, whose size another one tells, of a library that also
  /// makes such objects by itself.
  func initializesMemory(_ function: Library.Function) -> Bool {
    guard let handle = function.parameters.first.flatMap({ Classifier.handle($0.type, library) }),
      let object = byHandle[handle],
      object.release != nil, classifier.split(function.name).last == "init"
    else { return false }
    let beginning = classifier.split(function.name).dropLast()
    return library.functions.contains { other in
      let words = classifier.split(other.name)
      return words.starts(with: beginning)
        && [["get", "size"], ["size"], ["sizeof"]].contains(Array(words.dropFirst(beginning.count)))
    }
  }

  /// True if a field can point into an array in the same struct, or in one of its parts, up to a depth.
  private func hasOwnPointer(_ record: Library.Record, _ depth: Int) -> Bool {
    func number(_ type: CType) -> String? {
      guard case .named(let name, _) = library.resolved(type), name != "void", !name.hasPrefix("struct ") else {
        return nil
      }
      return name == "unsigned char" ? "char" : name
    }
    let fillers: Set<String> = ["pad", "padding", "reserved", "unused", "dummy", "spare"]
    let arrays = record.fields.compactMap { field -> String? in
      if Words.split(field.path).contains(where: { word in fillers.contains { word.hasPrefix($0) } }) { return nil }
      if case .array(let element, _) = library.resolved(field.type) { return number(element) }
      return nil
    }
    return record.fields.contains { field in
      switch library.resolved(field.type) {
      case .pointer(let target, _): number(target).map { arrays.contains($0) && !library.isConstant(target) } ?? false
      case .named(let name, _): depth > 0 && library.record(name).map { hasOwnPointer($0, depth - 1) } ?? false
      default: false
      }
    }
  }
}
