/// What comments say of parameters.
extension FunctionPlanner {
  /// `@param[in,out] count the number of …`, or `@count: (inout): the number of …`.
  struct Remark {
    var direction: PointerUse.Kind?
    var text: String
  }

  /// What the comment of a function says of a parameter. Nil if it has no paragraph for it.
  func remark(on index: Int, of function: Library.Function) -> Remark? {
    let name = function.parameters[index].name
    let comment = function.comment.replacingNewlines
    guard !name.isEmpty, comment.has(name), comment.has("@") || comment.has("\\param") else { return nil }
    let marked = comment.replacing("\\param", with: "\n@param").replacing("@", with: "\n@")
    for paragraph in marked.split(separator: "\n") where paragraph.hasPrefix("@") {
      var text = paragraph.dropFirst()
      if text.hasPrefix("param") {
        text = text.dropFirst("param".count).trimming(" ")
        var direction: PointerUse.Kind?
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
          direction = Self.direction(text[..<end])
          text = text[text.index(after: end)...].trimming(" ")
        }
        let named = text.prefix { $0 != " " && $0 != ":" }.split(separator: ",").map { $0.trimming("*") }
        if named.contains(name[...]) { return Remark(direction: direction, text: String(text)) }
      } else if text.hasPrefix(name + ":") {
        text = text.dropFirst(name.count + 1).trimming(" ")
        let notes = text.hasPrefix("(") ? text.prefix { $0 != ":" } : ""
        return Remark(direction: Self.direction(notes), text: String(text))
      }
    }
    return nil
  }

  /// The direction in `[in,out]`, or in `(out) (transfer full)`.
  private static func direction(_ text: Substring) -> PointerUse.Kind? {
    let words = text.lowercased().split { !$0.isLetter }
    if words.contains("inout") || words.contains("in") && words.contains("out") { return .both }
    if words.contains("out") { return .output }
    return words.contains("in") ? .input : nil
  }
}
