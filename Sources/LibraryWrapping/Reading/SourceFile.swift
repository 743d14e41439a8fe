/// The text of a header: the comments and the names that clang's tree lacks.
final class SourceFile {
  let path: String
  let bytes: [UInt8]

  init(_ path: String) {
    self.path = path
    bytes = Files.contents(of: path) ?? []
  }

  /// The text of a range, without its comments and with its line breaks as blanks.
  func code(from start: Int, to end: Int) -> String {
    guard start >= 0, start <= end, end <= bytes.count else { return "" }
    var result: [UInt8] = []
    var index = start
    while index < end {
      if let comment = endOfComment(at: index) {
        result.append(0x20)
        index = comment
        continue
      }
      // A directive inside of a declaration.
      if bytes[index] == UInt8(ascii: "#") {
        while index < end, bytes[index] != 0x0a { index += 1 }
        continue
      }
      result.append(bytes[index] == 0x0a ? 0x20 : bytes[index])
      index += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The numbers in the parentheses after the name at `start`, such as 1 and 2 of `nonnull(1, 2)`. Empty if there are none.
  func arguments(at start: Int) -> [Int] {
    guard start >= 0, start < bytes.count else { return [] }
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
    var rest = bytes[start...].drop { !blanks.contains($0) && $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") }
    rest = rest.drop(while: blanks.contains)
    guard rest.first == UInt8(ascii: "(") else { return [] }
    let numbers = rest.prefix { $0 != UInt8(ascii: ")") }.split { !(48...57 ~= $0) }
    return numbers.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
  }

  /// The end of a declaration whose parentheses are not closed at `end`, and of the list of parameters that follows them.
  func balancedEnd(from start: Int, to end: Int) -> Int {
    guard start >= 0, start <= end, end <= bytes.count else { return end }
    var depth = 0
    for index in start..<end {
      if bytes[index] == UInt8(ascii: "(") { depth += 1 }
      if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
    }
    if depth <= 0 { return end }
    var index = end
    while index < bytes.count, bytes[index] != UInt8(ascii: ";") {
      if bytes[index] == UInt8(ascii: "(") { depth += 1 }
      if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
      index += 1
      if depth > 0 { continue }
      let next = bytes[index...].first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
      if depth < 0 || next != UInt8(ascii: "(") { return index }
    }
    return index
  }

  /// The comments inside of a range and on its last line.
  func comments(from start: Int, to end: Int) -> String {
    guard start >= 0, start <= end, end <= bytes.count else { return "" }
    var result: [UInt8] = []
    var index = start
    while index < bytes.count {
      if let comment = endOfComment(at: index) {
        result += bytes[index..<comment] + [0x0a]
        index = comment
        continue
      }
      if index >= end, bytes[index] == 0x0a { break }
      // Another declaration may begin on the same line.
      if index > end, bytes[index] > 0x20,
        ![UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: ")")].contains(bytes[index])
      {
        break
      }
      index += 1
    }
    return Self.plain(String(decoding: result, as: UTF8.self))
  }

  private func endOfComment(at index: Int) -> Int? {
    guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "/") else { return nil }
    if bytes[index + 1] == UInt8(ascii: "/") {
      var end = index
      while end < bytes.count, bytes[end] != 0x0a { end += 1 }
      return end
    }
    guard bytes[index + 1] == UInt8(ascii: "*") else { return nil }
    var end = index + 2
    while end + 1 < bytes.count, !(bytes[end] == UInt8(ascii: "*") && bytes[end + 1] == UInt8(ascii: "/")) { end += 1 }
    return min(end + 2, bytes.count)
  }

  /// The start of the line on which a declaration begins.
  private func startOfLine(_ offset: Int) -> Int {
    var index = min(max(offset, 0), bytes.count)
    while index > 0, bytes[index - 1] != 0x0a { index -= 1 }
    return index
  }

  /// The comment directly above the declaration at `offset`, plain; empty if there is none.
  ///
  /// A declaration that directly follows another one without an empty line shares that one's comment, unless that is
  /// documentation. `limit` is the end of the previous declaration.
  func comment(above offset: Int, since limit: Int) -> (text: String, isAdjacent: Bool) {
    var end = startOfLine(offset)
    // Macros on lines of their own: XMLPARSEAPI(void), GLIB_AVAILABLE_IN_ALL.
    for _ in 0..<4 {
      let start = startOfLine(end - 1)
      guard end > 0, start < end, start >= limit else { break }
      let line = bytes[start..<end].filter { $0 > 0x20 }
      guard let first = line.first, let last = line.last, last != UInt8(ascii: "{") else { break }
      let isDirective = first == UInt8(ascii: "#")
      let isMacro =
        first >= UInt8(ascii: "A") && first <= UInt8(ascii: "Z") && last != UInt8(ascii: ";")
        && last != UInt8(ascii: "/")
      let isType =
        last != UInt8(ascii: ";") && last != UInt8(ascii: "/") && last != UInt8(ascii: "}") && line.count < 40
      if !isDirective, !isMacro, !isType { break }
      end = start
    }
    var parts: [String] = []
    var index = end
    var blankLines = 0
    while index > limit {
      let byte = bytes[index - 1]
      if byte <= 0x20 {
        if byte == 0x0a { blankLines += 1 }
        index -= 1
        continue
      }
      // More than one empty line: the comment belongs to something else.
      if blankLines > 2 { break }
      if index >= 2, byte == UInt8(ascii: "/"), bytes[index - 2] == UInt8(ascii: "*") {
        var start = index - 2
        while start >= 2, !(bytes[start - 2] == UInt8(ascii: "/") && bytes[start - 1] == UInt8(ascii: "*")) {
          start -= 1
        }
        guard start >= 2, start - 2 >= limit else { break }
        // A comment on the line of the previous declaration belongs to that declaration.
        let lineStart = startOfLine(start - 2)
        if bytes[lineStart..<(start - 2)].contains(where: { $0 > 0x20 }) { break }
        // So does one with a mark for what stands before it.
        if bytes[start..<index].drop(while: { "*!".utf8.contains($0) }).first == UInt8(ascii: "<") { break }
        parts.append(String(decoding: bytes[(start - 2)..<index], as: UTF8.self))
        index = start - 2
        blankLines = 0
        if parts.count > 3 { break }
        continue
      }
      let lineStart = startOfLine(index - 1)
      let line = bytes[lineStart..<index].drop { $0 <= 0x20 }
      guard line.starts(with: "//".utf8) else { break }
      parts.append(String(decoding: line, as: UTF8.self))
      index = lineStart
      blankLines = 0
    }
    if let first = parts.last {
      // Documentation is about one declaration.
      let isDocumentation = ["/**", "/*!", "///", "//!"].contains { first.hasPrefix($0) }
      return (Self.plain(parts.reversed().joined(separator: "\n")), !isDocumentation)
    }
    return ("", index <= limit + 1 && blankLines <= 1)
  }

  /// A comment without its marks.
  static func plain(_ comment: String) -> String {
    // A header of Windows has returns before its line feeds.
    let lines = comment.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }.map {
      line -> Substring in
      var line = line[...]
      while let last = line.last, last.isWhitespace { line.removeLast() }
      if line.hasSuffix("*/") { line.removeLast(2) }
      while let first = line.first, first.isWhitespace { line.removeFirst() }
      for mark in ["/**<", "/**", "/*!<", "/*!", "/*<", "/*", "///<", "///", "//!<", "//", "**", "*"]
      where line.hasPrefix(mark) {
        line.removeFirst(mark.count)
        break
      }
      while let last = line.last, last.isWhitespace || last == "*" { line.removeLast() }
      while let first = line.first, first.isWhitespace { line.removeFirst() }
      return line
    }
    return lines.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The macros of the form `#define NAME ((TYPE)NUMBER)`, each with its type.
  private(set) lazy var castConstants: [(name: String, type: String)] = definitions.compactMap { words in
    guard words.count >= 3, words[2].hasPrefix("(("), let close = words[2].firstIndex(of: ")") else { return nil }
    let value = words[2][words[2].index(after: close)...].prefix { $0 != ")" }
    let type = words[2][..<close].dropFirst(2)
    guard !value.isEmpty, value.allSatisfy({ $0.isNumber || $0 == "-" }), !type.contains("*") else { return nil }
    return (words[1], String(type))
  }

  /// The names of the macros.
  private(set) lazy var macroNames: [String] = definitions.compactMap { words in
    guard words.count >= 2, words[1].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
    return words[1]
  }

  /// The lines that define macros, split at blanks: `define`, a name, and what it stands for.
  private(set) lazy var definitions: [[String]] = bytes.split(separator: 0x0a).compactMap { line in
    guard line.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "#") else { return nil }
    var words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }.map { String(decoding: $0, as: UTF8.self) }
    if words[0] == "#" { words.removeFirst() } else { words[0].removeFirst() }
    return words.first == "define" ? words : nil
  }
}
