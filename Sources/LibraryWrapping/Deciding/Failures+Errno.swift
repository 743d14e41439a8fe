/// Where the number of an error of the system is.
extension Failures {
  private static let negated = [
    "negative errno", "negated errno", "-errno", "negative posix", "negative error number", "negative system error",
  ]

  /// True if a function sets `errno` when it fails, according to its comment.
  static func setsErrno(_ function: Library.Function) -> Bool {
    let comment = function.comment.lowercased().replacingNewlines
    return comment.has("errno") && !negated.contains { comment.has($0) }
      && !["an errno", "errno value", "errno code"].contains { value in
        ["returns ", "return ", "or "].contains { comment.has($0 + value) }
      }
  }

  /// True if the function that describes a code takes `errno`: `modbus_strerror(int errnum)`, of a library whose functions return
  /// -1 and NULL.
  func describesErrno(_ function: Library.Function) -> Bool {
    guard ["errnum", "errno"].contains(function.parameters.first?.name), !returnsNumbers else { return false }
    return !library.functions.contains { $0.comment.lowercased().replacingNewlines.has("negative err") }
  }

  /// True if comments or names say that results are negative numbers of errors: -1 is one of them then, and no mere failure.
  var returnsNumbers: Bool {
    library.functions.contains { function in
      let comment = function.comment.lowercased().replacingNewlines
      if Self.negated.contains(where: { comment.has($0) }) { return true }
      if ["-einval", "-enomem", "-eagain", "-eperm", "-ebadf", "-enoent", "-eio"].contains(where: { comment.has($0) }) {
        return true
      }
      return !function.parameters.isEmpty && Words.split(function.name).contains("errno")
    }
  }
}
