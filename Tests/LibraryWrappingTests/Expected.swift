import Foundation
import Testing

@testable import LibraryWrapping

/// The committed tables: a person's reading of the headers.
enum Expected {
  struct Library: CustomTestStringConvertible, Sendable {
    var name: String
    var package: String
    var arguments: [String]
    var testDescription: String { name }

    var options: HeaderOptions? { try? CommandOptions(arguments).headers }
  }
  struct Row {
    var library: String
    var key: String
    var role: String
    var context: String
    var life: String
    var result: String
    var ending: String
    /// True if the header and its comments decide the life.
    var isDecided: Bool
    /// The thread that calls. A question mark if the row does not say.
    var thread: String
  }

  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Expected")

  static func table(_ name: String) -> [[String]] {
    let text = (try? String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  static let libraries = table("libraries.tsv").map { cells in
    Library(name: cells[0], package: cells[1], arguments: cells[2].split(separator: " ").map(String.init))
  }

  static let rows = table("sites.tsv").map { cells in
    Row(
      library: cells[0], key: cells[1], role: cells[2], context: cells[3], life: cells[4], result: cells[5],
      ending: cells[6],
      isDecided: cells[7] == "yes", thread: cells.count > 8 ? cells[8] : "?")
  }

  static let names = table("names.tsv")

  /// True in `Scripts/test --all`, which installs the headers.
  static let isWanted = ProcessInfo.processInfo.environment["HEADWATER_ALL"] != nil

  /// The libraries whose headers are installed, read once.
  // Not checked: it is made once, and the only suite that uses more of it than the names is serialized.
  nonisolated(unsafe) static let read:
    [String: (headers: Headers, library: LibraryWrapping.Library, sites: [ClassifiedSite])] = {
      var result: [String: (headers: Headers, library: LibraryWrapping.Library, sites: [ClassifiedSite])] = [:]
      for library in libraries {
        guard let options = library.options, let headers = try? Headers(options) else {
          print("\(library.name) is left out: install \(library.package).")
          continue
        }
        let declarations = LibraryWrapping.Library(headers)
        result[library.name] = (headers, declarations, Classifier.classify(declarations))
      }
      return result
    }()
}

/// Counts of the decisions that agree with the table.
struct Score {
  var sites = 0
  var contexts = (right: 0, of: 0)
  var shapes = (right: 0, unflagged: 0, of: 0)
  var wrongUnflagged = 0
  var endings = (found: 0, right: 0, named: 0, of: 0)
  var threads = (right: 0, wrong: 0, of: 0)

  mutating func add(_ row: Expected.Row, _ found: ClassifiedSite) {
    sites += 1
    if row.role == "callback" || row.role == "release" {
      contexts.of += 1
      let context = found.context.value.map { "\($0.index)<\($0.registeredBy)" } ?? "-"
      let isRight = row.context.hasSuffix("<?") ? context.hasPrefix(row.context.dropLast()) : context == row.context
      if isRight { contexts.right += 1 }
    }
    let isCallback = row.role == "callback"
    let life = found.life.value?.rawValue ?? "?"
    let isRight = found.role.value.rawValue == row.role && (!isCallback || life == row.life)
    let isFlagged = found.certainty == .asked
    if row.isDecided {
      shapes.of += 1
      if isRight { shapes.right += 1 }
      if isRight, !isFlagged { shapes.unflagged += 1 }
    }
    if !isRight, !isFlagged, row.life != "?" { wrongUnflagged += 1 }
    if isCallback, row.thread != "?" {
      threads.of += 1
      // Without a decision, the safe default applies.
      if let thread = found.thread.value {
        if thread.rawValue == row.thread { threads.right += 1 } else { threads.wrong += 1 }
      }
    }
    guard isCallback, row.ending != "-" else { return }
    endings.of += 1
    let names = found.endings.value.map { $0.function + ($0.withNull ? ":null" : "") }
    if !names.isEmpty { endings.named += 1 }
    if names.contains(row.ending) {
      endings.found += 1
      endings.right += 1
    }
  }
}
