import Foundation
import Testing

/// The Swift snippets of the README and the guides compile.
@Suite("Documentation")
struct DocumentationTests {
  /// A snippet: a fenced block, with what an HTML comment that begins with `prelude` right before it declares.
  struct Snippet: CustomTestStringConvertible, Sendable {
    let file: String
    let line: Int
    let source: String

    var testDescription: String { "\(file):\(line)" }
  }

  static let snippets: [Snippet] = {
    let docs = Compiler.root.appendingPathComponent("Docs")
    let guides = (try? FileManager.default.contentsOfDirectory(atPath: docs.path)) ?? []
    let files =
      [Compiler.root.appendingPathComponent("README.md")]
      + guides.filter { $0.hasSuffix(".md") }.sorted().map { docs.appendingPathComponent($0) }
    return files.flatMap { file in
      snippets(in: (try? String(contentsOf: file, encoding: .utf8)) ?? "", of: file.lastPathComponent)
    }.filter { Compiler.hasMacros || !$0.source.contains("import DelegateMacros") }
  }()

  static func snippets(in text: String, of file: String) -> [Snippet] {
    var snippets: [Snippet] = []
    var prelude: [Substring] = []
    var block: [Substring]?
    var start = 0
    var isPrelude = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if isPrelude {
        if line == "-->" { isPrelude = false } else { prelude.append(line) }
      } else if line == "<!-- prelude" {
        (isPrelude, prelude) = (true, [])
      } else if block != nil, line == "```" {
        let source = (["import Headwater"] + prelude + (block ?? [])).joined(separator: "\n")
        snippets.append(Snippet(file: file, line: start, source: source))
        (block, prelude) = (nil, [])
      } else if block != nil {
        block?.append(line)
      } else if line == "```swift" {
        (block, start) = ([], index + 1)
      } else if !line.isEmpty {
        prelude = []
      }
    }
    return snippets
  }

  @Test("There are snippets") func any() { #expect(Self.snippets.contains { $0.file == "README.md" }) }

  @Test("A snippet compiles", arguments: snippets)
  func compiles(_ snippet: Snippet) async throws {
    let result = try await Compiler.check(snippet.source)
    #expect(result.accepts, "\(result.output)")
  }
}
