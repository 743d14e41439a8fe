import Headwater

/// Draws a list by what has changed in it.
///
/// On a terminal it writes the lines that look different from before, and no others. Elsewhere it writes the table once, then
/// a line for each process that comes (`+`), goes (`-`) or changes (`~`).
final class Screen {
  /// The size of a terminal.
  struct Size: Equatable {
    var rows: Int
    var columns: Int
  }

  private let isTerminal: Bool
  private var size: Size
  private var rows: [ProcessRow] = []
  /// What the terminal shows, from the top.
  private var shown: [String] = []
  private var hasBegun = false

  /// Makes a screen that shows nothing yet. Without a size it is no terminal.
  init(_ size: Size?) {
    isTerminal = size != nil
    self.size = size ?? Size(rows: 0, columns: 0)
  }

  /// What is to be written so that the screen shows the list after a change. The first one shows it all.
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

  /// What is to be written after the terminal has got another size.
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

  /// A process that moves in the list goes and comes: here it changes.
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
