/// Objects that a function has given although it fails: `sqlite3_open` gives one that has the message.
extension SwiftWriter {
  /// An object that a failed function may have given: its variable, and the code that frees it and that asks it for the message.
  struct FailedResult {
    var freeing: String
    var message: String?
  }

  /// The objects that have to be freed after a failure. The variable begins as NULL, so only what C has written is freed.
  func failedResults(_ plan: FunctionPlan) -> [FailedResult] {
    plan.results.compactMap { result in
      guard let object = result.object, object.isOwned, result.code != "result",
        let found = scopes[object.handle]?.object, let release = found.release,
        let text = swift.imported(release.parameters[release.parameters.count - 1].type)?.text,
        // Only a method of the other object can free it.
        found.contextual == nil || freerArgument(object.handle, plan) == ", freer: self",
        isFreedAfterFailure(plan.function, object.handle, release)
      else { return nil }
      let isConst = plan.variables.contains { $0.hasPrefix("var \(result.code): UnsafePointer<") }
      let pointer =
        isConst && !text.hasPrefix("UnsafePointer<") ? "UnsafeMutablePointer(mutating: \(result.code))" : result.code
      let freeing = found.contextual?.function ?? release
      let arguments = found.contextual == nil ? pointer : "pointer, " + pointer
      let call = "\(library.resolved(freeing.result).isVoid ? "" : "_ = ")\(cModule).\(freeing.called)(\(arguments))"
      let message = lastError(of: object.handle).map {
        "\(result.code).flatMap { \(cModule).\($0.called)($0) }.map { \(swift.string)(cString: $0) }"
      }
      return FailedResult(freeing: "defer { if let \(result.code) { \(call) } }", message: message)
    }
  }

  /// True if an object that a failed function gives is the program's. Some libraries free it and leave a pointer to it behind, which
  /// must not be freed again, so something has to say that it exists: a choice, a comment, or a function that asks it for the error.
  private func isFreedAfterFailure(_ function: Library.Function, _ handle: String, _ release: Library.Function) -> Bool
  {
    if let chosen = choices.bySite[function.name]?.ownsFailed { return chosen }
    let comment = function.comment.lowercased().replacingNewlines
    let sentences = comment.split(separator: ".").map(String.init)
    let isGone = sentences.contains { sentence in
      ["fail", "error"].contains { sentence.has($0) }
        && ["undefined", "not valid", "invalid pointer", "unspecified", "must not be"].contains { sentence.has($0) }
    }
    if isGone { return false }
    let isTold = sentences.contains { sentence in
      Self.whateverHappens.contains { sentence.has($0) }
        && (sentence.has(release.name.lowercased())
          || ["free", "close", "release", "destroy"].contains { sentence.has($0) })
    }
    return isTold || lastError(of: handle) != nil
  }

  private static let whateverHappens = [
    "whether or not", "even if", "even when", "even on", "even in case", "even after", "also if", "also on",
    "also after",
    "regardless", "in any case", "in either case",
  ]
}
