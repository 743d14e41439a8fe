extension Classifier {
  /// The purpose of a pointer to a function.
  func role(of site: Site) -> Decision<Role> {
    if let known = cache.roles[site.key] { return known }
    let role = decideRole(of: site)
    cache.roles[site.key] = role
    return role
  }

  private func owner(_ site: Site, says words: Set<String>) -> Bool {
    split(site.owner).contains { words.contains($0) }
  }

  private func decideRole(of site: Site) -> Decision<Role> {
    if site.kind == .result { return Decision(.getter, .told, "The function returns it.") }
    if site.kind == .argument {
      return Decision(site.isIndirect ? .getter : .given, .told, "It is a parameter of a callback.")
    }
    if site.isIndirect, site.kind == .parameter, !owner(site, says: ["add", "register", "set", "install"]) {
      return Decision(.getter, .told, "C writes it through a pointer.")
    }
    if let function = function(of: site), site.index < function.parameters.count {
      let name = function.parameters[site.index].name
      if function.shim == nil, function.declaration.hasBody, !name.isEmpty,
        !function.declaration.usedParameters.contains(name)
      {
        return Decision(.checked, .told, "The body of the function neither calls it nor passes it on.")
      }
    }
    if freesObject(site) { return Decision(.freeing, .inferred, "It frees its object, and what is in it.") }
    if isAllocator(site) { return Decision(.allocator, .inferred, "Its signature and name are those of an allocator.") }
    let comment = site.comment.lowercased()
    let owner = split(site.owner)
    if site.kind == .field,
      let word = Words.split(site.name).first(where: { word in
        ["pad", "padding", "reserved", "dummy", "unused", "spare"].contains { word.hasPrefix($0) }
      })
    {
      return Decision(.reserved, .inferred, "Its name says \"\(word)\".")
    }
    if site.kind == .field, owner.contains("api") || owner.contains("routines"), !isFilledIn(site.owner) {
      return Decision(.given, .inferred, "The struct contains the library's own functions.")
    }
    if isErased(site.function), comment.has("entry point") || Words.split(site.name).contains("entry") {
      let isRemoved = owner.contains { Self.removing.contains($0) }
      return isRemoved
        ? Decision(.key, .told, "The function takes back a registered one.")
        : Decision(.plugin, .told, "The comment calls it an entry point.")
    }
    if site.kind == .typedef, comment.has("plugin") || comment.has("plug-in"), comment.has("symbol") {
      return Decision(.plugin, .told, "The comment speaks of a plug-in and of a symbol.")
    }
    if let key = key(site, owner) { return key }
    if isSignalHandler(site, owner, comment) {
      return Decision(.signal, comment.has("signal") ? .told : .inferred, "It runs in a signal handler.")
    }
    for phrase in ["real-time", "realtime", "real time", "interrupt level", "audio thread"] where comment.has(phrase) {
      return Decision(.realtime, .told, "The comment says \"\(phrase)\".")
    }
    if (owner + Words.split(site.typedef ?? "")).contains("audio"), !comment.has("not real") {
      return Decision(.realtime, .asked, "It is called to play or record sound.")
    }
    if let release = release(site, owner) { return release }
    return Decision(.callback, .told, "")
  }

  /// True for the function that frees each element of an object that its function frees: `table_destroy(table, free_value)`.
  private func freesObject(_ site: Site) -> Bool {
    guard site.kind == .parameter, let function = function(of: site), function.parameters.count == 2, site.index == 1,
      handle(function.parameters[0].type) != nil, library.resolved(function.result).isVoid
    else { return false }
    let owner = split(site.owner)
    return owner.last.map { ["destroy", "free", "delete"].contains($0) } == true
      && !owner.contains { ["set", "add", "on", "register"].contains($0) }
      && (Words.split(site.name) + Words.split(site.typedef ?? "")).contains {
        ["free", "destroy", "delete", "release"].contains($0)
      }
  }

  /// True for a struct that the program hands over, and that the library never returns.
  private func isFilledIn(_ owner: String) -> Bool {
    guard let record = library.records.first(where: { $0.name == owner }), !functions(taking: record).isEmpty else {
      return false
    }
    return !library.functions.contains { function in
      let made = handle(function.result)
      return made == record.spelling || made == "struct " + owner
    }
  }

  /// True for `void (*)(void)`, the type that stands for any function.
  func isErased(_ function: CFunction) -> Bool {
    function.parameters.isEmpty && library.resolved(function.result).isVoid
  }

  static let removing: Set<String> = [
    "remove", "cancel", "unbind", "unregister", "deregister", "unset", "del", "detach", "invoking", "unhook",
    "uninstall",
  ]

  /// A function that is only compared: it is passed to a function that removes something or looks it up.
  private func key(_ site: Site, _ owner: [String]) -> Decision<Role>? {
    guard site.kind == .parameter else { return nil }
    // A function that destroys something is called.
    if (Words.split(site.name) + Words.split(site.typedef ?? "")).contains(where: {
      $0.hasPrefix("dealloc") || $0 == "destructor"
    }) {
      return nil
    }
    // A lookup by function: `get_destroy_listener(object, notify)`.
    if let function = function(of: site), owner.contains("get"), handle(function.result) != nil,
      !function.parameters.contains(where: { isVoidPointer($0.type, const: true) })
    {
      return Decision(.key, .inferred, "The function's name says \"get\".")
    }
    // `set_remove_function` sets the function that removes something.
    if let set = owner.firstIndex(of: "set"), let verb = owner.firstIndex(where: Self.removing.contains), set < verb {
      return nil
    }
    // The thing to be removed may be something else: `foreach_remove` calls its function.
    let iterating: Set<String> = ["foreach", "each", "each_remove"]
    if let verb = owner.first(where: { Self.removing.contains($0) }),
      !owner.contains(where: { iterating.contains($0) }),
      !site.function.parameters.isEmpty || verb != "del",
      function(of: site)?.parameters.contains(where: { isVoidPointer($0.type) }) != true || owner.contains("cb")
    {
      return Decision(.key, .inferred, "The function's name says \"\(verb)\".")
    }
    // The callback is removed together with its context if a function with the opposite name takes the same callback.
    if let verb = owner.first(where: { Self.removing.contains($0) }), let typedef = site.typedef {
      let rest = owner.filter { $0 != verb }
      let isCounterpart = (byTypedef[typedef] ?? []).contains { other in
        guard other.kind == .parameter, other.owner != site.owner, scoped(other, other.comment.lowercased()) == nil
        else {
          return false
        }
        return split(other.owner).filter {
          !["add", "register", "set", "install", "attach", "bind", "hook"].contains($0)
        } == rest
          && split(other.owner).count == owner.count
      }
      if isCounterpart { return Decision(.key, .inferred, "The function's name says \"\(verb)\".") }
    }
    guard let typedef = site.typedef,
      !owner.contains(where: { ["register", "add", "install", "attach", "subscribe"].contains($0) }),
      !owner.contains(where: { Words.handler.contains($0) })
    else {
      return nil
    }
    // A function that makes an object passes the callback on to it.
    if function(of: site).map({ handle($0.result) != nil }) == true { return nil }
    // If this function takes a context and the other one does not, this one registers the callback.
    let hasOwnContext = function(of: site)?.parameters.contains { isVoidPointer($0.type) } == true
    let isRegistered = (byTypedef[typedef] ?? []).contains { other in
      guard let function = function(of: other), words[other.owner]?.contains("register") == true else { return false }
      return !hasOwnContext || function.parameters.contains { isVoidPointer($0.type) }
    }
    return isRegistered ? Decision(.key, .inferred, "Another function registers it.") : nil
  }

  private func isSignalHandler(_ site: Site, _ owner: [String], _ comment: String) -> Bool {
    if comment.has("async-signal") || comment.has("signal context") || comment.has("signal handler context") {
      return true
    }
    guard site.kind == .parameter, site.function.parameters.count == 1, isInteger(site.function.parameters[0].type)
    else {
      return false
    }
    let last = owner.last ?? ""
    return ["signal", "sigset", "sigaction"].contains(last)
      || Words.split(site.function.parameters[0].name).contains { ["sig", "signo", "signum"].contains($0) }
  }

  // MARK: Allocators

  private func isAllocation(_ function: CFunction) -> Bool {
    guard isVoidPointer(function.result) else { return false }
    let types = function.parameters.map { library.resolved($0.type) }
    let isOfMemory = types.enumerated().allSatisfy { index, type in
      // The object that needs the memory comes first.
      isInteger(type) || isVoidPointer(type) || type.pointee.map { isVoidPointer($0) } == true
        || index == 0 && handle(function.parameters[0].type) != nil
        // The reason, or the file.
        || type.pointee.map { library.resolved($0).withoutConst.description == "char" && $0.isConst } == true
    }
    return types.contains { isInteger($0) } && isOfMemory && types.count <= 3
  }

  private func hasSize(_ function: CFunction) -> Bool {
    function.parameters.first.map { isInteger($0.type) && $0.type.description != "int" } ?? false
  }

  /// True for `void (*)(void *memory, void *context)`.
  private func isDeallocation(_ function: CFunction) -> Bool {
    library.resolved(function.result).isVoid && function.parameters.count == 2
      && function.parameters.allSatisfy { isVoidPointer($0.type) }
  }

  private func isAllocator(_ site: Site) -> Bool {
    let siblings = site.kind == .global ? sites.filter { $0.kind == .global } : byOwner[site.owner] ?? []
    let names = Words.split(site.name) + Words.split(site.typedef ?? "")
    let isNamed =
      names.contains { $0.hasSuffix("alloc") || $0.hasSuffix("allocate") || $0 == "strdup" }
      || siblings.count > 1 && names.contains { $0.hasSuffix("free") }
    if site.kind == .typedef { return isAllocation(site.function) && isNamed }
    let words = Set(split(site.owner).map { $0.lowercased() })
    let isPurpose = words.contains("allocator") || words.isSuperset(of: ["memory", "management"])
    if isPurpose, siblings.contains(where: { isAllocation($0.function) }) { return true }
    // A pair without names: one gives memory, and the other takes it.
    if siblings.count == 2, siblings.contains(where: { isAllocation($0.function) && hasSize($0.function) }),
      siblings.contains(where: { isDeallocation($0.function) })
    {
      return true
    }
    let hasAllocation = siblings.contains { other in
      isAllocation(other.function)
        && (Words.split(other.name) + Words.split(other.typedef ?? "")).contains {
          $0.hasSuffix("alloc") || $0 == "m" || $0 == "malloc"
        }
    }
    guard hasAllocation else { return false }
    if isAllocation(site.function) || isNamed { return true }
    // The rest of a set of memory functions.
    let owner = split(site.owner)
    return owner.contains("mem") || owner.contains("memory") || owner.contains("allocator")
  }

  // MARK: Destroy notifies

  private func release(_ site: Site, _ owner: [String]) -> Decision<Role>? {
    guard site.kind == .parameter || site.kind == .field else { return nil }
    let parameters = site.function.parameters
    if releasedObject(site) != nil {
      return Decision(.release, .inferred, "It gets the object that has the data.")
    }
    guard parameters.count <= 3, parameters.contains(where: { isVoidPointer($0.type, const: true) }) else { return nil }
    // A function that also receives the context destroys something else: the elements of an array.
    if parameters.count(where: { isVoidPointer($0.type) }) > 1 { return nil }
    let names = Words.split(site.name) + Words.split(site.typedef ?? "")
    let isSimple = parameters.count == 1 && library.resolved(site.function.result).isVoid
    let strong = ["free", "destroy", "release", "cleanup", "destructor", "dtor"]
    let word = names.first { name in
      // A notification with several arguments has another purpose.
      strong.contains(name) || isSimple && Words.release.contains(name) || strong.contains { name.hasSuffix($0) }
    }
    if site.kind == .field {
      guard isSimple, let word, word != "notify", word != "clear" else { return nil }
      return Decision(.release, .inferred, "Its name says \"\(word)\".")
    }
    // A function whose own purpose is a cleanup registers a callback.
    let isPurpose = word.map { owner.contains($0) } ?? false
    let siblings = (byOwner[site.owner] ?? []).filter { $0.kind == .parameter && $0.key != site.key }
    // The other half of a pair: one is called first, and one last.
    let first: Set<String> = ["init", "start", "setup", "open", "begin", "attach"]
    if siblings.contains(where: { Words.split($0.name).contains { first.contains($0) } }) { return nil }
    // It destroys an object that another callback has created, not the context, which it also receives.
    if parameters.count >= 2,
      siblings.contains(where: { Words.split($0.name).contains { ["create", "creator"].contains($0) } })
    {
      return nil
    }
    // A callback for the end of an object, with a context of its own.
    let registering: Set<String> = ["hook", "on", "listener", "handler", "register"]
    if isPurpose, siblings.isEmpty, owner.contains(where: { registering.contains($0) }),
      let function = function(of: site), ownContext(of: site, function) != nil
    {
      return nil
    }
    if let word, !isPurpose || !siblings.isEmpty || isSimple, isSimple || !siblings.isEmpty || parameters.count >= 2,
      !(isPurpose && parameters.count == 3)
    {
      return Decision(.release, .told, "Its name says \"\(word)\".")
    }
    // A function without a name that takes one pointer, after data or a context: `sqlite3_bind_blob`.
    guard isSimple, site.name.isEmpty, site.index > 0, let function = function(of: site) else { return nil }
    let before = function.parameters[..<site.index]
    let hasCallback = siblings.contains { $0.index < site.index }
    let hasContextAfter =
      site.index + 1 < function.parameters.count && isVoidPointer(function.parameters[site.index + 1].type)
    if !hasContextAfter, hasCallback || before.contains(where: { isData($0.type) }) {
      return Decision(.release, .inferred, "It takes the pointer that was handed over before it.")
    }
    return nil
  }

  /// The place at which a destroy notification that receives an object finds the data, if the data is passed along with it.
  func releasedObject(_ site: Site) -> Context.Arrival? {
    let strong = ["free", "destroy", "release", "cleanup", "destructor", "dtor"]
    guard site.kind == .parameter, site.function.parameters.count == 1, let function = function(of: site),
      Words.split(site.name).contains(where: { strong.contains($0) }),
      library.resolved(site.function.result).isVoid, function.parameters.contains(where: { isVoidPointer($0.type) }),
      let object = handle(site.function.parameters[0].type),
      function.parameters.first.flatMap({ handle($0.type) }) == object
    else { return nil }
    if let accessor = accessor(of: object) { return .accessor(accessor) }
    return (records[object] ?? records["struct " + object]).flatMap { contextField(of: $0) }.map { .member($0) }
  }

  /// True for a pointer to memory: `void *`, or text.
  private func isData(_ type: CType) -> Bool {
    guard let pointee = library.resolved(type).pointee, case .named(let name, _) = library.resolved(pointee) else {
      return false
    }
    return ["void", "char", "unsigned char"].contains(name)
  }
}
