import Foundation
import Testing

/// A program of the README or of a guide: a fenced block of Swift.
///
/// HTML comments right before the block, which a reader does not see, say what the block alone does not:
///
/// | comment | meaning |
/// |---|---|
/// | `<!-- prelude`, lines, `-->` | the program begins with these lines |
/// | `<!-- prelude NAME`, lines, `-->` | the same, and they get a name |
/// | `<!-- named NAME -->` | the code gets a name |
/// | `<!-- begins with NAME, NAME -->` | the program begins with what has these names, on this page or on another one |
/// | `<!-- epilogue`, lines, `-->` | it ends with these |
/// | `<!-- prints`, lines, `-->` | what it prints; `…` stands for any text in a line |
/// | `<!-- prints in any order`, lines, `-->` | the same, where the order of the lines is open |
/// | `<!-- logs`, lines, `-->` | what it writes to standard error |
/// | `<!-- driver NAME -->` | it serves: the driver of this name talks to it, and stops it |
/// | `<!-- not run: REASON -->` | it is only compiled |
/// | `<!-- not in SETTINGS: REASON -->` | it does not compile with these settings |
/// | `<!-- in FILE -->` | it is no program, but a part of this file of the guides' own tests |
struct Snippet: CustomTestStringConvertible, Sendable {
  let file: String
  let line: Int
  /// The whole program.
  let source: String
  /// The lines that it prints.
  let prints: [String]
  /// Whether it prints them in this order.
  let isOrdered: Bool
  /// The lines that it writes to standard error.
  let logs: [String]
  let driver: String?
  let isRun: Bool
  /// The settings with which it does not compile.
  let excluded: [String]
  /// The code alone.
  let code: String
  /// What the program is to begin with and no page has.
  let unknownNames: [String]
  /// The file of tests that has this code.
  let testFile: String?

  var testDescription: String { "\(file):\(line)" }

  /// The programs.
  static let all = everything.filter { $0.testFile == nil }

  /// The parts of tests.
  static let tests = everything.filter { $0.testFile != nil }

  private static let everything: [Snippet] = {
    let pages = Page.all.map { ($0.name, blocks(in: $0.text)) }
    let named = names(in: pages.flatMap(\.1))
    return pages.flatMap { name, blocks in blocks.map { Snippet(name, $0, named) } }
  }()

  /// The snippets of a page.
  static func snippets(in text: String, of file: String) -> [Snippet] {
    let blocks = blocks(in: text)
    return blocks.map { Snippet(file, $0, names(in: blocks)) }
  }

  /// What a page has: the lines of a fenced block, the number of the line before them, and the comments.
  private struct Block {
    var code: [String]
    var line: Int
    var comments: [String: [String]]
    var preludeName: String?
  }

  private static func names(in blocks: [Block]) -> [String: [String]] {
    var names: [String: [String]] = [:]
    for block in blocks {
      if let name = block.preludeName { names[name] = block.comments["prelude"] }
      if let name = block.comments["named"]?.first { names[name] = block.code }
    }
    return names
  }

  private static func blocks(in text: String) -> [Block] {
    var blocks: [Block] = []
    var comments: [String: [String]] = [:]
    var preludeName: String?
    var section: String?
    var block: [String]?
    var start = 0
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).enumerated() {
      if let name = section {
        if line == "-->" { section = nil } else { comments[name, default: []].append(line) }
      } else if let code = block {
        if line == "```" {
          blocks.append(Block(code: code, line: start, comments: comments, preludeName: preludeName))
          (block, comments, preludeName) = (nil, [:], nil)
        } else {
          block = code + [line]
        }
      } else if let match = line.wholeMatch(of: /<!-- prelude ([a-z ]+)/) {
        (section, preludeName) = ("prelude", String(match.1))
        comments["prelude"] = []
      } else if let match = line.wholeMatch(of: /<!-- (prelude|epilogue|prints|prints in any order|logs)/) {
        section = String(match.1)
        comments[String(match.1)] = []
      } else if let match = line.wholeMatch(of: /<!-- (driver|not in|not run|named|begins with|in)[ :]+(.*) -->/) {
        comments[String(match.1), default: []].append(String(match.2))
      } else if line == "```swift" {
        (block, start) = ([], index + 1)
      } else if !line.isEmpty {
        (comments, preludeName) = ([:], nil)
      }
    }
    return blocks
  }

  private init(_ file: String, _ block: Block, _ names: [String: [String]]) {
    let (code, comments) = (block.code, block.comments)
    self.file = file
    line = block.line
    let beginnings = (comments["begins with"] ?? []).flatMap { $0.split(separator: ", ").map(String.init) }
    unknownNames = beginnings.filter { names[$0] == nil }
    let location = ["#sourceLocation(file: \"\(file)\", line: \(line + 1))"]
    source =
      (["import Headwater"] + beginnings.flatMap { names[$0] ?? [] } + (comments["prelude"] ?? []) + location + code + [
        "#sourceLocation()"
      ]
      + (comments["epilogue"] ?? [])).joined(separator: "\n") + "\n"
    prints = comments["prints"] ?? comments["prints in any order"] ?? []
    isOrdered = comments["prints in any order"] == nil
    logs = comments["logs"] ?? []
    driver = comments["driver"]?.first
    self.code = code.joined(separator: "\n")
    testFile = comments["in"]?.first
    isRun = comments["not run"] == nil
    excluded = (comments["not in"] ?? []).compactMap { $0.split(separator: ":").first.map(String.init) }
  }

  /// Whether the program has written what it should.
  func matches(output: String, errors: String) -> Bool {
    if isOrdered { return Self.matches(output, prints) && Self.matches(errors, logs) }
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).sorted().drop { $0.isEmpty }
    return lines.map(String.init) == prints.sorted() && Self.matches(errors, logs)
  }

  private static func matches(_ text: String, _ expected: [String]) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
    return lines.count == expected.count && zip(lines, expected).allSatisfy(matches)
  }

  private static func matches(line: String, expected: String) -> Bool {
    guard expected.contains("…") else { return line == expected }
    let pieces = expected.split(separator: "…", omittingEmptySubsequences: false).map(String.init)
    var rest = line[...]
    guard rest.hasPrefix(pieces[0]), rest.hasSuffix(pieces[pieces.count - 1]) else { return false }
    for piece in pieces where !piece.isEmpty {
      guard let range = rest.range(of: piece) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
