import Foundation
import Testing

/// A program of the README or of a guide: a fenced block of Swift code.
///
/// HTML comments directly before the block, which a reader does not see, add what the block alone lacks:
///
/// | comment | meaning |
/// |---|---|
/// | `<!-- prelude`, lines, `-->` | the program begins with these lines |
/// | `<!-- prelude NAME`, lines, `-->` | the same, and the lines get a name |
/// | `<!-- named NAME -->` | the code gets a name |
/// | `<!-- begins with NAME, NAME -->` | the program begins with the code of these names, from this page or another one |
/// | `<!-- epilogue`, lines, `-->` | the program ends with these lines |
/// | `<!-- prints`, lines, `-->` | the expected output; `…` stands for any text in a line |
/// | `<!-- prints in any order`, lines, `-->` | the same, but the lines may come in any order |
/// | `<!-- logs`, lines, `-->` | the expected lines on standard error |
/// | `<!-- driver NAME -->` | the program serves: the driver of this name talks to it and stops it |
/// | `<!-- not run: REASON -->` | the program is only compiled |
/// | `<!-- not in SETTINGS: REASON -->` | the program does not compile with these settings |
/// | `<!-- in FILE -->` | the block is not a program, but a part of this test file of the guides |
struct Snippet: CustomTestStringConvertible, Sendable {
  let file: String
  let line: Int
  /// The whole program.
  let source: String
  /// The lines that it must print.
  let prints: [String]
  /// Whether it must print them in this order.
  let isOrdered: Bool
  /// The lines that it must write to standard error.
  let logs: [String]
  let driver: String?
  let isRun: Bool
  /// The settings with which it does not compile.
  let excluded: [String]
  /// The code of the block alone.
  let code: String
  /// The names in `begins with` that no page defines.
  let unknownNames: [String]
  /// The test file that contains this code.
  let testFile: String?

  var testDescription: String { "\(file):\(line)" }

  /// The snippets that are programs.
  static let all = everything.filter { $0.testFile == nil }

  /// The snippets that are parts of test files.
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

  /// A fenced block of a page: its lines, the number of the line before them, and the comments before the block.
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

  /// Whether the program has printed and logged the expected lines.
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
