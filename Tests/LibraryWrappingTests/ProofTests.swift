import Foundation
import Testing

@testable import LibraryWrapping

/// The headers of real libraries, compared with a person's reading of them.
@Suite("Callbacks of real libraries", .serialized, .enabled(if: Expected.isWanted))
struct ProofTests {
  @Test func `every callback of the table is found`() {
    for row in Expected.rows {
      guard let sites = Expected.read[row.library]?.sites else { continue }
      #expect(sites.contains { $0.site.key == row.key }, "\(row.library): \(row.key)")
    }
    #expect(Expected.rows.count >= 150)
  }

  @Test func `what is decided agrees with the table`() {
    var score = Score()
    for row in Expected.rows {
      guard let found = Expected.read[row.library]?.sites.first(where: { $0.site.key == row.key }) else { continue }
      score.add(row, found)
    }
    if Expected.read.count < Expected.libraries.count { return }
    #expect(score.contexts.right * 100 >= score.contexts.of * 95)
    #expect(score.shapes.right * 100 >= score.shapes.of * 90)
    #expect(score.shapes.unflagged * 100 >= score.shapes.of * 75)
    #expect(score.wrongUnflagged * 100 <= score.sites * 5)
    #expect(score.endings.found * 100 >= score.endings.of * 75)
    #expect(score.endings.right * 100 >= score.endings.named * 90)
    #expect(score.threads.wrong * 100 <= score.threads.of * 5)
    #expect(score.threads.right > 0)
    let all = Expected.read.values.flatMap(\.sites)
    #expect(all.count >= 500)
    #expect(all.count { $0.site.kind == .field } >= 100)
  }

  @Test(arguments: ["sqlite3", "expat", "libarchive", "hiredis"])
  func `an independent count finds no parameter and no field more`(_ name: String) throws {
    guard let read = Expected.read[name], let library = Expected.libraries.first(where: { $0.name == name }) else {
      return
    }
    let count = try IndependentCount.sites(library.arguments) { read.headers.counts($0) }
    let parameters = Set(read.sites.filter { $0.site.kind == .parameter }.map(\.site.key))
    #expect(parameters == count.parameters)
    #expect(read.sites.count { $0.site.kind == .field } == count.fields.count)
  }

  @Test func `names are those of the table`() throws {
    var names: [String: [String: String]] = [:]
    for (name, read) in Expected.read {
      var writer = SwiftWriter(read.library, read.sites, module: "Wrapped", link: [], choices: Choices())
      names[name] = try writer.write().names
    }
    for row in Expected.names where names[row[0]] != nil {
      #expect(names[row[0]]?[row[1]] == row[2], "\(row[0]): \(row[1])")
    }
    #expect(Expected.names.count >= 60)
  }

  @Test func `at most 15 % is skipped besides what must be, and nothing unsafe is written`() throws {
    var (skipped, all) = (0, 0)
    for read in Expected.read.values {
      var writer = SwiftWriter(read.library, read.sites, module: "Wrapped", link: [], choices: Choices())
      let output = try writer.write()
      #expect(!output.swift.contains("Unmanaged"))
      #expect(!output.swift.contains("unsafeBitCast"))
      all += read.sites.count
      let isWrapped = Dictionary(read.sites.map { ($0.site.key, $0.role.value.isWrapped) }) { first, _ in first }
      skipped += output.skipped.count { isWrapped[$0.key] == true }
      #expect(output.skipped.allSatisfy { !$0.reason.isEmpty })
    }
    #expect(skipped * 100 <= all * 15)
  }
}
