/// Callbacks that are called only while one function runs: E8.
extension Classifier {
  static let scopedWords: Set<String> = [
    "foreach", "each", "iterate", "walk", "sort", "search", "bsearch", "find", "traverse", "enumerate", "exec", "scan",
    "loop",
    "dispatch", "visit", "qsort", "sorted", "iter", "every", "any", "once", "matches", "fold", "lookup", "copy", "eval",
    "load", "dump", "serialize", "deserialize",
  ]

  private static let keeping: Set<String> = [
    "subscribe", "on", "install", "connect", "listen", "watch", "attach", "hook",
  ]
  private static let repeating = [
    "invoked for each", "called for each", "invoked on each", "called on each", "called with each", "invoked on every",
    "called for every", "called once for each", "called once per", "calls a function for each",
  ]
  private static let registering = [
    "adds a handler", "adds a callback", "adds a listener", "registers a", "subscribes", "installs a",
  ]
  private static let blocking = [
    "is blocking", "blocks until", "does not return until", "for each result row", "callback to call on the",
    "iterates", "iterate over", "serialize a",
  ]

  func scoped(_ site: Site, _ comment: String) -> Decision<Life?>? {
    guard site.kind == .parameter, let function = function(of: site) else { return nil }
    // A function that makes an object passes the callback on to it.
    let makes: Set<String> = ["create", "new", "start", "open", "init", "make"]
    if Self.handle(function.result, library) != nil, words[site.owner]?.contains(where: { makes.contains($0) }) == true
    {
      return nil
    }
    if request(of: function) != nil { return nil }
    var owner = words[site.owner] ?? []
    // A callback that is set stays, even if it is called once for each element.
    if owner.contains("set") || owner.contains("register") { return nil }
    // What is registered is called for each of the things that come later. `add_all` calls for what it adds.
    let isAdding = owner.contains("add") && owner.contains { Words.handler.contains($0) }
    let isKept =
      isAdding || owner.contains { Self.keeping.contains($0) } || Self.registering.contains { comment.has($0) }
    for phrase in (isKept ? [] : Self.repeating) + Self.blocking
    where comment.has(phrase) && !(phrase.hasPrefix("iterate") && owner.contains("add")) {
      return Decision(.scoped, .told, "The comment says \"\(phrase)\".")
    }
    if !isRegistering(function) {
      for phrase in ["abort the", "aborts the", "invoked multiple times", "called multiple times"]
      where comment.has(phrase) {
        return Decision(.scoped, .inferred, "The comment says \"\(phrase)\", and the function registers nothing.")
      }
    }
    // A function that waits calls while it waits.
    if !owner.contains(where: { Self.staying.contains($0) }),
      function.parameters.contains(where: { isInteger($0.type) && Words.split($0.name).contains("timeout") })
    {
      return Decision(.scoped, .inferred, "The function has a timeout, and registers nothing.")
    }
    let types = Words.split(site.name) + Words.split(site.typedef ?? "")
    if let word = types.first(where: { ["iterator", "visitor", "foreach", "enumerator", "each"].contains($0) }),
      !owner.contains(where: { ["set", "new", "create", "add", "register", "install"].contains($0) })
    {
      return Decision(.scoped, .inferred, "Its name says \"\(word)\".")
    }
    if owner.contains("sorted"), owner.contains("add") || owner.contains("insert") {
      return Decision(.scoped, .inferred, "It compares while the function inserts.")
    }
    if owner.contains("set") || owner.contains("add") || owner.contains("register") || owner.contains("install")
      || owner.contains("new") || owner.contains("create") || owner.contains("full") && !owner.contains("free")
    {
      return nil
    }
    // "once" is done by the time the function returns only if nothing is passed along.
    if owner.contains("once"), !site.function.parameters.isEmpty { owner.removeAll { $0 == "once" } }
    if let word = owner.first(where: { Self.scopedWords.contains($0) }) {
      // Asynchronous search functions exist: a comparison is needed.
      let isComparison =
        site.function.parameters.count >= 2 && site.function.parameters.allSatisfy { $0.type.pointee != nil }
      if ["lookup", "copy", "search"].contains(word), !isComparison, !(word == "copy" && function.result.pointee != nil)
      {
        return nil
      }
      return Decision(.scoped, .inferred, "The function's name says \"\(word)\".")
    }
    return working(site, function, owner)
  }

  /// A function that works on what it is given, and calls while it does: it only reads its arguments, and keeps nothing.
  private func working(_ site: Site, _ function: Library.Function, _ owner: [String]) -> Decision<Life?>? {
    guard ownContext(of: site, function) != nil, made(by: function) == nil,
      !owner.contains(where: { Self.later.contains($0) || Self.staying.contains($0) })
    else { return nil }
    let before = function.parameters.prefix { library.function($0.type) == nil }
    func isRead(_ type: CType) -> Bool {
      guard let target = library.resolved(type).pointee else { return isInteger(type) }
      return library.isConstant(target)
    }
    if let first = before.first, let target = library.resolved(first.type).pointee,
      library.resolved(target).withoutConst.description != "char", before.allSatisfy({ isRead($0.type) })
    {
      return Decision(.scoped, .inferred, "It only reads what it is given.")
    }
    guard ["parse", "list", "decode"].contains(owner.last), isInteger(function.result),
      pairs(of: site, function).isEmpty
    else { return nil }
    return Decision(.scoped, .inferred, "The function's name says \"\(owner.last ?? "")\".")
  }

  /// Words of functions that call after they have returned.
  private static let later: Set<String> = [
    "async", "queue", "send", "request", "call", "post", "schedule", "defer", "timeout", "timer", "read", "write",
    "poll",
    "notify", "when", "after", "accept", "resolve", "get", "hook", "monitor", "observe", "receive", "recv", "enqueue",
    "spawn", "query",
  ]

  /// The callbacks that share a context in one call live as long as each other.
  func scopedBeside(_ site: Site, _ context: Context?) -> Decision<Life?>? {
    guard site.kind == .parameter, let registration = context?.registration, case .parameter = registration else {
      return nil
    }
    let siblings = (byOwner[site.owner] ?? []).filter { $0.kind == .parameter && $0.key != site.key }
    let other = siblings.first { other in
      self.context(of: other, .callback).value?.registration == registration
        && scoped(other, other.comment.lowercased()) != nil
    }
    return other.map { Decision(.scoped, .inferred, "\($0.key) has the same context, and is called meanwhile.") }
  }
}
