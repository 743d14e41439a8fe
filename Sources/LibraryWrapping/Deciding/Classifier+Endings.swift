extension Classifier {
  /// The functions that end a callback's life.
  func endings(of site: Site, _ context: Context?) -> Decision<[Ending]> {
    guard let function = function(of: site) else { return tableEndings(site, context) }
    let comment = site.comment.lowercased()
    // The function with the matching name, or the one that takes this function's result.
    // The object that is made from a configuration.
    if let context, case .function(let name, _) = context.registration, let maker = library.functionIndex[name],
      let made = made(by: library.functions[maker]), made != function.parameters.first.flatMap({ handle($0.type) }),
      let destructor = destructor(of: made)
    {
      return Decision([Ending(function: destructor, withNull: false)], .inferred, "\(destructor) destroys the object.")
    }
    if let configured = configured(function) {
      return Decision(
        [Ending(isOfMadeObject: true, function: configured, withNull: false)], .inferred,
        "\(configured) destroys the object that the configuration becomes.")
    }
    let pairs = pairs(of: site, function)
    let mentioned = Set(Words.identifiers(site.comment))
    var found: [Ending] = []
    var decision = Decision(found, .asked, "No function is known that ends it.")
    func add(_ name: String, _ withNull: Bool, _ certainty: Certainty, _ why: String) {
      if found.contains(where: { $0.function == name && $0.withNull == withNull }) { return }
      found.append(Ending(function: name, withNull: withNull))
      decision = Decision(found, max(decision.certainty, certainty), found.count == 1 ? why : decision.why)
    }
    for best in pairs where mentioned.contains(best[...]) { add(best, false, .told, "The comment names \(best).") }
    if let null = endsWithNull(site, function, comment) {
      add(site.owner, true, null, "The same function with NULL ends it.")
    }
    for best in pairs.prefix(2) { add(best, false, .inferred, "\(best) is its counterpart.") }
    if pairs.isEmpty, let release = productRelease(of: function) {
      add(release, false, .inferred, "\(release) releases what the function makes.")
    }
    for parameter in function.parameters.prefix(2) {
      guard let handle = handle(parameter.type) else { continue }
      if let cancel = cancellation(of: handle) { add(cancel, false, .inferred, "\(cancel) cancels it.") }
      guard let destructor = destructor(of: handle, near: function.name) else { continue }
      add(destructor, false, .inferred, "\(destructor) destroys the object.")
      break
    }
    return decision
  }

  /// The function that destroys the object made from the first argument, a configuration. After that, C no longer uses the
  /// configuration.
  func configured(_ function: Library.Function) -> String? {
    guard isRegistering(function), let configuration = function.parameters.first.flatMap({ handle($0.type) }),
      Words.split(configuration).contains(where: {
        ["conf", "config", "configuration", "options", "opts", "settings"].contains($0)
      })
    else { return nil }
    let makers = (byAnyHandle[configuration] ?? []).filter { other in
      guard let names = words[other.name] else { return false }
      return names.contains { ["new", "create", "open", "init", "start", "connect"].contains($0) }
        && other.parameters.contains { parameter in
          // A function that only reads a configuration does not make an object from it.
          handle(parameter.type) == configuration
            && parameter.type.pointee.map { library.resolved($0).isConst || $0.isConst } == false
        }
    }
    for maker in makers {
      if let made = made(by: maker), made != configuration, let destructor = destructor(of: made, near: maker.name) {
        return destructor
      }
    }
    return nil
  }

  /// Functions that cancel a request before it has called.
  func cancelling(of site: Site) -> Decision<[Ending]> {
    guard let function = function(of: site) else { return Decision([], .asked, "") }
    // A detached request continues, so detaching is not an ending.
    guard let best = pairs(of: site, function).first(where: { words[$0]?.contains("detach") != true }) else {
      return Decision([], .asked, "No function is known that cancels it.")
    }
    return Decision([Ending(function: best, withNull: false)], .inferred, "\(best) is its counterpart.")
  }

  /// The function that drops the only reference to the object that a function makes for its callback: a slot, or an event
  /// source.
  private func productRelease(of function: Library.Function) -> String? {
    guard let product = made(by: function), function.parameters.first.flatMap({ handle($0.type) }) != product,
      cancellation(of: product) == nil
    else { return nil }
    return byHandle[product]?.filter { other in
      other.parameters.count == 1 && ["unref", "release"].contains(words[other.name]?.last ?? "")
    }.min { $0.name.count < $1.name.count }?.name
  }

  /// The function that cancels all of an object's requests.
  func cancellation(of handle: String) -> String? {
    let type = Set(Words.split(handle))
    return byHandle[handle]?.first { function in
      // A function with a result may do something else: ask first, or end the connection.
      guard function.parameters.count == 1, let names = words[function.name], names.last == "cancel",
        library.resolved(function.result).isVoid
      else { return false }
      // `PQrequestCancel` cancels something other than the connection.
      return names.dropFirst().dropLast().allSatisfy { type.contains($0) }
    }?.name
  }

  /// The function that cancels the request that a function makes. Without a cancellation, a request ends with its answer.
  func requestCancellation(of function: Library.Function, _ site: Site) -> String? {
    guard let product = made(by: function) else { return nil }
    if Words.split(product).contains("request"), let cancel = request(of: function) { return cancel }
    let asking: Set<String> = ["submit", "query", "request", "lookup", "resolve", "getaddrinfo"]
    guard handle(function.result) == product, function.parameters.first.flatMap({ handle($0.type) }) != product,
      words[function.name]?.contains(where: asking.contains) == true
    else { return nil }
    return pairs(of: site, function).first { name in
      words[name]?.contains("cancel") == true
        && enders.contains { $0.function.name == name && $0.handles.contains(product) }
    }
  }

  // MARK: Counterparts

  private static let counterparts: [String: [String]] = [
    "register": ["unregister", "deregister", "remove"], "add": ["remove", "del", "delete"],
    "set": ["unset", "remove", "del", "clear"], "install": ["remove", "uninstall"], "start": ["stop"],
    "new": ["free", "destroy", "delete"], "create": ["destroy", "free", "delete", "unref"],
    "init": ["destroy", "cleanup", "free", "fini"],
    "open": ["close", "free"], "connect": ["disconnect"], "subscribe": ["unsubscribe"], "attach": ["detach"],
    "assign": ["del"], "bind": ["unbind"], "hook": ["unhook"], "watch": ["unwatch"], "listen": ["unlisten"],
    "alloc": ["free"],
  ]
  static let ending: Set<String> = [
    "remove", "unregister", "deregister", "del", "delete", "free", "destroy", "close", "stop", "cancel", "disconnect",
    "unsubscribe", "detach", "uninstall", "unset", "unhook", "finish", "cleanup", "fini", "unwatch", "unlisten",
    "disarm",
  ]

  /// The functions whose name or argument makes them the counterpart of a registering one, best first.
  func pairs(of site: Site, _ function: Library.Function) -> [String] {
    if let known = cache.pairs[function.name] { return known }
    let pairs = findPairs(of: function)
    cache.pairs[function.name] = pairs
    return pairs
  }

  private func findPairs(of function: Library.Function) -> [String] {
    let own = words[function.name] ?? []
    var scored: [(name: String, score: Int)] = []
    let product = made(by: function)
    let identifier = identifierType(of: function)
    let objects = Set(function.parameters.compactMap { handle($0.type) } + (product.map { [$0] } ?? []))
    for ender in enders where ender.function.name != function.name {
      let (other, names, verb) = (ender.function, ender.words, ender.verb)
      if names.contains("ref") || names.contains("unref") || names.contains("set") { continue }
      // `add_on_destroy` adds.
      if names.contains("add"), ender.takesCallback { continue }
      // It takes the object that the function made, or the one that the function took, and nothing else.
      var score = 0
      // A cleared object still exists.
      if verb != "clear", let product, ender.handles.contains(product), isWhole(other, names, product) { score += 10 }
      if verb != "clear", let identifier, other.parameters.contains(where: { $0.type == identifier }) { score += 10 }
      // `timers_cancel(timers, id)` takes what `timers_add` returned.
      let rest = names.filter { $0 != verb }
      if verb != "clear", own.count == rest.count + 1, rest.allSatisfy(own.contains),
        library.takesResult(of: function, other)
      {
        score += 14
      }
      for (word, opposites) in Self.counterparts where own.contains(word) && opposites.contains(verb) {
        let rest = own.filter { $0 != word }
        let otherRest = names.filter { $0 != verb }
        if rest == otherRest {
          score += 20
        } else if verb == "clear" {
          continue
        } else if otherRest.count >= 2, Set(otherRest).isSubset(of: Set(rest)), otherRest.count + 2 >= rest.count,
          // A function that takes an object unknown to the registration ends something else.
          ender.handles.isSubset(of: objects)
        {
          score += 12
        } else if product != nil, otherRest == Array(rest.prefix(otherRest.count)), otherRest.count >= 2 {
          score += 4
        }
      }
      if score >= 10, other.parameters.count <= 4, !names.contains("full"), !names.contains("get") {
        // The object lasts until it is freed. A function that closes or stops it may leave it to be opened again.
        if product != nil {
          if ["free", "destroy", "delete"].contains(verb) {
            score += 2
          } else if ["close", "stop", "cancel", "remove", "del", "unregister", "deregister"].contains(verb) {
            score += 1
          }
        }
        if names.contains("finalize") { score -= 5 }
        if ender.takesCallback { score -= 3 }
        scored.append((other.name, score * 16 - names.count))
      }
    }
    // If there is an exact counterpart, the counterparts of other functions don't count.
    let best = scored.map(\.score).max() ?? 0
    return scored.filter { best < 19 * 16 || $0.score >= best / 2 }
      .sorted { ($0.score, $1.name) > ($1.score, $0.name) }.map(\.name)
  }

  /// The object that a function returns, or writes through an out-parameter.
  func made(by function: Library.Function) -> String? {
    if let handle = handle(function.result) { return handle }
    for parameter in function.parameters {
      guard library.function(parameter.type) == nil, let inner = library.resolved(parameter.type).pointee,
        library.function(inner) == nil, let handle = handle(inner)
      else { continue }
      return handle
    }
    return nil
  }

  /// A typedef of a number that an out-parameter or the result has: an identifier of the registration.
  private func identifierType(of function: Library.Function) -> CType? {
    let candidates =
      [function.result] + function.parameters.compactMap { library.resolved($0.type).pointee?.withoutConst }
    return candidates.first { type in
      guard case .named(let name, _) = type, isInteger(type) else { return false }
      return Words.split(name).contains { ["handle", "id", "watch", "token"].contains($0) }
    }
  }

  /// The function that destroys an object; not one that only drops a reference.
  func destructor(of handle: String, near name: String = "") -> String? {
    let own = words[name] ?? []
    let candidates = (byHandle[handle] ?? []).filter { function in
      guard let names = words[function.name], function.parameters.count <= 2,
        !names.contains("get"), !names.contains("set") || Words.split(handle).contains("set"),
        self.handle(function.parameters[0].type) == handle, isWhole(function, names, handle)
      else { return false }
      return names.contains {
        ["free", "destroy", "close", "finish", "delete", "del", "cleanup", "shutdown", "deinit", "unref"].contains($0)
      }
        && !names.contains("ref")
    }
    // What cleans up may leave open what the function that closes closes.
    let verbs = ["free", "destroy", "delete", "close", "finish", "cleanup", "del", "deinit", "shutdown"]
    func score(_ function: Library.Function) -> Int {
      let names = words[function.name] ?? []
      let verb = verbs.firstIndex { names.contains($0) } ?? verbs.count
      // The same family as the function, the shortest name, and no part of the object: `pcm_close`, not `pcm_hw_free`.
      let type = Set(Words.split(handle).map(Self.singular)).union(own)
      let parts = names.dropFirst().prefix { !verbs.contains($0) && $0 != "unref" }
        .count { word in !type.contains { $0.count > 2 && word.hasPrefix($0) || $0.hasSuffix(Self.singular(word)) } }
      return zip(names, own).prefix { $0 == $1 }.count * 4 - names.count * 3 - verb - parts * 3
        - (function.parameters.count - 1) * 10
    }
    let best = candidates.max { (score($0), $1.name) < (score($1), $0.name) }
    guard let best, let names = words[best.name], names.contains(where: verbs.contains) || names.contains("unref")
    else { return nil }
    // Dropping a reference is not an ending.
    return names.contains("unref") ? nil : best.name
  }

  /// False for a function that takes a part away from an object: `json_object_del(object, key)`, `finish_upload`.
  func isWhole(_ function: Library.Function, _ names: [String], _ handle: String) -> Bool {
    if function.parameters.count == 2, self.handle(function.parameters[0].type) == handle {
      let type = function.parameters[1].type
      let isText =
        library.resolved(type).pointee.map { library.resolved($0).withoutConst.description == "char" } ?? false
      if isText || self.handle(type) != nil && library.function(type) == nil { return false }
      // An element: `array_remove(array, element)`.
      if isVoidPointer(type, const: true), names.contains(where: { ["remove", "del", "delete"].contains($0) }) {
        return false
      }
    }
    let verbs = Self.ending.union(["shutdown", "deinit", "unref"])
    guard let verb = names.lastIndex(where: { verbs.contains($0) }) else { return true }
    // `media_parse_stop` stops the parsing, and not the object.
    if ["stop", "cancel"].contains(names[verb]) {
      let own = Set(Words.split(handle).map(Self.singular)).union([prefix.filter { $0 != "_" }.lowercased()])
      let isAbout = names[..<verb].allSatisfy { word in
        own.contains(Self.singular(word)) || own.contains { $0.hasSuffix(word) && word.count > 2 }
      }
      if !isAbout { return false }
    }
    // The word after the verb names the object, or the manner: `delete_lp(lprec *)`.
    var type = Set(Words.split(handle).map(Self.singular))
    // A type with two names: `freeDStream(DStream *)`, where a DStream is a DCtx.
    if let pointee = function.parameters.first?.type.pointee, case .named(let name, _) = pointee {
      type.formUnion(Words.split(name).map(Self.singular))
    }
    let isOnly = function.parameters.count == 1
    let manner: Set<String> = [
      "all", "full", "async", "safe", "now", "sync", "deep", "rec", "v2", "v3", "ex", "func", "r",
    ]
    return names[(verb + 1)...].allSatisfy { word in
      manner.contains(word) || type.contains(Self.singular(word))
        || type.contains { $0.hasSuffix(word) && word.count > 2 || isOnly && $0.hasPrefix(word) && word.count > 1 }
    }
  }

  private static func singular(_ word: String) -> String {
    word.count > 2 && word.hasSuffix("s") ? String(word.dropLast()) : word
  }

  private func tableEndings(_ site: Site, _ context: Context?) -> Decision<[Ending]> {
    if case .function(let name, _)? = context?.registration, let index = library.functionIndex[name],
      words[name]?.contains("register") == true, let best = pairs(of: site, library.functions[index]).first
    {
      return Decision([Ending(function: best, withNull: false)], .inferred, "\(best) is its counterpart.")
    }
    if case .function(let name, _)? = context?.registration, let index = library.functionIndex[name],
      isRegistering(library.functions[index])
    {
      let comment = library.functions[index].comment.lowercased()
      if ["unregister", "deregister", "remov", "disable", "unset"].contains(where: { near(comment, "null", $0) }) {
        return Decision([Ending(function: name, withNull: true)], .told, "\(name) with NULL ends it.")
      }
    }
    if case .function(let name, _)? = context?.registration, let index = library.functionIndex[name],
      let handle = library.functions[index].parameters.first.flatMap({ handle($0.type) })
        ?? made(by: library.functions[index]),
      let destructor = destructor(of: handle)
    {
      return Decision([Ending(function: destructor, withNull: false)], .inferred, "\(destructor) destroys the object.")
    }
    guard let record = library.records.first(where: { $0.name == site.owner }) else {
      return Decision([], .asked, "No function is known that ends it.")
    }
    // The struct is the object itself, not the options for making one.
    let isOfOptions = Words.split(site.owner).contains { word in
      ["option", "opt", "config", "info", "setting", "attr", "param", "op", "func", "callback", "handler"].contains(
        Self.singular(word))
    }
    if !isOfOptions, let destructor = destructor(of: record.spelling) ?? destructor(of: "struct " + record.name) {
      return Decision([Ending(function: destructor, withNull: false)], .inferred, "\(destructor) destroys the object.")
    }
    // The object with which the table is registered, or the object that is made with it.
    for function in functions(taking: record) where isRegistering(function) {
      if let best = pairs(of: site, function).first(where: { words[$0]?.contains("unref") != true }),
        function.parameters.contains(where: {
          handle($0.type) == "struct " + site.owner || handle($0.type) == record.spelling
        }),
        made(by: function) == nil || made(by: function) == "struct " + site.owner
      {
        return Decision([Ending(function: best, withNull: false)], .inferred, "\(best) is its counterpart.")
      }
      if let made = made(by: function) ?? function.parameters.first.flatMap({ handle($0.type) }),
        made != "struct " + site.owner, let destructor = destructor(of: made, near: function.name)
      {
        return Decision(
          [Ending(function: destructor, withNull: false)], .inferred, "\(destructor) destroys the object.")
      }
    }
    return Decision([], .asked, "No function is known that ends it.")
  }
}
