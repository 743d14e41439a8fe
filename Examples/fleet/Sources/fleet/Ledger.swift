import SQLiteStreams

/// The database of the collector: the changes of all nodes in one order, each once.
final class Ledger {
  /// A change with its number in the merged stream and the node that has sent it.
  struct Entry {
    var number: Int64
    var node: String
    var change: Change

    /// The entry as it is printed: `12 alpha 7 created notes/milk`.
    var text: String { "\(number) \(node) \(change.id) \(change.text)" }
  }

  /// The result of adding a report.
  enum Verdict: Equatable {
    /// The change is stored as the next one of its node. Neither this database nor the node has the numbers in `missing`:
    /// another database of the collector has confirmed them.
    case stored(missing: ClosedRange<Int64>?)
    /// The change is stored already.
    case repeated
    /// An earlier change is missing. The node will send both again.
    case early
    /// Another change is stored under the same number.
    case contradicts
  }

  private let store: Store
  /// The last stored number of each node.
  private(set) var last: [String: Int64] = [:]

  private static let schema = """
    CREATE TABLE changes (
      number INTEGER PRIMARY KEY AUTOINCREMENT, node TEXT NOT NULL, id INTEGER NOT NULL, time INTEGER NOT NULL,
      kind TEXT NOT NULL, path BLOB NOT NULL, newPath BLOB, UNIQUE (node, id))
    """

  init(_ path: String) throws(FleetError) {
    store = try Store(path, role: "collector", schema: Self.schema, isExclusive: false)
    for row in try store.query("SELECT node, max(id) FROM changes GROUP BY node") {
      if let node = row[0].string, let id = row[1].integer { last[node] = id }
    }
  }

  /// Runs `body` in a transaction. The added changes are on the disk when this returns.
  func transaction(_ body: () throws(FleetError) -> Void) throws(FleetError) { try store.transaction(body) }

  /// Stores a report if it is the next one of its node. Call it only within `transaction`.
  func add(_ report: Report, from node: String) throws(FleetError) -> (verdict: Verdict, entry: Entry?) {
    let change = report.change
    let last = self.last[node] ?? 0
    if change.id <= last { return (try isStored(change, of: node) ? .repeated : .contradicts, nil) }
    let isNext = change.id == last + 1
    // If this is the oldest change of the node, the node cannot send the missing ones.
    guard isNext || report.oldest == change.id else { return (.early, nil) }
    try store.query(
      "INSERT INTO changes (node, id, time, kind, path, newPath) VALUES (?, ?, ?, ?, ?, ?)",
      [.text(node), .integer(change.id)] + change.columns)
    self.last[node] = change.id
    let number = try store.integer("SELECT last_insert_rowid()")
    return (
      .stored(missing: isNext ? nil : last + 1...change.id - 1), Entry(number: number, node: node, change: change)
    )
  }

  private func isStored(_ change: Change, of node: String) throws(FleetError) -> Bool {
    let rows = try store.query(
      "SELECT id, time, kind, path, newPath FROM changes WHERE node = ? AND id = ?", [.text(node), .integer(change.id)])
    // A missing number is not in the table, so there is nothing to compare.
    return rows.isEmpty || Change(row: rows[0]) == change
  }

  /// Calls `body` with each entry after `number`, in order.
  func forEach(after number: Int64, _ body: (Entry) -> Void) throws(FleetError) {
    var number = number
    while true {
      let rows = try store.query(
        "SELECT id, time, kind, path, newPath, number, node FROM changes WHERE number > ? ORDER BY number LIMIT 1000",
        [.integer(number)])
      if rows.isEmpty { return }
      for row in rows {
        number = row[5].integer ?? number + 1
        guard let change = Change(row: row[..<5]), let node = row[6].string else {
          throw .unreadable(store.path, row: number)
        }
        body(Entry(number: number, node: node, change: change))
      }
    }
  }

  func close() { store.close() }
}
