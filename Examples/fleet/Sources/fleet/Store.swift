import Headwater
import SQLiteStreams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A database file with the tables of one role.
final class Store {
  let path: String
  private let database: Database
  private let bag = DisposeBag()

  /// Opens the file at `path`. If there is none, creates it with `schema`.
  ///
  /// Each commit is on the disk when it returns. If `isExclusive`, no other process can use the file.
  init(_ path: String, role: String, schema: String, isExclusive: Bool) throws(FleetError) {
    self.path = path
    do throws(SQLiteError) { database = try Database(path) } catch { throw .database(path, error) }
    // A reader holds its lock only briefly, so retry for about one second. A lock that is held longer is not released soon.
    database.triesAgain.replaceAnswer { attempt in
      usleep(1000)
      return attempt < 1000
    }.dispose(in: bag)
    if isExclusive { try query("PRAGMA locking_mode = EXCLUSIVE") }
    try query("PRAGMA journal_mode = WAL")
    try query("PRAGMA synchronous = FULL")
    // The first four letters of the role identify whose file it is.
    let id = role.utf8.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let isNew = try query("SELECT count(*) FROM sqlite_schema").first == [0]
    if isNew {
      try transaction { () throws(FleetError) in
        for statement in schema.split(separator: ";") { try query(String(statement)) }
        try query("PRAGMA application_id = \(id)")
      }
    } else if try query("PRAGMA application_id").first != [.integer(id)] {
      throw .otherDatabase(path, role: role)
    }
    if isExclusive {
      // Takes the lock now, and not only at the first change.
      try transaction { () throws(FleetError) in try query("PRAGMA application_id = \(id)") }
    }
  }

  @discardableResult
  func query(_ statement: String, _ values: [SQLiteValue] = []) throws(FleetError) -> [[SQLiteValue]] {
    do throws(SQLiteError) {
      return try database.query(statement, values)
    } catch {
      // SQLITE_BUSY
      throw error.primaryCode == 5 ? .databaseInUse(path) : .database(path, error)
    }
  }

  /// Runs `body` in a transaction, which is rolled back if it throws.
  @discardableResult
  func transaction<Result>(_ body: () throws(FleetError) -> Result) throws(FleetError) -> Result {
    try query("BEGIN IMMEDIATE")
    do throws(FleetError) {
      let result = try body()
      try query("COMMIT")
      return result
    } catch {
      _ = try? query("ROLLBACK")
      throw error
    }
  }

  /// Returns the first integer of the first row, or 0 if there is none.
  func integer(_ statement: String, _ values: [SQLiteValue] = []) throws(FleetError) -> Int64 {
    try query(statement, values).first?.first?.integer ?? 0
  }

  func close() { database.close() }
}

nonisolated extension SQLiteValue {
  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  var bytes: [UInt8]? { if case .blob(let value) = self { value } else { nil } }
  var string: String? { if case .text(let value) = self { value } else { nil } }
}

extension Change {
  /// Reads the columns id, time, kind, path, and newPath.
  init?(row: some Collection<SQLiteValue>) {
    let row = Array(row)
    guard row.count == 5, let id = row[0].integer, let time = row[1].integer,
      let kind = row[2].string.flatMap(Kind.init(rawValue:)), let path = row[3].bytes
    else { return nil }
    self.init(id: id, time: time, kind: kind, path: path, newPath: row[4].bytes)
  }

  /// The columns time, kind, path, and newPath.
  var columns: [SQLiteValue] {
    [.integer(time), .text(kind.rawValue), .blob(path), newPath.map { .blob($0) } ?? .null]
  }
}
