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

  init(_ failure: SQLiteFailure, _ database: Sqlite3) {
    // SQLite returns SQLITE_MISUSE, but does not always store it in the database handle.
    let code = Int32(failure.code)
    let stored = database.extendedErrcode()
    let isStored = stored & 0xff == code & 0xff
    self.code = isStored ? stored : code
    message = (isStored ? database.errmsg : SQLiteLibrary.errstr(code)) ?? ""
  }

  static let outOfMemory = SQLiteError(code: SQLITE_NOMEM, message: "out of memory")

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
