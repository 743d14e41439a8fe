import CSQLite
import Callbacks
import SQLite
public import Streams

extension Database {
  /// Registers a closure as an SQL function, until you dispose the result or close the database.
  ///
  /// The closure runs inside statements, and can use the database. If it throws, the statement fails with the description of
  /// the error. A function replaces an earlier one with the same name and number of arguments. Throws if SQLite rejects the
  /// registration.
  public func function(
    _ name: String, arguments count: Int, isDeterministic: Bool = false,
    _ body: @escaping ([SQLiteValue]) throws -> SQLiteValue
  ) throws(SQLiteError) -> any Disposable {
    try SQLiteError.checkText(name)
    let flags = SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
    return try registered { sqlite throws(SQLiteFailure) in
      try sqlite.onFunction(name, nArg: Int32(count), eTextRep: flags) { call, count, values in
        guard let call else { return }
        do {
          try body((0..<Int(count)).map { SQLiteValue(values?[$0]) }).answer(call)
        } catch { call.resultError(String(describing: error), -1) }
      }
    }
  }

  /// Registers a closure as a collation (`ORDER BY title COLLATE name`), until you dispose the result or close the database.
  ///
  /// The closure returns a negative number if its first text sorts before the second, zero if they are equal, and a positive
  /// number otherwise. It runs inside statements, and must not use the database.
  public func collation(
    _ name: String, _ compare: @escaping (String, String) -> Int
  ) throws(SQLiteError) -> any Disposable {
    try collation(name, encoding: SQLITE_UTF8, compare)
  }

  func collation(
    _ name: String, encoding: Int32, _ compare: @escaping (String, String) -> Int
  ) throws(SQLiteError) -> any Disposable {
    try SQLiteError.checkText(name)
    return try registered { [connection] sqlite throws(SQLiteFailure) in
      try sqlite.onCollation(name, eTextRep: encoding) { leftCount, left, rightCount, right in
        connection.inHook {
          Int32(compare(SQLiteValue.text(left, leftCount), SQLiteValue.text(right, rightCount)).signum())
        }
      }
    }
  }

  /// Registers a function or a collation. Disposal removes it, immediately or after the running call, unless it was replaced
  /// or the database is closed.
  private func registered(
    _ register: (Sqlite3) throws(SQLiteFailure) -> any Disposable
  ) throws(SQLiteError) -> any Disposable {
    let registration = try connection.during(register)
    return BlockDisposable { [connection] in connection.calls.afterCall { registration.dispose() } }
  }
}
