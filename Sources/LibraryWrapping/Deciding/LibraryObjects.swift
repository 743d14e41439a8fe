/// Decides which pointers of a library are objects, which functions make and free them, and who owns what a function returns.
struct LibraryObjects {
  /// A struct that is used through pointers alone.
  struct Object {
    var handle: String
    /// The type of a pointer to it.
    var type: CType
    /// The function that frees it, or drops a reference to it.
    var release: Library.Function?
    /// The function that frees it with another object, which it has been made with: `GEOSGeom_destroy_r(context, geometry)`. The
    /// same as `release` if no other one frees it.
    var contextual: (function: Library.Function, context: String)?
    /// The function that adds a reference to it.
    var retain: Library.Function?
    /// The other functions that free it, such as one that commits a transaction.
    var consuming: Set<String> = []
    /// True if a function frees it.
    var ends: Bool { release != nil || !consuming.isEmpty }
    /// True for a struct in memory of the program that may not move, because it can point into itself.
    var isFixed = false
  }

  let classifier: Classifier
  var library: Library { classifier.library }
  var byHandle: [String: Object] = [:]
  /// In the order of the headers.
  private(set) var handles: [String] = []

  /// The handle of a struct that is an object.
  func handle(of record: Library.Record) -> String? {
    [record.spelling, "struct " + record.name].first { byHandle[$0] != nil }
  }

  init(_ classifier: Classifier) {
    self.classifier = classifier
    let library = classifier.library
    // A field may be the only way to an object.
    let fields = library.records.flatMap(\.fields).filter { field in
      Classifier.handle(field.type, library).map { library.isHandle($0) } ?? false
    }
    for types in library.functions.map({ $0.parameters.map(\.type) + [$0.result] }) + [fields.map(\.type)] {
      for type in types {
        for type in [type, library.resolved(type).pointee].compactMap(\.self) {
          guard let handle = Classifier.handle(type, library), byHandle[handle] == nil, library.function(type) == nil,
            !Self.foreign.contains(handle)
          else { continue }
          let retain = retain(of: handle)
          var consuming = consuming(handle)
          let contextual = retain == nil ? contextual(handle) : nil
          let release =
            retain.flatMap(counterpart) ?? release(of: handle) ?? discarding(consuming) ?? contextual?.function
            ?? placeFreer(of: handle)
          consuming += release == nil ? closers(of: handle) : alternatives(of: release, handle)
          if release?.declaration.isDeprecated == true { continue }
          if isComplete(handle), release == nil || !isMade(handle), !isShared(handle),
            !library.methodOwners.contains(handle)
          {
            let isPrivate = isPrivate(handle)
            let ends = isFilledByItsOwn(handle) || type.pointee.map(isSetUp) == true ? release : nil
            if !pointsIntoItself(handle), !hasTail(handle), !isPrivate, ends == nil, !keepsState(handle) { continue }
            byHandle[handle] = Object(
              handle: handle, type: type, consuming: Set([ends?.name].compactMap(\.self)),
              isFixed: !isPrivate || takers(of: handle).count > 0)
            handles.append(handle)
            continue
          }
          byHandle[handle] = Object(
            handle: handle, type: type, release: release, contextual: contextual, retain: retain,
            consuming: Set(consuming.map(\.name)))
          handles.append(handle)
        }
      }
    }
  }

  /// The object with a name: `sd_bus` of `struct sd_bus`.
  func handle(named name: String) -> String? {
    handles.first { $0 == name || $0.split(separator: " ").last == name[...] }
  }

  /// Objects of the C library, and lists of arguments.
  private static let foreign: Set<String> = ["struct _IO_FILE", "struct __va_list_tag", "struct __dirstream"]

  /// True if a function returns a pointer that the program may write through: a copy of the struct would be another one.
  private func isShared(_ handle: String) -> Bool {
    library.functions.contains { function in
      guard Classifier.handle(function.result, library) == handle,
        let target = library.resolved(function.result).pointee
      else { return false }
      return !target.isConst && !library.resolved(target).isConst
    }
  }

  private func isMade(_ handle: String) -> Bool {
    library.functions.contains { classifier.made(by: $0) == handle && owns(resultOf: $0) }
  }

