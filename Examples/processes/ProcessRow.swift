/// A process in the table.
nonisolated struct ProcessRow: Hashable {
  let pid: Int32
  let name: String
  /// `R` for running, `S` for sleeping, `D` for waiting for a disk, `Z` for a zombie, or another letter.
  let state: Character
  /// The processor time used so far.
  let seconds: Int
  /// The resident memory.
  let bytes: Int
}

nonisolated extension ProcessRow {
  /// Reads the content of `/proc/<pid>/stat`. Nil if it has another format.
  init?(stat: String, ticksPerSecond: Int, pageSize: Int) {
    // The name is in parentheses, and may itself contain parentheses and spaces.
    guard let open = stat.firstIndex(of: "("), let close = stat.lastIndex(of: ")"), open < close,
      let pid = Int32(stat[..<open].dropLast())
    else { return nil }
    // The fields after the name, from the third one.
    let fields = stat[stat.index(after: close)...].split(separator: " ")
    guard fields.count > 21, let state = fields[0].first, let user = Int(fields[11]), let system = Int(fields[12]),
      let pages = Int(fields[21])
    else { return nil }
    self.pid = pid
    self.state = state
    seconds = (user + system) / ticksPerSecond
    bytes = pages * pageSize
    // A process can choose its name, so characters that could control the terminal are replaced.
    name = String(
      String.UnicodeScalarView(
        stat[stat.index(after: open)..<close].unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }

  /// The line above the rows of the table.
  static let header = columns("PID", "S", "TIME", "MEMORY", "NAME")

  /// The row as a line of text.
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
