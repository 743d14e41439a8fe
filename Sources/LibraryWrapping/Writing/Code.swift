/// Lines of Swift, indented by their braces.
struct Code {
  private(set) var lines: [String] = []

  init(_ lines: [String] = []) { self.lines = lines }

  mutating func add(_ text: String) {
    lines += text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  mutating func add(_ other: Code) { lines += other.lines }

  /// An empty line, unless one is there, or a type has just begun.
  mutating func gap() {
    if let last = lines.last, !last.isEmpty, !last.hasSuffix("{") { lines.append("") }
  }

  var isEmpty: Bool { lines.isEmpty }

  /// The text with two blanks for each open bracket.
  var text: String {
    var depth = 0
    var result = ""
    for line in lines {
      let line = line.trimmed
      if line.isEmpty {
        result += "\n"
        continue
      }
      let isComment = line.hasPrefix("//")
      let leading = isComment ? 0 : line.prefix { "})]".contains($0) }.count
      let opened = isComment ? 0 : line.count { "{([".contains($0) } - line.count { "})]".contains($0) }
      result += String(repeating: "  ", count: max(0, depth - leading)) + line + "\n"
      depth += opened
    }
    return result
  }
}

extension String {
  var trimmed: String {
    String(self[...].trimming(" "))
  }
}

extension Substring {
  /// The text without a character at its ends.
  func trimming(_ character: Character) -> Substring {
    var text = self
    while text.first == character { text = text.dropFirst() }
    while text.last == character { text = text.dropLast() }
    return text
  }
}
