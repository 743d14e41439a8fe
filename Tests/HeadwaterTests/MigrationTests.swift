import Foundation
import Testing

/// Docs/Reference/Migration.md, compared with the public declarations.
@Suite("Migration")
struct MigrationTests {
  /// A name in the column "Headwater", with the labels of its arguments if it has parentheses.
  struct Name: CustomTestStringConvertible, Hashable, Sendable {
    let text: String
    var testDescription: String { text }

    /// `AnyProperty(initial:then:)` → `AnyProperty`; `Lifetime.Token` → both.
    var words: [String] { text.prefix { $0 != "(" }.split(separator: ".").map(String.init) }
    /// `AnyProperty(initial:then:)` → `initial`, `then`.
    var labels: [String] { text.drop { $0 != "(" }.matches(of: /(\w+):/).map { String($0.1) } }
  }

  static let libraries = ["ReactiveKit 2", "ReactiveSwift", "RxSwift", "Combine", "ReSwift"]

  /// The cells of the table below the heading of a library.
  static func rows(_ library: String) -> [[String]] {
    let file = Repository.root.appendingPathComponent("Docs/Reference/Migration.md")
    let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    return lines.drop { $0 != "## \(library)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
      .filter { $0.hasPrefix("|") }.dropFirst(2)
      .map { line in
        line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces) }
      }
  }

  static let names: [Name] = Set(
    libraries.flatMap { rows($0) }.flatMap { $0[1].matches(of: /`([^`]+)`/).map { Name(text: String($0.1)) } }
  ).sorted { $0.text < $1.text }

  /// All public declarations: their names, and the argument labels of functions and initializers.
  static let declarations: (names: Set<Substring>, functions: [Substring: [[Substring]]]) = {
    var names: Set<Substring> = []
    var functions: [Substring: [[Substring]]] = [:]
    let directory = Repository.root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(atPath: directory.path)
    while let file = files?.nextObject() as? String {
      // A deprecated name does not count as a name of Headwater.
      guard file.hasSuffix(".swift"), !file.contains("Compatibility"),
        let text = try? String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8)
      else { continue }
      let declaration =
        /(?:(?:public|open) (?:\w+ )*(?:class|struct|enum|protocol|typealias|var|let|func)|\n +case) `?(\w+|<~)/
      for match in text.matches(of: declaration) { names.insert(match.1) }
      for match in text.matches(of: /(?:public|open) (?:\w+ )*(?:func `?(\w+)`?|init\??)(?:<[^(]*>)?\(/) {
        functions[match.1 ?? "init", default: []].append(labels(text[match.range.upperBound...]))
      }
    }
    return (names, functions)
  }()

  /// The labels of a parameter list, up to its closing parenthesis.
  private static func labels(_ text: Substring) -> [Substring] {
    var depth = 0
    var outer = ""
    for character in text {
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if depth < 0 { break }
      if depth == 0 { outer.append(character) }
    }
    return outer.split(separator: ",").compactMap { $0.firstMatch(of: /^\s*(\w+)(?: \w+)?:/)?.output.1 }
  }

  @Test(arguments: libraries)
  func `every library has a table whose rows have three cells`(_ library: String) {
    let rows = Self.rows(library)
    #expect(rows.count > 10)
    for row in rows { #expect(row.count == 3 && !row[0].isEmpty, "\(row)") }
  }

  @Test(arguments: names)
  func `what is said to be ours is there`(_ name: Name) throws {
    let missing = name.words.filter { !Self.declarations.names.contains(Substring($0)) }
    #expect(missing.isEmpty)
    let last = try #require(name.words.last)
    guard name.text.contains("("), !name.labels.isEmpty else { return }
    let called = last.first?.isUppercase == true ? "init" : last
    let candidates = try #require(Self.declarations.functions[Substring(called)])
    let wanted = name.labels.map { Substring($0) }
    #expect(
      candidates.contains { labels in
        var rest = labels[...]
        return wanted.allSatisfy { label in
          guard let index = rest.firstIndex(of: label) else { return false }
          rest = rest[(index + 1)...]
          return true
        }
      }, "no \(called) takes \(name.labels)")
  }

  /// The tests of rows. Their names begin with a library. They have no backslashes, because a Swift identifier cannot contain
  /// one.
  static let rowTests: Set<String> = {
    let directory = Repository.root.appendingPathComponent("Tests/MigrationTests")
    let files = (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
    let texts = files.filter { $0.pathExtension == "swift" }.compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    return Set(texts.flatMap { $0.matches(of: /func `([^`]+: [^`]+)`/).map { String($0.1) } })
  }()

  @Test func `each row is run by a test of its name, and each such test has a row`() {
    let rows = Set(
      Self.libraries.flatMap { library in
        Self.rows(library).map { "\(library): \($0[0].filter { $0 != "`" && $0 != "\\" })" }
      })
    #expect(rows.subtracting(Self.rowTests).sorted() == [], "rows without a test in Tests/MigrationTests")
    #expect(Self.rowTests.subtracting(rows).sorted() == [], "tests without a row")
  }

  @Test func `names that are not there are found missing`() {
    #expect(Self.declarations.names.isDisjoint(with: ["switchMap", "observer", "observeError"]))
    #expect(Self.declarations.functions["debounce"]?.contains(["for", "on"]) == true)
  }
}
