/// What a header may leave open, where a wrong guess would be a fault of memory: such a function is skipped.
extension FunctionPlanner {
  /// What comments say of memory that C keeps.
  private static let keeps = [
    "must not be deallocated", "must remain valid", "must stay valid", "not be freed until",
    "must not be freed before",
    "should not be freed before", "is not copied", "are not copied", "is not duplicated", "are not duplicated",
    "does not copy", "doesn't copy", "no copy is made", "not make a copy", "without copying",
    "keeps a pointer", "keeps the pointer", "keep the pointer", "keeps only the pointer", "only keeps the pointer",
    "stores the pointer", "stores a pointer", "stores only the pointer", "only stores the pointer",
    "pointer is stored", "pointer is kept", "must be kept", "reference is kept", "lifespan", "outlive",
    "original location",
    "not be deallocated before",
  ]
  /// What they say of how long it must exist. Of a result, this says how long it can be used.
  private static let lasting =
    [
      "remains valid", "remain valid", "stays valid", "stay valid", "is valid until", "be valid until",
      "live as long", "exist for", "exist as long", "exist until", "live until", "static string",
      "not free it before", "not free it until",
    ] + ["it", "text", "string", "data", "buffer", "memory", "stay", "remain", "kept"].map { $0 + " alive" }

  /// Why a function is skipped whose comment says that C may use lent memory after the call: in any sentence, or in those that
  /// name a parameter.
  func keepsMemory(_ function: Library.Function, _ name: String? = nil) -> Unwrapped? {
    let comment = function.comment.lowercased().replacingNewlines
    let keeping = comment.split(separator: ".").contains { part in
      let sentence = String(part)
      return
        (Self.keeps.contains { sentence.has($0) }
        || Self.lasting.contains { sentence.has($0) } && ["must", "should", "ensure"].contains { sentence.has($0) }
          && !sentence.has("return") && !sentence.has("result"))
        && (name.map { Words.identifiers(sentence).contains($0.lowercased()[...]) } ?? true)
    }
    return keeping ? Unwrapped("C may use its memory after the call, according to its comment.") : nil
  }

  /// Throws if C may use lent memory after the call, with the line that lets an object keep a copy of it.
  func checkLending(_ function: Library.Function, _ index: Int, _ use: PointerUse) throws(Unwrapped) {
    guard var why = keepsMemory(function) ?? keepsLent(function, use) else { return }
    if use.kind == .input || use.kind == .text {
      why.detail = pointer(function, index)
      why.choices = "memory=\(PointerUse(.kept, count: use.count).written)"
    }
    throw why
  }

  /// Why a function is skipped that keeps memory according to an argument, or to its name.
  private func keepsLent(_ function: Library.Function, _ use: PointerUse) -> Unwrapped? {
    let copying: Set<String> = ["copy", "do_copy", "docopy", "nocopy", "no_copy", "dup"]
    if function.parameters.contains(where: { copying.contains($0.name.lowercased()) && library.isNumber($0.type) }) {
      return Unwrapped("C may use its memory after the call, if an argument says so.")
    }
    let words = Words.split(function.name)
    let isSetUp = words.contains("set") || words.contains("setup")
    // `archive_read_open_memory` reads it later, and `FT_New_Memory_Face` for as long as the face exists.
    let memories: Set<String> = ["memory", "mem", "buffer", "buf", "blob", "data", "bytes"]
    // `archive_read_open_memory2`
    let plain = words.map { word in String(word.reversed().drop(while: \.isNumber).reversed()) }
    let isOpened =
      use.kind == .input
      && (plain.contains("open") && plain.contains { memories.contains($0) }
        || plain.contains("new") && plain.contains { ["memory", "mem"].contains($0) })
    if isOpened || words.contains(where: { ["const", "nocopy", "zerocopy", "static"].contains($0) })
      || isSetUp && words.contains(where: { ["buffer", "buf", "input", "output", "memory", "workspace"].contains($0) })
    {
      return Unwrapped("C may use its memory after the call, according to its name.")
    }
    return nil
  }

  /// Plans memory that C reads after the call, too: an object keeps a copy of it.
  func planKept(
    _ function: Library.Function, _ index: Int, _ use: PointerUse, _ uses: Uses, _ plan: inout FunctionPlan
  ) throws(Unwrapped) {
    let parameter = function.parameters[index]
    let own = SwiftTypes.escaped(uses.names[index])
    guard plan.objectIndex != nil || makesObject(function) else {
      throw contradiction(function, index, "No object keeps it: the function has none, and makes none.")
    }
    guard let target = library.resolved(parameter.type).pointee else { return }
    plan.retained.append(own)
    if use.count == nil {
      guard unit(parameter.type)?.unit == .characters else {
        throw contradiction(function, index, "It needs a number of elements, such as memory=kept[n].")
      }
      plan.parameters.append(.init(name: own, type: swift.string))
      plan.variables.append("let \(own) = KeptMemory(text: \(own))")
    } else {
      let isBytes = unit(parameter.type) != nil
      let item = isBytes ? Element(imported: "UInt8", type: "UInt8", zero: "0", isPlain: true) : element(target)
      guard let item, use.count != PointerUse.end else {
        throw contradiction(
          function, index, "Bytes, numbers, structs, and enumerations can be kept, if they are counted.")
      }
      check(own, function, use, uses, &plan, index)
      let isMapped = item.type != item.imported && !isRecord(target)
      plan.parameters.append(.init(name: own, type: isMapped ? "[\(item.type)]" : "Span<\(item.type)>"))
      let values = "\(own).map { \(swift.value(of: item.imported, "$0.rawValue")) }"
      if isMapped { plan.variables.append("let \(own)Values = \(values)") }
      plan.variables.append("let \(own) = KeptMemory(\(own)\(isMapped ? "Values.span" : ""))")
    }
    let type = unit(parameter.type) == nil ? element(target)?.imported : nil
    let address =
      type.map { "\(own).start?.assumingMemoryBound(to: \($0).self)" } ?? bound("\(own).start", parameter.type)
    plan.arguments.append(parameter.isNonnull ? "(\(address))!" : address)
  }

