import Foundation
import Testing

/// The snippets in documentation comments: every public type of `modules` shows one, and all of them compile.
@Suite("Comments")
struct CommentTests {
  struct Snippet: Sendable {
    let file: String
    let line: Int
    let source: [Substring]

    /// Extensions and suites cannot be declared inside a function.
    var standsAlone: Bool { source.contains { $0.hasPrefix("extension ") || $0.hasPrefix("@Suite") } }
  }

  /// The modules in which every public type shows a snippet.
  static let modules = ["Streams", "StreamsTesting"]

  static func files(of module: String) -> [(name: String, lines: [Substring])] {
    let directory = Compiler.root.appendingPathComponent("Sources/\(module)")
    let names = (FileManager.default.enumerator(atPath: directory.path)?.allObjects as? [String]) ?? []
    return names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
      let text = (try? String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)) ?? ""
      return (name, text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  static func snippets(of module: String) -> [Snippet] {
    var snippets: [Snippet] = []
    for (name, lines) in files(of: module) {
      var block: [Substring]?
      for (index, line) in lines.enumerated() {
        let text = line.drop { $0 == " " }
        if text == "/// ```swift" {
          block = []
        } else if text == "/// ```", let source = block {
          snippets.append(Snippet(file: "\(module)/\(name)", line: index + 1, source: source))
          block = nil
        } else {
          block?.append(text.dropFirst(4))
        }
      }
    }
    return snippets
  }

  @Test(arguments: modules)
  func `every public type shows a snippet`(_ module: String) throws {
    let declaration = try Regex(
      #"^(?:@\w+(?:\([^)]*\))? )*(?:public|open) (?:final |indirect )?(?:class|struct|enum|protocol|actor) (\w+)"#)
    var types = 0
    for (name, lines) in Self.files(of: module) {
      for (index, line) in lines.enumerated() {
        guard let match = try declaration.prefixMatch(in: line) else { continue }
        types += 1
        let comment = lines[..<index].reversed().prefix { $0.hasPrefix("///") || $0.hasPrefix("@") }
        #expect(comment.contains("/// ```swift"), "\(match.0) in \(name)")
      }
    }
    #expect(types > 5)
  }

  @Test(arguments: modules)
  func `snippets in comments compile`(_ module: String) async throws {
    var lines = [
      "import Dispatch", "import Headwater", "import StreamsTesting", "import Testing", "let bag = DisposeBag()",
      "typealias Stream = Headwater.Stream", "final class Model {", "  private let token = Lifetime.Token()",
      "  var lifetime: Lifetime { Lifetime(token) }", "}", "let model = Model()",
      "let ticks = Stream.interval(.seconds(1))",
    ]
    for (index, snippet) in Self.snippets(of: module).enumerated() {
      lines.append("#sourceLocation(file: \"\(snippet.file)\", line: \(snippet.line - snippet.source.count))")
      if snippet.standsAlone {
        lines += snippet.source.map(String.init)
      } else {
        lines.append("@MainActor func snippet\(index)() async throws {")
        lines += snippet.source.map(String.init)
        lines.append("}")
      }
    }
    lines.append("#sourceLocation()")
    let result = try await Compiler.check(lines.joined(separator: "\n"))
    #expect(result.accepts, "\(result.output)")
  }
}