  /// The function that frees an object, or drops the reference of its owner. It takes the object and nothing else.
  private func release(of handle: String) -> Library.Function? {
    // `hb_set_destroy` destroys a set.
    let questions = Self.questions.subtracting(Words.split(handle))
    let own = (classifier.byHandle[handle] ?? []).filter { function in
      function.parameters.count == 1 && Classifier.handle(function.parameters[0].type, library) == handle
        && !function.isVariadic && !classifier.split(function.name).contains { questions.contains($0) }
    }
    if let name = classifier.destructor(of: handle), let found = own.first(where: { $0.name == name }) { return found }
    let whole = own.filter { function in
      let words = classifier.split(function.name)
      return classifier.isWhole(function, words, handle)
        && [
          "unref", "release", "free", "decref", "put", "del", "finalize", "end", "fini", "term", "destroy", "delete",
          "dispose",
          "shutdown", "cleanup", "uninit", "deinit",
        ].contains(words.last ?? "")
    }.min { $0.name.count < $1.name.count }
    // `FT_Done_Face`: the verb stands before the object.
    let done = own.filter { classifier.split($0.name).contains("done") }
    return whole ?? (done.count == 1 ? done[0] : nil) ?? clearing(handle, own)
  }

  /// `PQclear` of `PGresult`: a function that clears what is only declared, if its comment says that it frees that. Without a
  /// comment, nothing else may make such an object to fill it: then it could be used again.
  private func clearing(_ handle: String, _ functions: [Library.Function]) -> Library.Function? {
    let known = Set(Words.split(handle) + [classifier.prefix.filter { $0 != "_" }.lowercased()])
    let found = functions.filter { function in
      library.resolved(function.result).isVoid
        && classifier.split(function.name).filter { !known.contains($0) } == ["clear"]
    }
    guard found.count == 1, let function = found.first, !isComplete(handle) else { return nil }
    let comment = function.comment.lowercased()
    if !comment.isEmpty {
      let frees = ["delete", "free", "destroy", "release", "dispose", "deallocate"].contains { comment.has($0) }
      return frees ? function : nil
    }
    let isFilled = library.functions.contains { maker in
      classifier.made(by: maker) == handle
        && classifier.split(maker.name).contains { ["new", "create", "alloc", "init", "make"].contains($0) }
    }
    return isFilled ? nil : function
  }

  /// Words of functions that ask: `partition_has_end` ends nothing.
  private static let questions: Set<String> = ["has", "have", "is", "can", "get", "set"]

  /// The function that drops the reference that `retain` adds.
  private func counterpart(of retain: Library.Function) -> Library.Function? {
    let pairs = [
      "ref": ["unref", "deref", "put"], "retain": ["release"], "incref": ["decref"], "up": ["free"],
      "reference": ["unreference", "unref", "destroy"],
    ]
    let words = classifier.split(retain.name)
    for (index, word) in words.enumerated() {
      for other in pairs[word] ?? [] {
        let start = words[..<index] + [other]
        let found = library.functions.first { function in
          let own = classifier.split(function.name)
          return function.parameters.count == 1 && function.parameters[0].type == retain.parameters[0].type
            && own.starts(with: start) && own.count <= words.count && !function.isVariadic
        }
        if let found { return found }
      }
    }
    return nil
  }

  /// The functions whose comments say that they free the object, besides what they do.
  private func consuming(_ handle: String) -> [Library.Function] {
    (classifier.byHandle[handle] ?? []).filter { function in
      guard function.parameters.count == 1, !function.isVariadic,
        Classifier.handle(function.parameters[0].type, library) == handle,
        !classifier.split(function.name).contains(where: { ["reset", "clear", "rewind", "flush"].contains($0) }),
        let target = library.resolved(function.parameters[0].type).pointee, !library.isConstant(target),
        Self.mayTellFreeing(function)
      else { return false }
      return function.sentences.contains { Self.tellsEnd($0, handle) }
    }
  }

  /// The one of them that undoes what is open.
  private func discarding(_ functions: [Library.Function]) -> Library.Function? {
    functions.first { function in
      classifier.split(function.name).contains {
        ["abort", "rollback", "discard", "cancel", "close", "free"].contains($0)
      }
    }
  }

  /// The functions of an object alone that free or close it, if none is certain to be its end: `ml_ufree`, `fclose`.
  private func closers(of handle: String) -> [Library.Function] {
    (classifier.byHandle[handle] ?? []).filter { function in
      guard function.parameters.count == 1, !function.isVariadic,
        Classifier.handle(function.parameters[0].type, library) == handle
      else { return false }
      let words = classifier.split(function.name)
      let verb = words.lastIndex { word in
        ["destroy", "delete"].contains(word) || word.hasSuffix("free") || word.hasSuffix("close")
      }
      // `delete_all_partitions` of a context deletes others, and `free_buffer` a part.
      let parts: Set<String> = ["all", "cache", "buffer", "memory", "data", "unused"]
      return verb.map { place in
        !words[(place + 1)...].contains { parts.contains($0) || $0.hasSuffix("s") && !$0.hasSuffix("ss") }
      } ?? false
    }
  }

