/// The table of results. The goals are for headwatch, which is the first column.
struct Table {
  private let columns: [String]
  private var rows: [(name: String, values: [String?], goal: String, isMissed: Bool)] = []

  init(_ columns: [String]) { self.columns = columns }

  /// Whether no goal is missed.
  var isGood: Bool { !rows.contains(where: \.isMissed) }

  mutating func set(_ name: String, _ tool: Tool, _ value: Double?, digits: Int = 2, goal: Double? = nil) {
    guard let value, let column = columns.firstIndex(of: tool.name) else { return }
    if !rows.contains(where: { $0.name == name }) {
      rows.append((name, Array(repeating: nil, count: columns.count), "", false))
    }
    let row = rows.firstIndex { $0.name == name }!
    rows[row].values[column] = Self.text(value, digits)
    if column == 0, let goal {
      rows[row].goal = "≤ \(Self.text(goal, digits))"
      rows[row].isMissed = value > goal
    }
  }

  func print() {
    var lines = [["", columns[0], "goal"] + columns.dropFirst()]
    for row in rows {
      let values = row.values.map { $0 ?? "-" }
      lines.append([row.name, values[0], row.goal + (row.isMissed ? " !" : "")] + values.dropFirst())
    }
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max()! }
    for line in lines {
      let cells = line.enumerated().map { column, text in
        let space = String(repeating: " ", count: widths[column] - text.count)
        return column == 0 ? text + space : space + text
      }
      Swift.print(cells.joined(separator: "  "))
    }
    for row in rows where row.isMissed { Swift.print("missed: \(row.name)") }
  }

  private static func text(_ value: Double, _ digits: Int) -> String {
    let factor = digits == 0 ? 1 : 100
    let scaled = Int((value * Double(factor)).rounded())
    if factor == 1 { return "\(scaled)" }
    return "\(scaled / 100).\(scaled % 100 < 10 ? "0" : "")\(scaled % 100)"
  }
}
