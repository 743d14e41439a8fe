import CSQLite
import SQLite

/// What SQLite says when something fails.
public struct SQLiteError: Error, Hashable, CustomStringConvertible {
  /// SQLite's extended result code, such as 2067 (`SQLITE_CONSTRAINT_UNIQUE`).
  public let code: Int32
  /// SQLite's own words.
  public let message: String

  /// Makes one.
  public init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  init(_ code: Int32, _ database: OpaquePointer?) {
    // Misuse is returned but not always remembered by the database.
    if let database, case let extended = sqlite3_extended_errcode(database), extended & 0xff == code & 0xff {
      self.code = extended
      message = String(cString: sqlite3_errmsg(database))
    } else {
      self.code = code
      message = String(cString: sqlite3_errstr(code))
    }
  }

  /// Runs a function that fails with SQLite's code.
  static func mapping<Result>(
    _ sqlite: Sqlite3, _ body: (Sqlite3) throws(SQLiteFailure) -> Result
  ) throws(SQLiteError) -> Result {
    do { return try body(sqlite) } catch { throw SQLiteError(Int32(error.code), sqlite.pointer) }
  }

  static let closed = SQLiteError(code: SQLITE_MISUSE, message: "the database has been closed")

  static let insideOfHook = SQLiteError(
    code: SQLITE_MISUSE,
    message: "the database is used from inside of its own hook, which SQLite forbids: observe the stream instead")

  /// The primary result code: the lowest byte of `code`, such as 19 (`SQLITE_CONSTRAINT`).
  public var primaryCode: Int32 { code & 0xff }

  /// `message (code)`.
  public var description: String { "\(message) (\(code))" }
}
