/// The results of functions that are called for what they do, and not for what they return.
extension Failures {
  /// The rule for the result of a function that a program calls. A number is a value, and no status, if the function has a name of
  /// something that is asked for, and gives nothing else. `gives` is true if it returns values through parameters.
  func callRule(for function: Library.Function, words: [String], gives: Bool) -> Decision<FailureRule> {
    let rule = rule(for: function)
    guard rule.value != .never, rule.value != .null else { return rule }
    if words.contains(where: { $0.hasSuffix("cmp") || $0 == "compare" }),
      case .named(let name, _) = library.resolved(function.result),
      name == "int"
    {
      return Decision(.never, .inferred, "Its name says that it compares.")
    }
    if Self.asks(function.comment) { return Decision(.never, .told, "The comment answers a question.") }
    let codes: Set<String> = ["errno", "syserror", "err", "error"]
    if Self.isCode(function.result), words.contains("from") || words.contains("make"),
      words.contains(where: { codes.contains($0) })
    {
      return Decision(.never, .inferred, "It makes the code of an error.")
    }
    if words.contains("get"), !gives, rule.value != .negative {
      return Decision(.never, .inferred, "Its name asks for a value.")
    }
    if Self.isCode(function.result) {
      // A function of codes, such as the source of one, does not fail.
      let isOfCodes = !function.parameters.isEmpty && function.parameters.allSatisfy { Self.isCode($0.type) }
      return isOfCodes ? Decision(.never, .inferred, "It takes codes of errors alone.") : rule
    }
    if case .named(let name, _) = library.resolved(function.result), name.hasPrefix("enum "),
      library.namesSuccess(name) || library.namesSuccess(function.result.description)
    {
      return rule
    }
    let sets = words.contains { ["set", "put"].contains($0) } && !words.contains("is")
    let asks = words.contains { Self.asking.contains($0) } && !sets && !gives
    if asks, rule.value != .negative { return Decision(.never, .inferred, "Its name asks for a value.") }
    if rule.certainty == .told { return rule }
    if asks { return Decision(.never, .inferred, "Its name asks for a value.") }
    if !gives, !words.contains(where: { Self.doing.contains($0) }) {
      return Decision(.never, .asked, "Its name does not say that it can fail.")
    }
    if rule.value == .nonzero, rule.certainty != .told, Self.counts(function.comment) {
      return Decision(.negative, .told, "The comment says that it returns a number of something.")
    }
    return rule
  }

  /// True for the comment of a function that answers a question: "Returns 1 if there are any, 0 if not."
  static func asks(_ comment: String) -> Bool {
    let text = comment.lowercased().replacingNewlines
    return ["returns 1 if", "return 1 if", "return true if", "returns true if", "return: true if"].contains {
      text.has($0)
    }
      && ["0 if not", "0 otherwise", "0 if none", "or 0 if", "false otherwise", "false if not"].contains {
        text.has($0)
      }
      && !["succe", "error", "fail", "problem"].contains { text.has($0) }
  }

  /// True for the comment of a function that returns how many of something there are.
  static func counts(_ comment: String) -> Bool {
    let text = comment.lowercased().replacingNewlines
    return ["returns the number of", "return the number of", "returns how many"].contains { text.has($0) }
      && !["number of the err", "number of an err"].contains { text.has($0) }
  }

  /// True for a type that is named after errors.
  static func isCode(_ type: CType) -> Bool {
    guard case .named(let name, _) = type else { return false }
    return Words.split(name).contains {
      ["err", "error", "status", "result", "errno", "rc", "code", "res"].contains($0)
    }
  }

  private static let asking: Set<String> = [
    "get", "is", "has", "count", "num", "size", "length", "len", "type", "version", "cmp", "compare", "equal", "find",
    "index", "fileno", "fd", "errno", "errcode", "error", "changes", "want", "state", "level", "id", "flags", "rowid",
    "last", "total", "column",
  ]
  static let doing: Set<String> = [
    "open", "close", "read", "write", "set", "add", "init", "start", "stop", "send", "connect", "bind", "exec",
    "prepare",
    "step", "reset", "load", "parse", "commit", "begin", "append", "put", "del", "delete", "remove", "create", "submit",
    "run", "process", "update", "insert", "flush", "finish", "end", "next", "enable", "disable", "attach", "detach",
    "subscribe", "unsubscribe", "publish", "request", "call", "emit", "recv", "receive", "drop", "rename", "lookup",
    "resolve", "parse", "encode", "decode", "compress", "decompress", "seek", "skip", "copy", "clear", "apply", "push",
    "pop", "fetch", "clone", "checkout", "merge", "sync", "wait", "dispatch", "poll", "lock", "unlock", "listen",
    "scan", "refresh", "accept", "register", "unregister", "query", "execute", "finalize", "free", "destroy", "data",
    "header", "loop", "printf", "ctl", "control", "unbind", "disconnect", "term", "terminate", "shutdown", "monitor",
    "setsockopt", "setopt", "save", "initialize", "handshake", "login", "store", "restore", "import", "export",
    "setup", "configure", "define", "truncate", "resize", "mkdir", "rmdir", "unlink", "encrypt", "decrypt", "activate",
    "deactivate", "install", "uninstall", "replace", "move", "erase",
  ]
}
