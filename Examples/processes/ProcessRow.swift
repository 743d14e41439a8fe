/// A process, as the table shows it.
nonisolated struct ProcessRow: Hashable {
  let pid: Int32
  let name: String
  /// `R` runs, `S` sleeps, `D` waits for a disk, `Z` has ended and is not yet waited for, and others.
  let state: Character
  /// Time of processors that it has taken.
  let seconds: Int
  /// Memory that it has now.
  let bytes: Int
}

nonisolated extension ProcessRow {
  /// Reads what `/proc/<pid>/stat` says. Nil where that is something else.
  init?(stat: String, ticksPerSecond: Int, pageSize: Int) {
    // The name stands in parentheses and may have parentheses and spaces of its own.
    guard let open = stat.firstIndex(of: "("), let close = stat.lastIndex(of: ")"), open < close,
      let pid = Int32(stat[..<open].dropLast())
    else { return nil }
    // The third field and those after it.
    let fields = stat[stat.index(after: close)...].split(separator: " ")
    guard fields.count > 21, let state = fields[0].first, let user = Int(fields[11]), let system = Int(fields[12]),
      let pages = Int(fields[21])
    else { return nil }
    self.pid = pid
    self.state = state
    seconds = (user + system) / ticksPerSecond
    bytes = pages * pageSize
    // Whoever names a process does not get to draw on the terminal.
    name = String(
      String.UnicodeScalarView(
        stat[stat.index(after: open)..<close].unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }

  /// What stands above the lines of the table.
  static let header = columns("PID", "S", "TIME", "MEMORY", "NAME")

  /// The line of the table.
  var line: String {
    let minutes = seconds / 60
    let rest = seconds % 60
    let tenths = bytes * 10 / (1 << 20)
    return Self.columns(
      "\(pid)", "\(state)", "\(minutes):\(rest < 10 ? "0" : "")\(rest)", "\(tenths / 10).\(tenths % 10)M", name)
  }

  private static func columns(_ pid: String, _ state: String, _ time: String, _ memory: String, _ name: String)
    -> String
  {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return "\(right(pid, 7)) \(state) \(right(time, 9)) \(right(memory, 9)) \(name)"
  }
}
