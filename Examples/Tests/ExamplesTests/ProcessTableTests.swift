import Foundation
import Headwater
import StreamsTesting
import Testing

@testable import processes

/// The example `processes`: reading `/proc`, and drawing the table.
@Suite("processes", .noLiveResources) @MainActor struct ProcessTableTests {
  static func row(_ pid: Int32, _ name: String = "x", seconds: Int = 0, mebibytes: Int = 0) -> ProcessRow {
    ProcessRow(pid: pid, name: name, state: "S", seconds: seconds, bytes: mebibytes << 20)
  }

  static func stat(_ name: String) -> String {
    "42 (\(name)) R 1 42 42 0 -1 4194304 102 0 0 0 6100 250 0 0 20 0 1 0 1882871 3133440 512 184467 1 1 0 0"
  }

  @Test(arguments: ["sh", "a b", "odd) (name", "tmux: server"])
  func `a line of stat is read`(_ name: String) {
    let row = ProcessRow(stat: Self.stat(name), ticksPerSecond: 100, pageSize: 4096)
    #expect(row == ProcessRow(pid: 42, name: name, state: "R", seconds: 63, bytes: 2 << 20))
    #expect(row?.line == "     42 R      1:03      2.0M \(name)")
  }

  @Test(arguments: ["", "42", "42 (sh", "42 )sh( R", "x (sh) R 1 2", "42 (sh) R 1 2 3"])
  func `what is no line of stat is none`(_ text: String) {
    #expect(ProcessRow(stat: text, ticksPerSecond: 100, pageSize: 4096) == nil)
  }

  @Test func `a name does not reach the terminal as it is`() {
    let row = ProcessRow(stat: Self.stat("\u{1b}[2J\n\u{9b}1m\u{202e}"), ticksPerSecond: 100, pageSize: 4096)
    #expect(row?.name == "?[2J??1m?")
  }

  @Test func `this process is among those of the system`() throws {
    let all = ProcessList.read()
    #expect(all.allSatisfy { $0 == $1.pid })
    #expect(try #require(all[getpid()]).bytes > 1 << 20)
  }

  @Test func `the table is filtered and sorted, and follows`() {
    let table = ProcessTable(containing: "a", by: .memory)
    let changes = table.rows.changes.record()
    table.refresh([
      1: Self.row(1, "a", mebibytes: 5), 2: Self.row(2, "b", mebibytes: 9), 3: Self.row(3, "ab", mebibytes: 7),
    ])
    #expect(table.rows.collection.map(\.pid) == [3, 1])
    table.refresh([
      1: Self.row(1, "a", mebibytes: 8), 2: Self.row(2, "b", mebibytes: 10), 3: Self.row(3, "ab", mebibytes: 7),
    ])
    #expect(table.rows.collection.map(\.pid) == [1, 3])
    table.refresh([1: Self.row(1, "a", mebibytes: 8)])
    #expect(table.rows.collection.map(\.pid) == [1])
    // First, a process that is not shown changes. Then nothing changes.
    table.refresh([1: Self.row(1, "a", mebibytes: 8), 2: Self.row(2, "b")])
    table.refresh([1: Self.row(1, "a", mebibytes: 8), 2: Self.row(2, "b")])
    #expect(changes.elements.count == 3)
  }

