/// The status line: the watched paths, the outcome of the last run, and a hint about the keys. It is shortened to fit.
nonisolated struct StatusLine: Hashable {
  /// The outcome of a run.
  struct Outcome: Hashable {
    let text: String
    let isFailure: Bool
  }

  /// The watched paths.
  var paths: [String]
  /// The number of directories that have been scanned so far, or nil after the scan.
  var scanned: Int?
  /// The outcome of the last run, or nil if no run has ended.
  var outcome: Outcome?
  /// Whether the user has paused headwatch.
  var isPaused = false
  /// Whether headwatch reads keys.
  var hasKeys = false

  /// Returns the line, at most `columns` characters wide.
  func text(columns: Int, isColoured: Bool) -> String {
    let mark = "[headwatch] "
    var parts: [(text: String, style: String)] = []
    let verb = scanned == nil ? "watching" : "scanning"
    parts.append(isPaused ? ("paused", "33") : ("\(verb) \(paths.joined(separator: ", "))", "2"))
    if let scanned { parts.append(("\(scanned) directories", "2")) }
    if let outcome { parts.append((outcome.text, outcome.isFailure ? "31" : "32")) }
    if hasKeys { parts.append(("? for keys", "2")) }
    // Shortens the least important parts first: drops the keys, cuts the paths, drops the mark, and keeps only the last
    // part.
    if width(parts) + mark.count > columns, hasKeys { parts.removeLast() }
    let excess = width(parts) + mark.count - columns
    if excess > 0, parts.count > 1 {
      parts[0].text = Self.cut(parts[0].text, to: max(10, parts[0].text.count - excess))
    }
    let hasMark = width(parts) + mark.count <= columns
    if width(parts) > columns { parts.removeFirst(parts.count - 1) }
    if width(parts) > columns { parts[0].text = Self.cut(parts[0].text, to: columns) }
    let text = parts.map { isColoured ? "\u{1b}[\($0.style)m\($0.text)\u{1b}[0m" : $0.text }.joined(separator: " · ")
    return (hasMark ? isColoured ? "\u{1b}[2m\(mark)\u{1b}[0m" : mark : "") + text
  }

  private func width(_ parts: [(text: String, style: String)]) -> Int {
    parts.reduce((parts.count - 1) * 3) { $0 + $1.text.count }
  }

  /// Returns the text, or its beginning with an ellipsis if it is longer than `count` characters.
  static func cut(_ text: String, to count: Int) -> String {
    text.count <= count ? text : text.prefix(max(0, count - 1)) + "…"
  }
}
