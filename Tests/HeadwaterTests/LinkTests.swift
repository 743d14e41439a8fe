import Foundation
import Testing

/// The links of the Markdown pages, compared with the files and headings of the repository.
@Suite("Links")
struct LinkTests {
  @Test func `a link leads to a file of the repository, and its anchor to a heading`() throws {
    let pages = try Repository.files(endingIn: ".md")
    #expect(pages.count > 20)
    for page in pages {
      let text = try String(contentsOf: page, encoding: .utf8)
      for link in Self.links(in: text) {
        if let problem = Self.problem(with: link, on: page) {
          Issue.record("\(page.path.dropFirst(Repository.root.path.count + 1)): [](\(link)): \(problem)")
        }
      }
    }
  }

  @Test func `every page of Docs is on the map, and every example is in the table`() throws {
    for (index, folder) in [("Docs/README.md", "Docs"), ("Examples/README.md", "Examples")] {
      let page = Repository.root.appendingPathComponent(index)
      let linked = Set(
        try Self.links(in: String(contentsOf: page, encoding: .utf8)).map { link in
          URL(fileURLWithPath: String(link.prefix { $0 != "#" }), relativeTo: page).standardizedFileURL.path
        })
      for file in try Repository.files(endingIn: ".md") {
        let path = file.path.dropFirst(Repository.root.path.count + 1)
        if path.hasPrefix(folder + "/"), file != page, !linked.contains(file.path),
          !linked.contains(file.deletingLastPathComponent().path)
        {
          Issue.record("\(index) has no link to \(path)")
        }
      }
    }
  }

  @Test func `anchors are those that a code host makes of headings`() {
    #expect(
      Self.anchors(in: "# Files, names & `Bytes`\ntext\n## A [link](b.md)\n```\n# no heading\n```\n## A link\n") == [
        "files-names--bytes", "a-link", "a-link-1",
      ])
    #expect(
      Self.links(in: "[a](b.md#c), `[no](x)`\n```swift\n[a](b)\n```\n![d](e.svg) [f](https://g.org)") == [
        "b.md#c", "e.svg",
      ])
  }

  /// The problem with a link. Nil if there is none.
  private static func problem(with link: String, on page: URL) -> String? {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let target =
      parts[0].isEmpty ? page : page.deletingLastPathComponent().appendingPathComponent(parts[0]).standardizedFileURL
    guard FileManager.default.fileExists(atPath: target.path) else { return "there is no such file" }
    guard parts.count == 2 else { return nil }
    guard target.pathExtension == "md", let text = try? String(contentsOf: target, encoding: .utf8) else {
      return "only pages have anchors"
    }
    return anchors(in: text).contains(parts[1]) ? nil : "there is no such heading"
  }

  /// The lines outside fenced blocks.
  private static func prose(_ text: String) -> [Substring] {
    var isCode = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      if line.hasPrefix("```") { isCode.toggle() }
      return !isCode
    }
  }

  /// The links to other files and to anchors.
  private static func links(in text: String) -> [String] {
    prose(text).flatMap { line in
      line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
    }.filter { !$0.contains("://") }
  }

  private static func anchors(in text: String) -> [String] {
    var counts: [String: Int] = [:]
    return prose(text).compactMap { line in
      guard let match = line.wholeMatch(of: /#{1,6} (.+)/) else { return nil }
      let title = String(match.1).replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.lowercased()
      let anchor = String(
        title.compactMap { character -> Character? in
          if character == " " { return "-" }
          return character.isLetter || character.isNumber || character == "-" || character == "_" ? character : nil
        })
      defer { counts[anchor, default: 0] += 1 }
      return counts[anchor].map { "\(anchor)-\($0)" } ?? anchor
    }
  }
}
