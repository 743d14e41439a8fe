import CSQLite
import SQLite

/// An error of SQLite.
public struct SQLiteError: Error, Hashable, CustomStringConvertible {
  /// SQLite's extended result code, for example 2067 (`SQLITE_CONSTRAINT_UNIQUE`).
  public let code: Int32
  /// SQLite's description of the error.
  public let message: String

  /// Creates an error.
  public init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  init(_ code: Int32, _ database: OpaquePointer?) {
    // SQLite returns SQLITE_MISUSE, but does not always store it in the database handle.
    if let database, case let extended = sqlite3_extended_errcode(database), extended & 0xff == code & 0xff {
      self.code = extended
      message = String(cString: sqlite3_errmsg(database))
    } else {
      self.code = code
      message = String(cString: sqlite3_errstr(code))
    }
  }

  /// Runs `body`, and converts its failure to a `SQLiteError`.
  static func mapping<Result>(
    _ sqlite: Sqlite3, _ body: (Sqlite3) throws(SQLiteFailure) -> Result
  ) throws(SQLiteError) -> Result {
    do { return try body(sqlite) } catch { throw SQLiteError(Int32(error.code), sqlite.pointer) }
  }

  static let closed = SQLiteError(code: SQLITE_MISUSE, message: "the database has been closed")

  /// Throws if SQLite would ignore the end of `text`.
  static func checkText(_ text: String) throws(SQLiteError) {
    if text.utf8.contains(0) { throw SQLiteError(code: SQLITE_MISUSE, message: "the text contains a zero byte") }
  }

  static let insideOfHook = SQLiteError(
    code: SQLITE_MISUSE,
    message: "the database is used from inside of its own hook, which SQLite forbids: observe the stream instead")

  /// The primary result code: the lowest byte of `code`, for example 19 (`SQLITE_CONSTRAINT`).
  public var primaryCode: Int32 { code & 0xff }

  /// The message and the code: `message (code)`.
  public var description: String { "\(message) (\(code))" }
}
