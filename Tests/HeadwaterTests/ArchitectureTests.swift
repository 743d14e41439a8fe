import Foundation
import Testing

/// The imports of the modules, compared with those that Docs/Explanation/Architecture.md allows.
@Suite("Architecture")
struct ArchitectureTests {
  /// The rows of the page's first table, in order: a module, and the modules that it may import besides the C library.
  static let rows: [(module: String, imports: Set<String>)] = {
    let file = Repository.root.appendingPathComponent("Docs/Explanation/Architecture.md")
    let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(
      separator: "\n", omittingEmptySubsequences: false)
    let table = lines.drop { !$0.hasPrefix("| module ") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
    return table.map { line in
      let cells = line.split(separator: "|")
      let names = cells[1].matches(of: /`(\w+)`/).map { String($0.1) }
      return (cells[0].trimmingCharacters(in: CharacterSet(charactersIn: " `")), Set(names))
    }
  }()

  static let allowed = Dictionary(uniqueKeysWithValues: rows.map { ($0.module, $0.imports) })

  private static func files(of module: String = "") -> [String] {
    let directory = Repository.root.appendingPathComponent("Sources/\(module)").path
    return FileManager.default.enumerator(atPath: directory)?.allObjects as? [String] ?? []
  }

  static let modules = files().filter { !$0.contains("/") }.sorted()

  /// The modules that are written in C.
  static let modulesInC = Set(modules.filter { files(of: $0).contains { $0.hasSuffix("module.modulemap") } })

  /// The import declarations of a module's files, as words. The last one is the imported module.
  private static func imports(of module: String) throws -> [(file: String, words: [Substring])] {
    let directory = Repository.root.appendingPathComponent("Sources/\(module)")
    return try files(of: module).filter { $0.hasSuffix(".swift") }.flatMap { file in
      try String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8).split(separator: "\n")
        .compactMap { line in
          let words = line.prefix(80).split(separator: " ")
          guard let keyword = words.firstIndex(of: "import"), keyword == words.count - 2 else { return nil }
          let isImport = words[..<keyword].allSatisfy {
            $0.hasPrefix("@") || ["public", "package", "internal"].contains($0)
          }
          return isImport ? (file, words) : nil
        }
    }
  }

  @Test func `every module has a row in the table, and every row a module`() {
    #expect(Self.modules == Self.allowed.keys.sorted())
  }

  @Test(arguments: modules)
  func `a module imports what its row allows and nothing else`(_ module: String) throws {
    for (file, words) in try Self.imports(of: module) {
      let imported = String(try #require(words.last))
      let isSystem = ["Glibc", "Darwin"].contains(imported)
      #expect(
        isSystem || Self.allowed[module]?.contains(imported) == true, "\(module)/\(file) imports \(imported)")
    }
  }

  @Test(arguments: modules)
  func `a module re-exports the modules that its API names, so that importing it alone is enough`(_ module: String)
    throws
  {
    var named: Set<String> = []
    var exported: Set<String> = []
    for (_, words) in try Self.imports(of: module) where words.contains("public") {
      let imported = String(try #require(words.last))
      named.insert(imported)
      if words.contains("@_exported") { exported.insert(imported) }
    }
    let missing = named.intersection(Self.modules).subtracting(exported).subtracting(Self.modulesInC)
    #expect(missing.isEmpty)
  }

  @Test func `the table has no cycle: a module imports only modules above it`() throws {
    var above: Set<String> = []
    for row in Self.rows {
      let own = row.imports.intersection(Self.modules)
      #expect(own.isSubset(of: above), "\(row.module) imports a module below it")
      above.insert(row.module)
    }
  }

  @Test func `no source file that is written by hand is longer than 400 lines`() throws {
    for folder in ["Sources", "Tests", "Examples", "Benchmarks/Sources"] {
      let directory = Repository.root.appendingPathComponent(folder)
      let files = try #require(FileManager.default.enumerator(atPath: directory.path))
      // Excludes the packages that SwiftPM has fetched for a package that was built in place.
      for case let file as String in files where file.hasSuffix(".swift") && !"/\(file)".contains("/.build") {
        let text = try String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8)
        if text.hasPrefix("// Written by wrap-library") { continue }
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 401, "\(folder)/\(file)")
      }
    }
  }
}
