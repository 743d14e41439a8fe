import CUV
import Foundation
import Glibc
import Testing

/// Docs/Reference/LibuvFunctions.md, compared with the installed header and the sources.
@Suite("libuv's functions")
struct LibuvFunctionsTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  struct Row: Sendable, CustomTestStringConvertible {
    let function: String
    /// The names in the second column.
    let names: [String]
    /// The names in the third column that have a type and a member.
    let others: [String]
    let note: String

    var testDescription: String { function }
  }

  static let rows: [Row] = {
    let page =
      (try? String(contentsOf: root.appendingPathComponent("Docs/Reference/LibuvFunctions.md"), encoding: .utf8)) ?? ""
    return page.split(separator: "\n").filter { $0.hasPrefix("| `uv_") }.map { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      func names(_ cell: String) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }
      return Row(
        function: names(cells[1]).first ?? "", names: names(cells[2]),
        others: names(cells[3]).filter { $0.contains(/^[A-Z]\w*\./) }, note: cells[3])
    }
  }()

  /// The functions that the installed header exports.
  static func header() throws -> Set<String> {
    // Foundation's Process would leave a weak reference behind.
    guard let output = popen("pkg-config --variable=includedir libuv", "r") else { return [] }
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, Int32(line.count), output) != nil {}
    pclose(output)
    let folder = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let text = try String(contentsOfFile: "\(folder.isEmpty ? "/usr/include" : folder)/uv.h", encoding: .utf8)
    return Set(text.matches(of: /UV_EXTERN[^;]*?\b(uv_\w+)\s*\(/).map { String($0.1) })
  }

  @Test func `each function of the header has one row, and each row a function`() throws {
    let functions = try Self.header()
    #expect(functions.count > 250)
    let named = Self.rows.map(\.function)
    // A library that is newer than the page has functions without a row.
    if uv_version() >> 8 <= 0x012c { #expect(functions.subtracting(named) == [], "functions without a row") }
    #expect(Set(named).count == named.count, "functions with two rows")
    // A newer header must still have every function of the page.
    #expect(Set(named).subtracting(functions) == [], "rows without a function")
  }

  @Test(arguments: rows)
  func `a row says where, or why not`(_ row: Row) {
    #expect(!row.names.isEmpty || row.note.count > 5)
  }

  @Test(arguments: rows)
  func `the names in the rows exist`(_ row: Row) {
    for name in row.names + row.others { #expect(Sources.has(name), "\(name) is not in the sources") }
  }

  @Test func `a name that does not exist is found out`() {
    for name in ["Files.open", "Files.open(_:for:options:permissions:)", "Loop.init", "Stream.timer", "Bytes"] {
      #expect(Sources.has(name), "\(name)")
    }
    for name in ["Files.opens", "Files.open(_:)", "Nothing.open", "Nothing", "File.makeDirectory"] {
      #expect(!Sources.has(name), "\(name)")
    }
  }
}

/// The declarations in the sources, as far as a search for words finds them.
private enum Sources {
  /// The declarations of one file.
  struct File {
    /// The types that it declares or extends.
    var mentions: Set<Substring> = []
    /// The text after the name of each function, variable, case, or initializer.
    var members: [Substring: [Substring]] = [:]
  }

  /// The files of the modules that the page names, and the types that they declare.
  static let (files, types): ([File], Set<Substring>) = {
    let folder = LibuvFunctionsTests.root.appendingPathComponent("Sources")
    // FileManager's enumerator does not follow links.
    func all(_ url: URL) -> [URL] {
      let url = url.resolvingSymlinksInPath()
      let contents = (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
      return contents.flatMap { $0.pathExtension == "swift" ? [$0] : $0.hasDirectoryPath ? all($0) : [] }
    }
    var types: Set<Substring> = []
    let files = ["Streams", "EventLoops"].flatMap { all(folder.appendingPathComponent($0)) }.map { url in
      var file = File()
      let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
      var keyword: Substring = ""
      for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
        let name = word.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        switch keyword {
        case "class", "struct", "enum", "protocol":
          types.insert(name)
          file.mentions.insert(name)
        case "extension": file.mentions.insert(name)
        case "func", "var", "let", "case": file.members[name, default: []].append(text[name.endIndex...])
        default: if name == "init" { file.members[name, default: []].append(text[name.endIndex...]) }
        }
        keyword = word
      }
      return file
    }
    return (files, types)
  }()

  /// Whether `Type`, `Type.member`, or `Type.member(labels:)` is declared.
  static func has(_ name: String) -> Bool {
    let parts = name.split(separator: ".", maxSplits: 1)
    let type = parts[0] == "Stream" ? "Operation" : parts[0]
    if !types.contains(type) { return false }
    if parts.count == 1 { return true }
    let member = parts[1].prefix { $0 != "(" }
    let labels = parts[1].contains("(") ? String(parts[1].drop { $0 != "(" }.dropFirst().dropLast()) : nil
    let declarations = files.filter { $0.mentions.contains(type) }.flatMap { $0.members[member] ?? [] }
    guard let labels else { return !declarations.isEmpty }
    return declarations.contains { rest in
      let list = rest.first == "<" ? rest.drop { $0 != "(" } : rest
      return list.first == "(" && parameters(list) == labels
    }
  }

  /// The labels of the parameter list at the start of `text`, such as `to:for:`.
  private static func parameters(_ text: Substring) -> String {
    var depth = 0
    var labels = ""
    var isLabel = false
    var last: Character = " "
    for character in text {
      switch character {
      case "(", "[", "{", "<":
        depth += 1
        if depth == 1 { isLabel = true }
      case ")", "]", "}": depth -= 1
      case ">" where last != "-": depth -= 1
      case "," where depth == 1: isLabel = true
      case " ", "\n", ":":
        if depth == 1, isLabel, !(last.isWhitespace || last == "(" || last == ",") {
          labels += ":"
          isLabel = false
        }
      default: if depth == 1, isLabel { labels.append(character) }
      }
      last = character
      if depth == 0 { return labels }
    }
    return labels
  }
}