  @Test func `without a terminal a changeset is a line for each process`() {
    let table = ProcessTable(by: .memory)
    let screen = Screen(nil)
    table.refresh([1: Self.row(1, mebibytes: 3), 2: Self.row(2, mebibytes: 2), 3: Self.row(3, mebibytes: 1)])
    let drawn = table.rows.map { change in screen.draw(change) }.record()
    #expect(
      drawn.elements == [
        """
            PID S      TIME    MEMORY NAME
              1 S      0:00      3.0M x
              2 S      0:00      2.0M x
              3 S      0:00      1.0M x

        """
      ])
    // 1 disappears, 2 changes in place, 3 moves to the front, and 4 appears.
    table.refresh([
      2: Self.row(2, seconds: 61, mebibytes: 2), 3: Self.row(3, mebibytes: 4), 4: Self.row(4),
    ])
    let lines = (drawn.elements.last ?? "").split(separator: "\n").map(String.init)
    #expect(
      lines.sorted() == [
        "+      4 S      0:00      0.0M x", "-      1 S      0:00      3.0M x", "~      2 S      1:01      2.0M x",
        "~      3 S      0:00      4.0M x",
      ])
  }

  @Test func `on a terminal only the lines that differ are written`() {
    let table = ProcessTable(by: .pid)
    let screen = Screen(Screen.Size(rows: 4, columns: 80))
    table.refresh([1: Self.row(1), 2: Self.row(2), 3: Self.row(3), 4: Self.row(4)])
    let drawn = table.rows.map { change in screen.draw(change) }.record()
    table.refresh([1: Self.row(1), 2: Self.row(2, seconds: 5), 3: Self.row(3), 4: Self.row(4)])
    #expect(drawn.elements.last == "\u{1b}[3;1H      2 S      0:05      0.0M x\u{1b}[K")
    // The changed row is below the bottom of the terminal.
    table.refresh([1: Self.row(1), 2: Self.row(2, seconds: 5), 3: Self.row(3), 4: Self.row(4, seconds: 1)])
    #expect(drawn.elements.last == "")
    table.refresh([1: Self.row(1)])
    #expect(drawn.elements.last == "\u{1b}[3;1H\u{1b}[K\u{1b}[4;1H\u{1b}[K")
  }

  @Test func `lines are clipped by the columns they take`() {
    #expect("plain".clipped(toColumns: 3) == "pla")
    #expect("日本語".clipped(toColumns: 5) == "日本")
    #expect("e\u{301}e\u{301}x".clipped(toColumns: 2) == "e\u{301}e\u{301}")
    #expect("a😀b".clipped(toColumns: 2) == "a")
    #expect("ﾊﾝｶｸ".clipped(toColumns: 4) == "ﾊﾝｶｸ")
    #expect("한글".clipped(toColumns: 4) == "한글")
    #expect("x".clipped(toColumns: 0).isEmpty)
  }

  @Test func `whatever changes, the terminal shows the table`() {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0 ... .max, using: &random)
    var numbers = Numbers(state: seed)
    var size = Screen.Size(rows: 6, columns: 40)
    let table = ProcessTable(by: .memory)
    let screen = Screen(size)
    var paper = Paper()
    let subscription = table.rows.observeNext { paper.take(screen.draw($0)) }
    for _ in 0..<300 {
      var current: [Int32: ProcessRow] = [:]
      for pid in 1...Int32(9) where Bool.random(using: &numbers) {
        current[pid] = Self.row(
          pid, seconds: .random(in: 0...1, using: &numbers), mebibytes: .random(in: 0...3, using: &numbers))
      }
      table.refresh(current)
      if Int.random(in: 0..<10, using: &numbers) == 0 {
        size = Screen.Size(rows: .random(in: 1...12, using: &numbers), columns: .random(in: 5...60, using: &numbers))
        paper.take(screen.resize(to: size))
      }
      let sorted = current.values.sorted { ($1.bytes, $0.pid) < ($0.bytes, $1.pid) }
      let expected = ([ProcessRow.header] + sorted.map(\.line)).prefix(size.rows).map {
        String($0.prefix(size.columns))
      }
      #expect(paper.lines == expected, "seed \(seed)")
      if paper.lines != expected { break }
    }
    subscription.dispose()
  }

  /// A terminal that understands what `Screen` writes.
  struct Paper {
    private var rows: [Int: String] = [:]

    mutating func take(_ text: String) {
      for part in text.split(separator: "\u{1b}[") {
        if part == "2J" {
          rows = [:]
        } else if let place = part.prefixMatch(of: /(\d+);1H/) {
          rows[Int(place.1) ?? 0] = String(part[place.range.upperBound...])
        } else if part != "K" {
          Issue.record("\(part) is not understood")
        }
      }
    }

    var lines: [String] { rows.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// A generator whose numbers depend only on its seed, so that a failure can be reproduced.
  struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
