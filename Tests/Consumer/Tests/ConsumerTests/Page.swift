import Foundation
import Testing

/// The README and the pages below Docs, with their paths in the checkout.
struct Page: CustomTestStringConvertible, Sendable {
  let name: String
  let text: String

  var testDescription: String { name }

  static let all: [Page] = {
    let root = Compiler.root
    let docs = FileManager.default.enumerator(atPath: root.appendingPathComponent("Docs").path)
    let names = (docs?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "Docs/\($0)" }
    return (["README.md"] + names).map { name in
      Page(name: name, text: (try? String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)) ?? "")
    }
  }()
}