  /// The functions that free the object in another manner: `close_v2` beside `close`.
  private func alternatives(of release: Library.Function?, _ handle: String) -> [Library.Function] {
    guard let release, let verb = classifier.split(release.name).last(where: { Self.freeing.contains($0) }) else {
      return []
    }
    let known = Set(Words.split(handle) + [classifier.prefix.filter { $0 != "_" }.lowercased()])
    return enders(of: handle).filter { $0.name != release.name && classifier.split($0.name).contains(verb) }
      // `zip_discard` closes without writing.
      + (classifier.byHandle[handle] ?? []).filter { function in
        function.parameters.count == 1
          && classifier.split(function.name).filter { !known.contains($0) } == ["discard"]
      }
  }

  /// The function that frees an object, besides the one that its class calls: calling both would free it twice.
  func freesAgain(_ function: Library.Function) -> Bool {
    guard let handle = function.parameters.first.flatMap({ Classifier.handle($0.type, library) }),
      let object = byHandle[handle], let release = object.release, release.name != function.name,
      !object.consuming.contains(function.name), function.parameters.count == 1
    else { return false }
    let words = classifier.split(function.name)
    if words.contains(where: { ["unref", "decref"].contains($0) }) || words.last == "put" { return true }
    // `key_release` beside `key_unref`.
    if object.retain != nil, words.last == "release", library.resolved(function.result).isVoid { return true }
    return enders(of: handle).contains { $0.name == function.name }
      && words.contains { ["free", "destroy", "delete", "cleanup"].contains($0) }
  }

  /// True for a function that frees what it gets after another object: `geometry_destroy_r(context, geometry)`.
  func freesArgument(_ function: Library.Function) -> Bool {
    if tellsFreeing(function) { return true }
    let words = classifier.split(function.name)
    guard function.parameters.count == 2, library.resolved(function.result).isVoid,
      words.contains(where: { ["free", "destroy", "delete", "unref"].contains($0) }),
      Classifier.handle(function.parameters[0].type, library) != nil,
      let target = library.resolved(function.parameters[1].type).pointee, !library.isConstant(target)
    else { return false }
    return Classifier.handle(function.parameters[1].type, library) != nil
  }

  /// True if a comment says that a function frees an object that it gets after another one: "Removes the item and frees it."
  private func tellsFreeing(_ function: Library.Function) -> Bool {
    let comment = function.comment.lowercased().replacingNewlines
    return function.parameters.dropFirst().contains { parameter in
      guard let handle = Classifier.handle(parameter.type, library), byHandle[handle] != nil,
        let target = library.resolved(parameter.type).pointee, !library.isConstant(target)
      else { return false }
      let nouns = Set(Words.split(handle) + Words.split(parameter.name)).filter { $0.count > 2 }
      func says(_ phrases: [String]) -> Bool { phrases.contains { comment.has($0) } }
      let ends = parameter.name.isEmpty ? [] : [" ", ".", ","].map { parameter.name.lowercased() + $0 }
      return ["frees", "destroys", "deletes"].contains { verb in
        says(["and \(verb) it.", "and \(verb) it,"] + nouns.map { "\(verb) the \($0)" })
          || ends.contains { (comment + " ").has("and \(verb) \($0)") }
      } || says(nouns.flatMap { ["the \($0) becomes invalid", "the \($0) must not be used after"] })
    }
  }

  /// True for a function that frees a list, and may free its first element with it: `sequence_free(sequence *list)` of structs that
  /// lead to the next one.
  func freesList(_ function: Library.Function, _ index: Int) -> Bool {
    guard classifier.split(function.name).contains(where: { ["free", "destroy", "delete"].contains($0) }),
      let name = structName(function.parameters[index].type), let record = library.record(name)
    else { return false }
    // What a program initializes is its own memory.
    return !isSetUp(.named(name, isConst: false)) && record.fields.contains { structName($0.type) == name }
  }

  func enders(of handle: String) -> [Library.Function] {
    classifier.enders.map(\.function).filter { function in
      function.parameters.count == 1 && Classifier.handle(function.parameters[0].type, library) == handle
        && classifier.isWhole(function, classifier.split(function.name), handle)
    }
  }

  static let freeing: Set<String> = [
    "free", "destroy", "delete", "close", "finish", "finalize", "end", "term", "terminate",
  ]

  private func retain(of handle: String) -> Library.Function? {
    classifier.byHandle[handle]?.first { function in
      function.parameters.count == 1 && !function.isVariadic
        && Classifier.handle(function.parameters[0].type, library) == handle
        && [nil, handle].contains(Classifier.handle(function.result, library))
        && ["ref", "retain", "incref", "reference"].contains(classifier.split(function.name).last ?? "")
    } ?? references(to: handle)
  }

