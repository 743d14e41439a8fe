/// The rules of one file, or of one command line, in order. The last rule that matches decides.
struct IgnoreList {
  /// A line that is no rule.
  struct BrokenLine {
    /// Its number, from 1.
    let number: Int
    let text: [UInt8]
    let reason: PathPattern.Invalid
  }

  private struct Rule {
    let pattern: PathPattern
    let isNegated: Bool
  }

  private var rules: [Rule] = []
  /// Those of the rules, apart from them, so that going through them copies no pattern.
  private var outlines: [PathPattern.Outline] = []
  /// The lines that have been left out.
  private(set) var brokenLines: [BrokenLine] = []

  var isEmpty: Bool { rules.isEmpty }

  /// Reads the content of a file.
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

  /// Reads one rule from each element; `#` has no special meaning.
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
      // A blank line, or one that matches nothing.
    } catch {
      brokenLines.append(BrokenLine(number: number, text: Array(line), reason: error))
    }
  }

  /// Spaces at the end do not count, unless there is a backslash before them.
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

  /// Whether it matters for a rule through which directories a path leads.
  var dependsOnDirectories: Bool { rules.contains { $0.pattern.dependsOnDirectories } }

  /// Whether the rules leave out `path`, which is relative to the directory that they belong to; nil if none matches.
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
