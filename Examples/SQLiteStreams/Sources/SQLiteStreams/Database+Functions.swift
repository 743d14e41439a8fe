import CSQLite
import Callbacks
public import Streams

/// A function that SQL calls: its arguments, and what it gives back.
private typealias Function = LentCallback<[SQLiteValue], Result<SQLiteValue, any Error>>

/// What orders texts: negative, zero or positive, as the first is before, like or after the second.
private typealias Comparison = LentCallback<String, String, Int>

extension Database {
  /// Makes a closure a function of SQL, until what this returns is disposed of or the database is closed.
  ///
  /// The closure runs inside of statements. What it throws fails the statement with its description. A function of the same
  /// name and number of arguments replaces the one before.
  public func function(
    _ name: String, arguments count: Int, isDeterministic: Bool = false,
    _ body: @escaping ([SQLiteValue]) throws -> SQLiteValue
  ) throws(SQLiteError) -> any Disposable {
    let callback = Function { arguments in Result { try body(arguments) } }
    let flags = SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
    try connection.during { pointer throws(SQLiteError) in
      let code = sqlite3_create_function_v2(
        pointer, name, Int32(count), flags, callback.context,
        { context, count, values in
          let arguments = (0..<Int(count)).map { SQLiteValue(values?[$0]) }
          // The context is not an argument here but asked for (C3).
          switch Function.call(sqlite3_user_data(context), arguments, otherwise: .success(.null)) {
          case .success(let value): value.answer(context)
          case .failure(let error): sqlite3_result_error(context, String(describing: error), -1)
          }
        }, nil, nil, { Function.giveBack($0) })
      if code == SQLITE_OK { return }
      // SQLite has destroyed the box by itself (F2): there is nothing left to take back.
      callback.disarm()
      throw SQLiteError(code, pointer)
    }
    return removal(callback) { pointer in
      sqlite3_create_function_v2(pointer, name, Int32(count), SQLITE_UTF8, nil, nil, nil, nil, nil)
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
    let callback = Comparison { [connection] left, right in connection.inHook { compare(left, right) } }
    try connection.during { pointer throws(SQLiteError) in
      let code = sqlite3_create_collation_v2(
        pointer, name, encoding, callback.context,
        { context, leftCount, left, rightCount, right in
          let order = Comparison.call(
            context, SQLiteValue.text(left, leftCount), SQLiteValue.text(right, rightCount), otherwise: 0)
          return Int32(order.signum())
        }, { Comparison.giveBack($0) })
      if code == SQLITE_OK { return }
      // Unlike a function's, the box is still ours (F1).
      callback.disarm()
      throw SQLiteError(code, pointer)
    }
    return removal(callback) { pointer in sqlite3_create_collation_v2(pointer, name, encoding, nil, nil, nil) }
  }

  /// Removes a function or a collation when no statement runs, unless it has been replaced or the database closed.
  private func removal(
    _ callback: some CallbackAdapter, _ remove: @escaping (OpaquePointer) -> Int32
  ) -> any Disposable {
    BlockDisposable { [connection] in
      connection.calls.afterCall {
        guard !callback.isEnded, let pointer = connection.pointer else { return }
        _ = remove(pointer)
      }
    }
  }
}
