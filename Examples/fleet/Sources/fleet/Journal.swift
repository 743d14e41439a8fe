import Glibc
import Headwater
import SQLiteStreams

/// The database of a node: the changes that the collector has not confirmed, and the state of the files at the last change.
///
/// Both are written in one transaction, so that the changes made while the node does not run are found at its next start.
final class Journal {
  private let directory: [UInt8]
  private let store: Store
  /// The number of the last recorded change, or 0 if there is none.
  private(set) var last: Int64
  /// The lowest number in the outbox, or 0 if nothing has been recorded.
  private(set) var oldest: Int64

  private static let schema = """
    CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, kind TEXT, path BLOB, newPath BLOB);
    CREATE TABLE files (path BLOB PRIMARY KEY, size INTEGER, time INTEGER) WITHOUT ROWID
    """

  init(_ path: String, directory: [UInt8]) throws(FleetError) {
    self.directory = directory
    store = try Store(path, role: "node", schema: Self.schema, isExclusive: true)
    last = try store.integer("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'")
    oldest = try store.integer("SELECT min(id) FROM outbox")
  }

  // MARK: Recording

  /// Records events in the order in which they were delivered.
  func record(_ events: [FileEvent]) throws(FleetError) {
    try store.transaction { () throws(FleetError) in
      for event in events {
        let path = relative(event.path)
        switch event.kind {
        case .created: try record(.created, path)
        case .modified: try record(.modified, path)
        case .attributes: try record(.attributes, path)
        case .removed: try record(.removed, path)
        case .renamed(let new): try record(.renamed, path, relative(new))
        case .overflow: break
        }
      }
    }
  }

  /// Records the differences between the existing files and the files of the last run.
  func compare(with existing: [FileEvent]) throws(FleetError) {
    try store.transaction { () throws(FleetError) in
      var known: [[UInt8]: FileState] = [:]
      for row in try store.query("SELECT path, size, time FROM files") {
        guard let path = row[0].bytes, let size = row[1].integer, let time = row[2].integer else { continue }
        known[path] = FileState(size: size, time: time)
      }
      for event in existing {
        let path = relative(event.path)
        if path.isEmpty { continue }
        let before = known.removeValue(forKey: path)
        guard let now = FileState(directory + [UInt8(ascii: "/")] + path), now != before else { continue }
        try record(before == nil ? .created : .modified, path)
      }
      // The removal of a directory stands for the removal of everything in it.
      for path in known.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        let parents = path.indices.filter { path[$0] == UInt8(ascii: "/") }.map { Array(path[..<$0]) }
        if !parents.contains(where: { known[$0] != nil }) { try record(.removed, path) }
      }
    }
  }

  private func record(_ kind: Change.Kind, _ path: [UInt8], _ newPath: [UInt8]? = nil) throws(FleetError) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let time = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    let change = Change(id: 0, time: time, kind: kind, path: path, newPath: newPath)
    try store.query("INSERT INTO outbox (time, kind, path, newPath) VALUES (?, ?, ?, ?)", change.columns)
    last = try store.integer("SELECT last_insert_rowid()")
    if oldest == 0 { oldest = last }
    // The range of all paths below the path. They move or disappear with it.
    let below = [path + [UInt8(ascii: "/")], path + [UInt8(ascii: "/") + 1]].map { SQLiteValue.blob($0) }
    if let newPath {
      try store.query(
        "UPDATE OR REPLACE files SET path = CAST(? || substr(path, ?) AS BLOB) WHERE path >= ? AND path < ?",
        [.blob(newPath), .integer(Int64(path.count) + 1)] + below)
    }
    if kind == .removed || kind == .renamed {
      try store.query("DELETE FROM files WHERE path = ? OR path >= ? AND path < ?", [.blob(path)] + below)
    }
    let current = newPath ?? path
    if kind != .removed, !current.isEmpty, let state = FileState(directory + [UInt8(ascii: "/")] + current) {
      try store.query(
        "INSERT OR REPLACE INTO files VALUES (?, ?, ?)", [.blob(current), .integer(state.size), .integer(state.time)])
    }
  }

  private func relative(_ path: BytePath) -> [UInt8] { Array(path.bytes.dropFirst(directory.count + 1)) }

  // MARK: Sending

  /// The first change with a number above `id`.
  func change(after id: Int64) throws(FleetError) -> Change? {
    let rows = try store.query(
      "SELECT id, time, kind, path, newPath FROM outbox WHERE id > ? ORDER BY id LIMIT 1", [.integer(id)])
    guard let row = rows.first else { return nil }
    guard let change = Change(row: row) else { throw .unreadable(store.path, row: row[0].integer ?? id + 1) }
    return change
  }

  /// Deletes the changes that the collector has stored, except for the last one. The node sends that one again at its next
  /// start, so that the collector can check that the numbers belong to the changes that it knows.
  func confirm(through id: Int64) throws(FleetError) {
    if id <= oldest { return }
    try store.query("DELETE FROM outbox WHERE id < ?", [.integer(id)])
    oldest = id
  }

  func close() { store.close() }
}

/// The state that distinguishes two versions of a file. All versions of a directory are equal.
private nonisolated struct FileState: Hashable {
  var size: Int64
  var time: Int64

  init(size: Int64, time: Int64) {
    self.size = size
    self.time = time
  }

  /// Reads the state of a file. Nil if there is no file.
  init?(_ path: [UInt8]) {
    var status = stat()
    let result = (path + [0]).withUnsafeBufferPointer { path in
      path.withMemoryRebound(to: CChar.self) { lstat($0.baseAddress!, &status) }
    }
    guard result == 0 else { return nil }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    size = isDirectory ? -1 : Int64(status.st_size)
    time = isDirectory ? 0 : Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }
}
