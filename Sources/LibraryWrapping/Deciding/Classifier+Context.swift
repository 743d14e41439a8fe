extension Classifier {
  /// The place at which the callback finds its context.
  func context(of site: Site, _ role: Role) -> Decision<Context?> {
    if role == .release { return releasedContext(of: site) }
    guard let arrival = arrival(of: site) else { return inObject(site) }
    let (index, kind, isSure) = arrival
    if site.kind == .field, !Words.split(site.function.parameters[index].name).contains(where: Words.context.contains),
      hasContextsOfOthers(site)
    {
      return Decision(nil, .inferred, "The contexts of the struct are those of other callbacks.")
    }
    let (registration, certainty, why) = registration(of: site)
    let context = Context(index: index, arrival: kind, registration: registration)
    return isSure
      ? Decision(context, certainty, why)
      : Decision(context, .asked, why + " Several parameters of the callback can be the context.")
  }

  // MARK: In the callback

  /// The parameter of the callback that is its context.
  private func arrival(of site: Site) -> (index: Int, kind: Context.Arrival, isSure: Bool)? {
    let parameters = site.function.parameters
    let candidates = parameters.indices.filter { index in
      guard isVoidPointer(parameters[index].type) else { return false }
      // A parameter that follows a function pointer is the context of that function, if there is no other one.
      return index == 0 || library.function(parameters[index - 1].type) == nil
        || hasContextParameter(site) && !getsOwnStruct(site)
    }
    if candidates.isEmpty { return unusualArrival(of: site) }
    if candidates.count == 1 {
      let words = Words.split(parameters[candidates[0]].name)
      // A lone pointer with another name is content.
      let isContent = words.contains { Words.content.contains($0) } && !words.contains { Words.context.contains($0) }
      if isContent, !hasContextParameter(site) || words.contains("buf") { return nil }
      // `event_handle` of a table is more likely an object than the table's context.
      return (
        candidates[0], .parameter,
        !(isContent && site.kind == .field) && !isAllocated(words, site) && !hasConstRival(site)
      )
    }
    let own = function(of: site)?.parameters.first { isVoidPointer($0.type) && !$0.name.isEmpty }?.name
    let scores = candidates.map { index -> Int in
      let name = parameters[index].name
      let words = Words.split(name)
      var score = 0
      if words.contains(where: { Words.context.contains($0) }) { score += 4 }
      if words.contains("user") || name.lowercased().hasPrefix("user") { score += 4 }
      if words.contains(where: { Words.content.contains($0) }) { score -= 4 }
      if let own, own == name { score += 3 }
      // A context is first or last.
      if index == 0 || index == parameters.count - 1 { score += 2 }
      if index == 0, name.isEmpty { score += 1 }
      // A pointer that a length follows is a buffer.
      if index + 1 < parameters.count, isInteger(parameters[index + 1].type) { score -= 1 }
      return score
    }
    let best = scores.max() ?? 0
    let winners = candidates.indices.filter { scores[$0] == best }
    let index = candidates[winners.last ?? 0]
    let isSure = winners.count == 1 && best >= 3 && !isAllocated(Words.split(parameters[index].name), site)
    return (index, .parameter, isSure)
  }

  /// True if a first `const void *` without a name may be the context as well: the function takes one, too.
  private func hasConstRival(_ site: Site) -> Bool {
    func isConstPointer(_ type: CType) -> Bool { isVoidPointer(type, const: true) && !isVoidPointer(type) }
    return site.function.parameters.first.map { $0.name.isEmpty && isConstPointer($0.type) } == true
      && function(of: site)?.parameters.contains { isConstPointer($0.type) } == true
  }

  /// True if a comment says that the library allocates the memory behind a parameter. Then it is not the program's context.
  private func isAllocated(_ name: [String], _ site: Site) -> Bool {
    let comment = site.comment.lowercased()
    guard comment.has("allocated by"), !name.isEmpty else { return false }
    return comment.split(whereSeparator: { ".;\n".contains($0) }).contains { sentence in
      let words = Words.identifiers(String(sentence))
      guard words.contains(Substring(name.joined(separator: "_"))), let index = words.firstIndex(of: "allocated") else {
        return false
      }
      return words[index...].contains { ["library", "libraries"].contains($0) }
    }
  }

  /// True for a field whose callback gets the struct itself first, which has the context.
  private func getsOwnStruct(_ site: Site) -> Bool {
    guard site.kind == .field, let object = site.function.parameters.first.flatMap({ handle($0.type) }),
      let record = records[object] ?? records["struct " + object]
    else { return false }
    return record.name == site.owner && contextField(of: record) != nil
  }

  private func hasContextParameter(_ site: Site) -> Bool {
    if site.kind == .field { return true }
    return function(of: site)?.parameters.contains { isVoidPointer($0.type) } ?? true
  }

  /// An array of contexts, a pointer to the context, or a context of another pointer type.
  private func unusualArrival(of site: Site) -> (index: Int, kind: Context.Arrival, isSure: Bool)? {
    let parameters = site.function.parameters
    let function = function(of: site)
    let next = function.flatMap { site.index + 1 < $0.parameters.count ? $0.parameters[site.index + 1].type : nil }
    for (index, parameter) in parameters.enumerated() {
      if let pointee = library.resolved(parameter.type).pointee, isVoidPointer(pointee) {
        if let next, isVoidPointer(next), index + 1 < parameters.count, isInteger(parameters[index + 1].type) {
          return (index, .array, true)
        }
        // `void **abstract`, as in libssh2: C passes the address of its own pointer to the context.
        // If the callback has another result, the `void **` is a result as well.
        let isResult =
          parameter.name.hasPrefix("pp")
          || parameters.contains { library.resolved($0.type).pointee.map { library.function($0) != nil } == true }
        if !isResult, Words.split(parameter.name).contains(where: { Words.context.contains($0) }) {
          return (index, .indirect, true)
        }
        let hasPlace =
          site.kind != .field
          || records[site.owner]?.fields.contains { isVoidPointer($0.type) } == true
          || records["struct " + site.owner]?.fields.contains { isVoidPointer($0.type) } == true
        if !isResult, hasPlace, parameter.name.isEmpty, index > 0, index == parameters.count - 1 {
          return (index, .indirect, false)
        }
      }
      // `u_char *user`, as in pcap.
      if let next, parameter.type == next, let pointee = library.resolved(next).pointee,
        case .named("unsigned char", false) = library.resolved(pointee), index == 0 || index == parameters.count - 1
      {
        return (index, .parameter, false)
      }
    }
    return nil
  }

  // MARK: In the registering function

  /// The parameter of the registering function that becomes the context of the callback.
  func ownContext(of site: Site, _ function: Library.Function) -> Int? {
    let parameters = function.parameters
    var candidates = parameters.indices.filter {
      isVoidPointer(parameters[$0].type) && !isMemory(parameters, $0)
        || isContextOfBytes(site, parameters[$0].type)
    }
    if candidates.isEmpty {
      // `const void *user_data`.
      candidates = parameters.indices.filter { index in
        isVoidPointer(parameters[index].type, const: true)
          && Words.split(parameters[index].name).contains { Words.user.contains($0) }
      }
    }
    if candidates.count <= 1 { return candidates.first }
    let callbacks = (byOwner[site.owner] ?? []).filter { $0.kind == .parameter }.map(\.index)
    if callbacks.count > 1, let own = contextOfOwn(site, candidates, callbacks, parameters) { return own }
    // The first pointer after the callback, with nothing but callbacks between.
    if let next = candidates.first(where: { $0 > site.index }),
      ((site.index + 1)..<next).allSatisfy({ callbacks.contains($0) }), isPlausible(parameters[next].name)
    {
      return next
    }
    if let before = candidates.last(where: { $0 < site.index }),
      ((before + 1)..<site.index).allSatisfy({ callbacks.contains($0) }), isPlausible(parameters[before].name)
    {
      return before
    }
    return candidates.max { left, right in
      score(parameters[left].name, left, site.index) < score(parameters[right].name, right, site.index)
    }
  }

  /// The context of one of several callbacks, if each has its own: the one with its name, or the one beside it.
  private func contextOfOwn(_ site: Site, _ candidates: [Int], _ callbacks: [Int], _ parameters: [CParameter]) -> Int? {
    let (name, stem) = (Words.split(site.name), stem(site.name))
    let named = candidates.filter { index in
      let other = parameters[index].name
      return !name.isEmpty && Words.split(other).starts(with: name) || !stem.isEmpty && self.stem(other) == stem
    }
    if named.count == 1 { return named[0] }
    let step = [1, -1].first { step in callbacks.allSatisfy { candidates.contains($0 + step) } }
    return step.map { site.index + $0 }
  }

  func isPlausible(_ name: String) -> Bool {
    let words = Words.split(name)
    return words.contains { Words.context.contains($0) } || !words.contains { Words.content.contains($0) }
  }

  /// True for a pointer that a length follows, unless its name says that it is a context.
  private func isMemory(_ parameters: [CParameter], _ index: Int) -> Bool {
    guard index + 1 < parameters.count, case let next = parameters[index + 1], Library.namesLength(next.name) else {
      return false
    }
    return library.isLength(next.name, next.type, of: parameters[index].name)
      && !Words.split(parameters[index].name).contains { Words.user.contains($0) }
  }

  private func isContextOfBytes(_ site: Site, _ type: CType) -> Bool {
    guard let arrival = unusualArrival(of: site), arrival.kind == .parameter else { return false }
    return type == site.function.parameters[arrival.index].type
  }

  private func score(_ name: String, _ index: Int, _ callback: Int) -> Int {
    let words = Words.split(name)
    var score = -abs(index - callback)
    if words.contains(where: { Words.context.contains($0) }) { score += 4 }
    if words.contains("user") || words.contains("userdata") { score += 3 }
    if words.contains(where: { Words.content.contains($0) }) { score -= 4 }
    return score
  }

  private func registration(of site: Site) -> (Context.Registration, Certainty, String) {
    if let function = function(of: site) {
      if let index = ownContext(of: site, function) {
        return (.parameter(index), .told, "Parameter \(index) of \(site.owner) is handed back.")
      }
      return elsewhere(site, function)
    }
    if site.kind == .field { return inTable(site) }
    if let named = mentioned(site, excluding: site.owner) {
      return (.function(named.name, named.index), .told, "The comment names \(named.name).")
    }
    return (.unknown, .inferred, "The function that registers it is not known.")
  }

  /// A function that a comment names and that takes a context.
  private func mentioned(_ site: Site, excluding owner: String) -> (name: String, index: Int)? {
    for word in Words.identifiers(site.comment) {
      guard word != owner[...], let index = library.functionIndex[String(word)] else { continue }
      let function = library.functions[index]
      let names = words[function.name] ?? []
      if names.contains("get") { continue }
      if let parameter = function.parameters.indices.last(where: { index in
        isVoidPointer(function.parameters[index].type) && isPlausible(function.parameters[index].name)
      }) {
        return (function.name, parameter)
      }
    }
    return nil
  }

  /// True if a function gets or makes an object, so that it can set the object's context.
  private func sets(_ name: String, for handle: String?) -> Bool {
    guard let handle else { return true }
    guard let function = library.functionIndex[name].map({ library.functions[$0] }) else { return false }
    return made(by: function) == handle || function.parameters.contains { self.handle($0.type) == handle }
  }

  /// Counts for each object which function its comments name.
  mutating func countNamedRegistrations() {
    var counts: [String: [String: (count: Int, index: Int)]] = [:]
    for site in sites where site.kind == .parameter {
      guard let function = function(of: site), let handle = function.parameters.first.flatMap({ handle($0.type) }),
        !function.parameters.contains(where: { isVoidPointer($0.type) }),
        let named = mentioned(site, excluding: site.owner), sets(named.name, for: handle)
      else { continue }
      counts[handle, default: [:]][named.name, default: (0, named.index)].count += 1
    }
    for (handle, names) in counts {
      guard let best = names.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }), best.value.count > 1
      else { continue }
      namedRegistrations[handle] = (best.key, best.value.index)
    }
  }

  /// A context that another function of the same object sets.
  private func elsewhere(_ site: Site, _ function: Library.Function) -> (Context.Registration, Certainty, String) {
    let handle = function.parameters.first.flatMap { self.handle($0.type) }
    let usual = handle.flatMap { namedRegistrations[$0] }
    // The comment of a type may name a function of another object.
    let named = mentioned(site, excluding: site.owner).flatMap { sets($0.name, for: handle) ? $0 : nil }
    if let named = usual ?? named {
      return (.function(named.name, named.index), .told, "The comments name \(named.name).")
    }
    guard let handle else { return ofProcess(function) }
    let setters = (byHandle[handle] ?? []).filter { other in
      guard other.parameters.count >= 2, !other.declaration.isDeprecated, isVoidPointer(other.parameters[1].type),
        let words = words[other.name]
      else { return false }
      return words.contains("set")
        && words.contains { ["user", "userdata", "data", "opaque", "context", "arg", "private"].contains($0) }
    }
    let name = split(function.name)
    if let setter = setters.max(by: { shared($0.name, name) < shared($1.name, name) }) {
      return (.function(setter.name, 1), .inferred, "\(setter.name) sets it for the object.")
    }
    for other in library.functions where other.name != function.name && self.handle(other.result) == handle {
      if let index = other.parameters.firstIndex(where: { isVoidPointer($0.type) }) {
        return (.function(other.name, index), .inferred, "\(other.name) makes the object with it.")
      }
    }
    return (.unknown, .asked, "Nothing sets a context for \(handle).")
  }

  /// A context that another function sets for the whole process: `set_log_userdata` beside `set_log_callback`.
  private func ofProcess(_ function: Library.Function) -> (Context.Registration, Certainty, String) {
    let stem = stem(function.name)
    let setter = library.functions.first { other in
      other.parameters.count == 1 && isVoidPointer(other.parameters[0].type) && other.name != function.name
        && self.stem(other.name) == stem && stem.contains("set")
    }
    guard let setter else { return (.unknown, .asked, "Nothing sets a context.") }
    return (.function(setter.name, 0), .inferred, "\(setter.name) sets it.")
  }

  private func shared(_ name: String, _ words: [String]) -> Int {
    let own = self.words[name] ?? []
    // A shorter name applies to more callbacks.
    return zip(own, words).prefix { $0 == $1 }.count * 8 - own.count
  }

  /// The argument of a destroy notification: the context of the callback next to it, or data.
  private func releasedContext(of site: Site) -> Decision<Context?> {
    let parameters = site.function.parameters
    let index = arrival(of: site)?.index ?? parameters.lastIndex { isVoidPointer($0.type, const: true) } ?? 0
    guard let function = function(of: site) else {
      let (registration, certainty, why) = inTable(site)
      return Decision(Context(index: index, arrival: .parameter, registration: registration), certainty, why)
    }
    let siblings = (byOwner[site.owner] ?? []).filter { other in
      other.kind == .parameter && other.key != site.key && role(of: other).value == .callback
    }
    let arrival = releasedObject(site) ?? .parameter
    if let callback = siblings.last(where: { $0.index < site.index }) ?? siblings.first,
      let own = ownContext(of: callback, function)
    {
      return Decision(
        Context(index: index, arrival: arrival, registration: .parameter(own)), .told,
        "It gets the context of parameter \(callback.index).")
    }
    let after = function.parameters.indices.first { $0 > site.index && isVoidPointer(function.parameters[$0].type) }
    let before = function.parameters.indices.last {
      $0 < site.index && function.parameters[$0].type.pointee != nil
        && library.function(function.parameters[$0].type) == nil && handle(function.parameters[$0].type) == nil
        && !isName(function.parameters[$0], function.parameters, $0)
    }
    if after == nil, before == nil, let setter = dataSetter(of: function) {
      return Decision(
        Context(index: index, arrival: .parameter, registration: .function(setter, 1)), .inferred,
        "\(setter) sets the data.")
    }
    let registration = (after ?? before).map { Context.Registration.parameter($0) } ?? .unknown
    return Decision(
      Context(index: index, arrival: arrival, registration: registration), .inferred, "It gets the data.")
  }

  /// The function that sets the data of an object's destroy notification: the one that its name mentions, or the object's own.
  private func dataSetter(of function: Library.Function) -> String? {
    let fillers = Words.handler.union(Words.release).union(["set"])
    let own = split(function.name).filter { !fillers.contains($0) }
    func isSetter(_ other: Library.Function) -> Bool {
      other.parameters.count == 2 && handle(other.parameters[0].type) != nil && isVoidPointer(other.parameters[1].type)
        && words[other.name]?.contains("set") == true
    }
    if let named = library.functions.first(where: { other in
      isSetter(other) && split(other.name).filter { $0 != "set" } == own
    }) {
      return named.name
    }
    guard let object = function.parameters.first.flatMap({ handle($0.type) }) else { return nil }
    return byHandle[object]?.first { other in
      isSetter(other) && handle(other.parameters[0].type) == object
        && words[other.name]?.contains { Words.user.contains($0) } == true
    }?.name
  }

  /// Text beside a `void *` is a name: `sqlite3_bind_pointer`.
  private func isName(_ parameter: CParameter, _ parameters: [CParameter], _ index: Int) -> Bool {
    !isVoidPointer(parameter.type, const: true) && parameters[..<index].contains { isVoidPointer($0.type) }
  }
}
