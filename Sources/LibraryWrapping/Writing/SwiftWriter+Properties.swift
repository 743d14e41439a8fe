/// Which functions become properties.
extension SwiftWriter {
  /// True if a function only asks for a value: it takes a constant object, or its name is that of a value.
  func asks(_ plan: FunctionPlan, _ words: [String]) -> Bool {
    // `newscn`.
    if words.contains(where: { $0.hasPrefix("new") && !["new", "newest", "newline", "newer", "news"].contains($0) }) {
      return false
    }
    if plan.results.first?.type == "Bool" || plan.results.first?.type == swift.string + "?" { return true }
    guard let index = plan.objectIndex else { return false }
    let type = plan.function.parameters[index].type
    // A typedef of a pointer to what is constant says nothing of a function.
    if case .pointer(let target, _) = type, library.isConstant(target) { return true }
    if plan.results.first?.object != nil { return words.first == "get" || !words.contains("move") }
    guard let first = words.first, let last = words.last else { return false }
    return ["get", "is", "has", "can", "num", "n", "nb", "current", "total", "max", "min", "last"].contains(first)
      || Self.nouns.contains(last) || last.hasSuffix("s")
  }

  private static let nouns: Set<String> = [
    "size", "length", "len", "count", "width", "height", "depth", "version", "name", "type", "id", "state", "status",
    "mode", "flags", "level", "offset", "position", "index", "fd", "code", "error", "errno", "number", "value", "kind",
    "uid", "gid", "pid", "time", "mtime", "ctime", "atime", "date", "year", "month", "day", "hour", "minute", "second",
    "socket", "port", "capacity", "rate", "duration", "filetype", "perm", "ino", "dev", "line", "column", "rowid",
    "timeout", "filter", "format", "compression", "fileno", "priority", "quality", "scale", "angle", "order", "rank",
  ]

  static let acting: Set<String> = [
    "next", "read", "write", "run", "process", "step", "close", "open", "start", "stop", "send", "recv", "flush",
    "reset",
    "pop", "push", "wait", "poll", "init", "begin", "end", "clear", "copy", "dup", "clone", "new", "create", "finish",
    "reorder", "unset", "fix", "apply", "refresh", "update", "sort", "assign", "wipe", "verify", "commit", "accept",
    "dispatch", "loop", "do", "shutdown", "handshake",
  ]
}
