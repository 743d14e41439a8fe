/// The rules of one file or of one list, in order. The last rule that matches decides.
struct IgnoreList {
  /// A line that is not a valid rule.
  struct BrokenLine {
    /// The line number, beginning at 1.
    let number: Int
    let text: [UInt8]
    let reason: PathPattern.Invalid
  }

  private struct Rule {
    let pattern: PathPattern
    let isNegated: Bool
  }

  private var rules: [Rule] = []
  /// The outlines of the rules, stored separately so that searching them copies no pattern.
  private var outlines: [PathPattern.Outline] = []
  /// The lines that are not valid rules.
  private(set) var brokenLines: [BrokenLine] = []

  var isEmpty: Bool { rules.isEmpty }

  /// Parses the contents of a file.
  init(content: [UInt8]) {
    var rest = content[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    var number = 0
    while !rest.isEmpty {
      number += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      var line = rest[..<(end ?? rest.endIndex)]
      rest = end.map { rest[($0 + 1)...] } ?? []
      if line.first == UInt8(ascii: "#") { continue }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      // git reads a line as a C string.
      append(line.prefix { $0 != 0 }, number)
    }
  }

  /// Parses one rule from each element. `#` has no special meaning.
  init(lines: [BytePath]) {
    for (index, line) in lines.enumerated() { append(line.bytes[...], index + 1) }
  }

  private mutating func append(_ line: ArraySlice<UInt8>, _ number: Int) {
    var text = Self.withoutTrailingSpaces(line)
    let isNegated = text.first == UInt8(ascii: "!")
    if isNegated { text.removeFirst() }
    do throws(PathPattern.Invalid) {
      let pattern = try PathPattern(text)
      rules.append(Rule(pattern: pattern, isNegated: isNegated))
      outlines.append(pattern.outline)
    } catch .empty {
      // The line is blank, or its pattern matches nothing.
    } catch {
      brokenLines.append(BrokenLine(number: number, text: Array(line), reason: error))
    }
  }

  /// Removes the trailing spaces, unless a backslash precedes them.
  private static func withoutTrailingSpaces(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var end = line.startIndex
    var index = line.startIndex
    while index < line.endIndex {
      let byte = line[index]
      index += byte == UInt8(ascii: "\\") && index + 1 < line.endIndex ? 2 : 1
      if byte != UInt8(ascii: " ") { end = index }
    }
    return line[..<end]
  }

  /// True if a rule depends on the directories of a path and not only on its last component.
  var dependsOnDirectories: Bool { rules.contains { $0.pattern.dependsOnDirectories } }

  /// Returns whether the rules ignore `path`, which is relative to their directory. Nil if no rule matches.
  func decision(_ path: NameBytes, isDirectory: Bool) -> Bool? {
    if rules.isEmpty { return nil }
    let last = PathPattern.startOfLastComponent(path)
    var index = rules.count
    while index > 0 {
      index -= 1
      if outlines[index].fits(path, lastComponent: last, isDirectory: isDirectory),
        rules[index].pattern.tokensMatch(path, lastComponent: last)
      {
        return !rules[index].isNegated
      }
    }
    return nil
  }
}
