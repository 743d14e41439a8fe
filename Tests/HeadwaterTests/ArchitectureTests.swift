import Foundation
import Testing

/// Docs/Architecture.md says who may import whom; this holds the sources to it.
@Suite("Architecture")
struct ArchitectureTests {
  /// The table's rows: a module, and what it may import besides the language's own modules.
  static let allowed: [String: Set<String>] = {
    let file = Compiler.root.appendingPathComponent("Docs/Architecture.md")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    var table: [String: Set<String>] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3 else { continue }
      let imports = cells[2].split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
      table[cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`"))] = Set(imports.filter { $0 != "–" })
    }
    return table
  }()

  static let modules: [String] =
    (try? FileManager.default.contentsOfDirectory(atPath: Compiler.root.appendingPathComponent("Sources").path).sorted())
    ?? []

  @Test("Every module has a row in the table, and every row a module")
  func rows() {
    #expect(Self.modules == Self.allowed.keys.sorted())
  }

  @Test("A module imports what its row allows and nothing else", arguments: modules)
  func imports(_ module: String) throws {
    let directory = Compiler.root.appendingPathComponent("Sources/\(module)")
    let files = try #require(FileManager.default.enumerator(atPath: directory.path))
    for case let file as String in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8)
      for line in text.split(separator: "\n") {
        guard let match = line.wholeMatch(of: /\s*(?:@\w+ )?(?:public |internal )?import (\w+)/) else { continue }
        let imported = String(match.1)
        let isSystem = ["Glibc", "Darwin"].contains(imported)
        #expect(
          isSystem || Self.allowed[module]?.contains(imported) == true, "\(module)/\(file) imports \(imported)")
      }
    }
  }

  @Test("The table has no cycle: a module imports only modules above it")
  func order() throws {
    let file = Compiler.root.appendingPathComponent("Docs/Architecture.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    var above: Set<String> = []
    for line in text.split(separator: "\n") {
      guard let match = line.firstMatch(of: /^\| `(\w+)`/) else { continue }
      let module = String(match.1)
      let own = (Self.allowed[module] ?? []).intersection(Self.allowed.keys)
      #expect(own.isSubset(of: above), "\(module) imports a module below it")
      above.insert(module)
    }
  }

  @Test("No source file is longer than 400 lines")
  func lengths() throws {
    for folder in ["Sources", "Tests", "Examples", "Benchmarks/Sources"] {
      let directory = Compiler.root.appendingPathComponent(folder)
      let files = try #require(FileManager.default.enumerator(atPath: directory.path))
      for case let file as String in files where file.hasSuffix(".swift") {
        let text = try String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 401, "\(folder)/\(file)")
      }
    }
  }
}