  /// Throws if nothing says that C writes to memory, and does not read it.
  func checkOutput(_ function: Library.Function, _ index: Int, _ length: Int) throws(Unwrapped) {
    let name = Words.split(function.parameters[index].name)
    let count = Words.split(function.parameters[length].name)
    let words = objects.classifier.split(function.name)
    if name.contains(where: { Self.outputs.contains($0) }) || count.contains(where: { Self.limits.contains($0) })
      || words.contains(where: { Self.reading.contains($0) })
    {
      return
    }
    throw Unwrapped(
      "The header does not say whether C reads or writes the memory.", pointer(function, index), "memory=?")
  }

  /// Names of memory that C writes to.
  private static let outputs: Set<String> = [
    "buf", "buffer", "out", "output", "dst", "dest", "destination", "result", "ret", "into", "str", "string", "line",
    "text", "md", "digest", "hash", "name", "path", "msg", "message", "errbuf", "target",
  ]
  /// Words of a length that limits what C writes.
  private static let limits: Set<String> = [
    "max", "maximum", "capacity", "cap", "avail", "available", "bufsize", "bufsz", "buflen", "outlen", "dstlen",
    "limit",
  ]
  /// Words of functions that fill memory.
  private static let reading: Set<String> = [
    "read", "recv", "receive", "get", "fill", "generate", "random", "rand", "encode", "decode", "compress",
    "decompress",
    "copy", "print", "format", "serialize", "export", "peek", "final", "sign", "inflate", "deflate", "dump", "bytes",
    "hash", "digest", "tostring", "to", "snprintf", "base64", "hex", "uncompress", "pread", "drain",
  ]

  /// Throws if a function frees what a struct leads to that it gets as a copy.
  func checkCopies(_ function: Library.Function) throws(Unwrapped) {
    let words = objects.classifier.split(function.name)
    guard words.contains(where: { ["free", "destroy", "clear", "release", "delete", "cleanup"].contains($0) }),
      choices.bySite[function.name]?.takes != false
    else { return }
    // `queue_delete(connection, name)` deletes what the name stands for.
    if words.contains("delete"), !words.contains("free"),
      function.parameters.first.map({ object($0.type) != nil }) == true
    {
      return
    }
    let isCopy = function.parameters.contains { parameter in
      guard case .named(let name, _) = library.resolved(parameter.type), let record = library.record(name) else {
        return false
      }
      return !record.isUnion
        && record.fields.contains { if case .pointer = library.resolved($0.type) { true } else { false } }
    }
    if isCopy { throw Unwrapped("It frees what a struct leads to, which may be that of an object.") }
  }

  /// Throws if a struct that C returns may own memory that the program could not free.
  func checkResult(_ function: Library.Function, _ text: String) throws(Unwrapped) {
    guard choices.bySite[function.name]?.owns != false, !LibraryObjects.lends(function.comment),
      let record = library.records.first(where: { swift.importedName($0) == text })
    else { return }
    let owning = record.fields.first { field in
      guard case .pointer(let target, _) = library.resolved(field.type) else { return false }
      let isConst = library.isConstant(target)
      return !isConst && unit(field.type) != nil
    }
    if let owning {
      throw Unwrapped("The header does not say who frees the memory of its result.", owning.path)
    }
  }

  /// The arguments that C takes over, and which their classes then no longer free: those that a comment says so of, and those
  /// that a function such as `add` makes a part of something. If it is wrong, they are never freed.
  func givenUp(_ function: Library.Function) -> Bool {
    if let takes = choices.bySite[function.name]?.takes { return takes }
    if objects.takesOver(function) { return true }
    return objects.classifier.split(function.name).contains { Self.adding.contains($0) || Self.joins($0) }
  }

  /// True for a verb that is written together with its object: `attachframe`, but not `attachment`.
  private static func joins(_ word: String) -> Bool {
    ["attach", "append", "insert", "prepend"].contains { verb in
      word.hasPrefix(verb) && word.count > verb.count
        && !["ment", "ed", "ing", "ion", "er", "s"].contains {
          word.dropFirst(verb.count).hasPrefix($0) && word.count < verb.count + 6
        }
    }
  }

  /// True if a function may store the objects that it gets in another one, by its name.
  func keepsObjects(_ function: Library.Function) -> Bool {
    stores(function) || objects.classifier.split(function.name).contains { Self.starting.contains($0) }
  }

  /// True if a function stores what it gets, by its name.
  func stores(_ function: Library.Function) -> Bool {
    objects.classifier.split(function.name).contains { Self.adding.contains($0) || Self.storing.contains($0) }
  }

  /// True if a function takes from an object what a function such as `add` has stored in it, by its name.
  func removes(_ function: Library.Function) -> Bool {
    let words = objects.classifier.split(function.name)
    return words.contains { Self.removing.contains($0) } && !words.contains { $0.hasPrefix("is") || $0 == "can" }
  }

  private static let removing: Set<String> = [
    "remove", "delete", "del", "detach", "unset", "unregister", "deregister", "unlink", "disconnect", "unbind", "erase",
    "uninstall", "withdraw",
  ]
  private static let storing: Set<String> = ["register", "bind", "connect", "assign"]
  private static let starting: Set<String> = ["init", "initialize", "use", "setup", "start"]
  private static let adding: Set<String> = [
    "add", "append", "insert", "attach", "push", "prepend", "replace", "link", "set", "install", "put",
  ]
}
