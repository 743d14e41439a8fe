/// Registrations that the same function ends with NULL.
extension Classifier {
  func endsWithNull(_ site: Site, _ function: Library.Function, _ comment: String) -> Certainty? {
    let owner = words[site.owner] ?? []
    let isCreation =
      owner.contains { ["new", "create", "init", "open", "start", "alloc"].contains($0) } && !owner.contains("set")
    if isCreation { return creationByName(site, function) ? .inferred : nil }
    let own = function.comment.lowercased()
    let text = own.isEmpty ? comment : own
    if text.has("null") {
      let refusing = ["must not be null", "may not be null", "should not be null", "cannot be null", "can't be null"]
      if refusing.contains(where: { text.replacingNewlines.has($0) }) { return nil }
      for word in ["disable", "remov", "unset", "turn off", "cancel", "no callback", "deregister", "unregister"]
      where near(text, "null", word) { return .told }
      // These words may be about another argument, unless the function registers something.
      for word in ["clear", "delete", "no longer", "ignored", "restore", "to use default", "to use the default"]
      where isRegistering(function) && near(text, "null", word) { return .told }
    }
    // A function that returns the previous callback does not change it when it receives NULL.
    if library.function(function.result) != nil { return nil }
    if owner.contains("add"), !owner.contains("set") { return nil }
    let isSetter =
      owner.contains("set") || owner.contains("setcb")
      || owner.last.map { ["hook", "handler", "setcb"].contains($0) } ?? false
    guard isSetter || owner.contains("trace") || owner.contains("needed") else { return nil }
    // C may need what it is told to do its work with: without a function to compare or to read, it would call NULL.
    let optional: Set<String> = [
      "callback", "callbacks", "cb", "setcb", "handler", "handlers", "hook", "hooks", "trace", "notify", "notification",
      "notifications", "listener", "observer", "log", "logger", "logging", "debug", "progress", "monitor", "needed",
      "authorizer", "interrupt",
    ]
    let isOptional =
      owner.contains { optional.contains($0) } || Words.split(site.name).contains { optional.contains($0) }
    let isNeeded = owner.contains { Self.neededWords.contains($0) } && !library.resolved(site.function.result).isVoid
    if owner.contains("custom") || isNeeded || !isOptional && !library.resolved(site.function.result).isVoid {
      return nil
    }
    let returnsHandle = handle(function.result) != nil
    return returnsHandle ? nil : .inferred
  }

  /// Words for what a library cannot work without.
  private static let neededWords: Set<String> = ["input", "output", "reader", "writer", "source", "sink"]

  /// A function that is created under a name in an object is deleted by the same call with NULL.
  private func creationByName(_ site: Site, _ function: Library.Function) -> Bool {
    guard words[site.owner]?.contains("create") == true, function.parameters.count > 2 else { return false }
    guard handle(function.parameters[0].type) != nil, let name = function.parameters[1].type.pointee else {
      return false
    }
    return library.resolved(name).isConst && handle(function.result) == nil && made(by: function) == nil
  }

  /// True if two words occur in the same sentence.
  func near(_ text: String, _ first: String, _ second: String) -> Bool {
    text.replacingNewlines.split(separator: ".").contains { String($0).has(first) && String($0).has(second) }
  }
}