  /// The function that adds a reference and has the verb before the object, as its counterpart does: `lib_ref_box`, `lib_unref_box`.
  private func references(to handle: String) -> Library.Function? {
    classifier.byHandle[handle]?.first { function in
      function.parameters.count == 1 && !function.isVariadic
        && Classifier.handle(function.parameters[0].type, library) == handle
        && classifier.split(function.name).contains("ref") && counterpart(of: function) != nil
    }
  }

  /// True if neither a comment nor names tell who owns the object that a function returns, so that it is borrowed.
  func isUnclear(resultOf function: Library.Function) -> Bool {
    guard let handle = Classifier.handle(function.result, library), byHandle[handle]?.release != nil,
      byHandle[handle]?.retain == nil, !Self.lends(function.comment), !owns(resultOf: function)
    else { return false }
    if let target = library.resolved(function.result).pointee, target.isConst { return false }
    return !classifier.split(function.name).contains { Self.asking.contains($0) }
  }

  /// True if a function with another object makes one that has a place among others, such as a node of a tree: it may be in that
  /// place already, and be freed with the tree.
  func isPart(_ function: Library.Function) -> Bool {
    let given = function.parameters.compactMap { library.resolved($0.type).pointee }.compactMap {
      Classifier.handle($0, library)
    }
    guard let made = Classifier.handle(function.result, library) ?? given.first,
      let record = library.record(made),
      record.fields.contains(where: { ["next", "parent", "sibling"].contains($0.path) })
    else { return false }
    return function.parameters.contains { parameter in
      Classifier.handle(parameter.type, library).map { byHandle[$0] != nil || library.isHandle($0) } ?? false
    }
  }

  /// Words of functions that return a part of something, or something that all share.
  static let asking: Set<String> = [
    "get", "get0", "peek", "next", "parent", "root", "default", "current", "main", "shared", "instance", "first",
  ]
  static let duplicating: Set<String> = [
    "dup", "duplicate", "clone", "copy", "new", "create", "accept", "fork", "split", "ref", "get1", "begin",
  ]
  static let making: Set<String> = [
    "new", "create", "open", "init", "alloc", "dup", "clone", "copy", "connect", "load", "parse", "make", "start",
    "get1",
    "accept", "build", "from", "loads", "new2", "create2", "construct", "begin", "ref", "compile", "d2i",
  ]
  static let owning: [String] = [
    "must be freed", "should be freed", "be freed with", "be freed by", "free it with", "free this with", "must free",
    "caller must free", "caller owns", "transfer full", "be released with", "must be released", "must be destroyed",
    "responsible for freeing", "caller to free", "free the return value", "ownership of returned",
    "ownership of the returned", "to free the", "freed using", "needs to be freed", "incref", "new reference",
    "caller frees", "caller must release", "owned by the caller", "belongs to the caller", "transferred to the caller",
    "caller's responsibility to free", "responsible for releasing", "responsible for destroying", "to be freed",
  ]

  /// True if the comment of a function says that it takes an argument over, so that its owner may no longer free it.
  func takesOver(_ function: Library.Function) -> Bool {
    var comment = function.comment.lowercased().replacingNewlines.split(separator: ".").filter { sentence in
      !Self.staysOwned(sentence) && !String(sentence).has("to the caller")
    }.joined(separator: ".")
    // What the caller owns afterward is the result, or still its argument.
    for phrase in [
      "caller takes ownership of", "caller retains ownership of", "caller has ownership of",
      "caller is responsible for ownership of", "not take ownership", "not takes ownership", "never takes ownership",
      "without taking ownership of", "not take over", "not taken over", "not consumed",
    ] {
      comment = comment.replacing(phrase, with: "")
    }
    // `json_object_set_new(object, key, value)` takes the reference to the value.
    let objects = function.parameters.count { Classifier.handle($0.type, library) != nil }
    if objects == 0 { return false }
    // "Stores the value of U in W and releases U."
    let releases = function.parameters.contains { parameter in
      !parameter.name.isEmpty
        && ["and release ", "and releases "].contains { comment.has($0 + parameter.name.lowercased()) }
    }
    if releases { return true }
    if classifier.split(function.name).last == "new", objects > 1, classifier.made(by: function) == nil { return true }
    return [
      "takes ownership", "take ownership", "ownership passes", "passes ownership", "ownership of", "takes over",
      "steals", "is consumed", "will be freed by",
      "[take]",
    ]
    .contains { comment.has($0) } || classifier.split(function.name).contains { $0 == "set0" || $0 == "steal" }
  }
}
