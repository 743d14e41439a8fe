import Headwater

/// Draws a list by its changes.
///
/// On a terminal, it writes only the lines that look different from before. Otherwise, it writes the table once, then a
/// line for each process that appears (`+`), disappears (`-`), or changes (`~`).
final class Screen {
  /// The size of a terminal.
  struct Size: Equatable {
    var rows: Int
    var columns: Int
  }

  private let isTerminal: Bool
  private var size: Size
  private var rows: [ProcessRow] = []
  /// The lines that the terminal shows, from the top.
  private var shown: [String] = []
  private var hasBegun = false

  /// Creates an empty screen. If `size` is nil, the output is not a terminal.
  init(_ size: Size?) {
    isTerminal = size != nil
    self.size = size ?? Size(rows: 0, columns: 0)
  }

  /// Returns the text to write so that the screen shows the list after `change`. The first call returns the whole table.
  func draw(_ change: CollectionChangeset<[ProcessRow]>) -> String {
    if isTerminal {
      rows = change.collection
      return redraw()
    }
    guard hasBegun else {
      hasBegun = true
      rows = change.collection
      return text([ProcessRow.header] + rows.map(\.line))
    }
    return text(follow(change))
  }

  /// Returns the text to write after the size of the terminal has changed.
  func resize(to size: Size) -> String {
    self.size = size
    shown = []
    return "\u{1b}[2J" + redraw()
  }

  private func redraw() -> String {
    let lines = ([ProcessRow.header] + rows.prefix(max(0, size.rows - 1)).map(\.line)).prefix(size.rows)
      .map { $0.clipped(toColumns: size.columns) }
    var text = ""
    for index in 0..<max(lines.count, shown.count) {
      let line = index < lines.count ? lines[index] : ""
      if index < shown.count, shown[index] == line { continue }
      text += "\u{1b}[\(index + 1);1H\(line)\u{1b}[K"
    }
    shown = lines
    return text
  }

  /// Returns a line for each change. A process that moves is deleted and inserted, so it counts as changed.
  private func follow(_ change: CollectionChangeset<[ProcessRow]>) -> [String] {
    var gone: [Int32: ProcessRow] = [:]
    for index in change.deletes { gone[rows[index].pid] = rows[index] }
    var lines: [String] = []
    for index in change.inserts {
      let row = change.collection[index]
      lines.append((gone.removeValue(forKey: row.pid) == nil ? "+" : "~") + row.line)
    }
    for index in change.updates { lines.append("~" + change.collection[index].line) }
    lines += gone.values.sorted { $0.pid < $1.pid }.map { "-" + $0.line }
    rows = change.collection
    return lines
  }

  private func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
}
