import Foundation
import Streams
import StreamsTesting
import Testing

private typealias Text = Streams.Operation<String, TestError>

/// Docs/Reference/Operators.md: every operator is in it, and its marbles are correct.
@Suite(.noLiveResources)
struct OperatorTableTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let operators: String
    let sources: [String]
    let result: String

    var testDescription: String { operators }
  }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let guide =
    (try? String(contentsOf: root.appendingPathComponent("Docs/Reference/Operators.md"), encoding: .utf8)) ?? ""

  /// The rows that end with marbles: "`a` + `b` → `c`".
  static let rows: [Row] = guide.split(separator: "\n").compactMap { line in
    let cells = line.replacingOccurrences(of: "\\|", with: "¦").split(separator: "|").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard let marbles = cells.last, marbles.contains("→") else { return nil }
    let lines = marbles.split(separator: "`").map { $0.replacingOccurrences(of: "¦", with: "|") }
      .filter { ![" + ", " → "].contains($0) }
    guard lines.count > 1, !cells[0].contains("→") else { return nil }
    return Row(operators: cells[0], sources: lines.dropLast(), result: lines.last ?? "")
  }

  /// Applies the operator at the beginning of a row to its source.
  private static let one: [String: @Sendable (Text) -> Text] = [
    "map(f)": { $0.map { $0.uppercased() } },
    "tryMap(f)": {
      $0.tryMap { letter throws(TestError) in if letter == "b" { throw "f" } else { letter.uppercased() } }
    },
    "attempt(f)": { $0.attempt { letter throws(TestError) in if letter == "b" { throw "f" } } },
    "scan(i, f)": { $0.scan(0) { $0 + (Int($1) ?? 0) }.map { "\($0)" } },
    "reduce(i, f)": { $0.reduce(0) { $0 + (Int($1) ?? 0) }.map { "\($0)" } },
    "collect()": { $0.collect().map { $0 == ["a", "b"] ? "x" : "?" } },
    "buffer(n)": { $0.buffer(2).map { $0 == ["a", "b"] ? "x" : $0 == ["c", "d"] ? "y" : "?" } },
    "scan(into: i, f)": { $0.scan(into: 0) { $0 += Int($1) ?? 0 }.map { "\($0)" } },
    "buffer(for: d)": {
      $0.buffer(for: .seconds(3)).map { $0 == ["a", "b"] ? "x" : $0 == ["c"] ? "y" : "?" }
    },
    "compactMap(f)": { $0.compactMap { Int($0).map { "\($0)" } } },
    "removeDuplicates()": { $0.removeDuplicates() },
    "prefix(n)": { $0.prefix(2) },
    "prefix(while: p)": { $0.prefix { Int($0).map { $0 % 2 == 1 } ?? false } },
    "dropFirst(n)": { $0.dropFirst(2) },
    "drop(while: p)": { $0.drop { Int($0).map { $0 % 2 == 1 } ?? false } },
    "single(orFail: e)": { $0.single(orFail: "single") },
    "start(with: x)": { $0.start(with: "x") },
    "materialize()": { $0.materialize().map { $0.element ?? "e" }.setFailureType(to: TestError.self) },
    "filter(p)": { $0.filter { Int($0).map { $0 % 2 == 1 } ?? false } },
    "distinct()": { $0.distinct() },
    "take(n)": { $0.take(2) },
    "takeLast(n)": { $0.takeLast(2) },
    "skip(n)": { $0.skip(2) },
    "skipLast(n)": { $0.skipLast(1) },
    "element(at: i)": { $0.element(at: 1) },
    "ignoreElements()": { $0.ignoreElements() },
    "defaultIfEmpty(x)": { $0.defaultIfEmpty("x") },
    "take(until: t)": { $0.take(until: Stream<Int>.timer(0, after: .seconds(3))) },
    "debounce(for: d)": { $0.debounce(for: .seconds(2)) },
    "throttle(for: d)": { $0.throttle(for: .seconds(3)) },
    "delay(for: d)": { $0.delay(for: .seconds(2)) },
    "timeout(d, failingWith: e)": { $0.timeout(.seconds(3), failingWith: "late") },
  ]
  private static let two: [String: @Sendable (Text, Text) -> Text] = [
    "merge(with:)": { $0.merge(with: $1) },
    "concat(with:)": { $0.concat(with: $1) },
    "then(_:)": { $0.then($1) },
    "combineLatest(with:)": {
      $0.combineLatest(with: $1).map { $0 == ("a", "c") ? "x" : $0 == ("b", "c") ? "y" : "?" }
    },
    "zip(with:)": { $0.zip(with: $1).map { $0 == ("a", "c") ? "x" : $0 == ("b", "d") ? "y" : "?" } },
    "withLatest(from: o)": { $0.withLatest(from: $1).map { $0 == ("b", "c") ? "x" : "?" } },
    "switchIfEmpty(o)": { $0.switchIfEmpty($1) },
    "amb(with:)": { $0.amb(with: $1) },
  ]

  @Test(arguments: rows)
  func `the marbles of the table are true`(_ row: Row) throws {
    let scheduler = VirtualScheduler()
    let name = try #require(row.operators.split(separator: "`").first.map(String.init))
    let sources = row.sources.map { scheduler.cold($0).toOperation() }
    let result: Text
    if sources.count == 1 {
      let apply = try #require(Self.one[name])
      result = apply(sources[0])
    } else {
      let apply = try #require(Self.two[name])
      result = apply(sources[0], sources[1])
    }
    let recorder = result.record(on: scheduler)
    scheduler.advance(by: .seconds(30))
    recorder.expect(row.result)
  }

  @Test func `all cases are in the table`() {
    #expect(Self.rows.count == Self.one.count + Self.two.count)
  }

  @Test func `every public operator is in the table`() throws {
    let directory = Self.root.appendingPathComponent("Sources/Streams")
    let declaration = try Regex(#"public (?:static )?func `?(\w+)"#)
    var names: Set<Substring> = []
    for folder in ["Operators", "Creation"] {
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.appendingPathComponent(folder).path)
      for file in files {
        let text = try String(contentsOf: directory.appendingPathComponent("\(folder)/\(file)"), encoding: .utf8)
        for match in text.matches(of: declaration) { names.insert(match.output[1].substring ?? "") }
      }
    }
    let inner: Set<Substring> = ["subscribe"]
    for name in names.subtracting(inner).sorted() {
      #expect(try Self.guide.contains(Regex("[`.]\(name)[( `]")), "\(name)")
    }
    #expect(names.count > 60)
  }
}
