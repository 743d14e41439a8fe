import CSQLite
import Callbacks
import SQLite
public import Streams

extension Database {
  /// Makes a closure a function of SQL, until what this returns is disposed of or the database is closed.
  ///
  /// The closure runs inside of statements. What it throws fails the statement with its description. A function of the same
  /// name and number of arguments replaces the one before.
  public func function(
    _ name: String, arguments count: Int, isDeterministic: Bool = false,
    _ body: @escaping ([SQLiteValue]) throws -> SQLiteValue
  ) throws(SQLiteError) -> any Disposable {
    let flags = SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
    return try registered { sqlite throws(SQLiteFailure) in
      try sqlite.onFunction(name, Int32(count), flags) { call, count, values in
        do {
          try body((0..<Int(count)).map { SQLiteValue(values?[$0]) }).answer(call)
        } catch { sqlite3_result_error(call, String(describing: error), -1) }
      }
    }
  }

  /// Makes a closure an order of texts (`ORDER BY title COLLATE name`), until what this returns is disposed of or the database
  /// is closed.
  ///
  /// The closure gives a negative number, zero or a positive one as its first text comes before, is like or comes after the
  /// second. It runs inside of statements and may not use the database.
  public func collation(
    _ name: String, _ compare: @escaping (String, String) -> Int
  ) throws(SQLiteError) -> any Disposable {
    try collation(name, encoding: SQLITE_UTF8, compare)
  }

  func collation(
    _ name: String, encoding: Int32, _ compare: @escaping (String, String) -> Int
  ) throws(SQLiteError) -> any Disposable {
    try registered { [connection] sqlite throws(SQLiteFailure) in
      try sqlite.onCollation(name, encoding) { leftCount, left, rightCount, right in
        connection.inHook {
          Int32(compare(SQLiteValue.text(left, leftCount), SQLiteValue.text(right, rightCount)).signum())
        }
      }
    }
  }

  /// Registers a function or a collation. It is removed when no statement runs, unless it has been replaced or the database
  /// closed.
  private func registered(
    _ register: (Sqlite3) throws(SQLiteFailure) -> any Disposable
  ) throws(SQLiteError) -> any Disposable {
    let registration = try connection.during { sqlite throws(SQLiteError) in
      try SQLiteError.mapping(sqlite, register)
    }
    return BlockDisposable { [connection] in connection.calls.afterCall { registration.dispose() } }
  }
}
