// Written by wrap-library from sqlite3.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CSQLite
public import Callbacks

/// A function of C that has failed.
public struct SQLiteFailure: Error, Hashable, CustomStringConvertible {
  /// The name of the function.
  public let function: String
  /// The code that it returned.
  public let code: Int

  /// Creates the failure of a function, for calls of your own.
  public init(function: String, code: Int) {
    self.function = function
    self.code = code
  }

  /// The function and its code.
  public var description: String { "\(function) failed with the code \(code)." }
}

/// The callbacks of a `struct sqlite3`.
///
/// You make the object and destroy it, after disposing the subscriptions to its callbacks.
public final class Sqlite3 {
  /// The object of the library.
  public let pointer: OpaquePointer

  /// Wraps an object of the library.
  public init(_ pointer: OpaquePointer) { self.pointer = pointer }

  private typealias OnBusyCallback = RepeatingCallback<Int32, Int32>

  /// C calls this through `sqlite3_busy_handler`.
  ///
  /// C: `sqlite3_busy_handler`.
  public func onBusy(_ answer: @escaping (_ count: Int32) -> Int32) throws(SQLiteFailure) -> any Disposable {
    let callback = OnBusyCallback(answer)
    let status = sqlite3_busy_handler(
      pointer, { context, count in OnBusyCallback.call(context, count, otherwise: 0) }, callback.context)
    if status != 0 {
      callback.disarm()
      throw SQLiteFailure(function: "sqlite3_busy_handler", code: Int(status))
    }
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      _ = sqlite3_busy_handler(pointer, nil, nil)
      callback.disarm()
    }
  }

  private typealias OnFunctionCallback = LentCallback<
    OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?, Void
  >

  /// C calls this through `sqlite3_create_function_v2`.
  ///
  /// It ends when the library releases its context.
  /// C: `sqlite3_create_function_v2`.
  public func onFunction(
    _ zFunctionName: String?, _ nArg: Int32, _ eTextRep: Int32,
    _ body: @escaping (_ call: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) -> Void
  ) throws(SQLiteFailure) -> any Disposable {
    let callback = OnFunctionCallback(body)
    let status = sqlite3_create_function_v2(
      pointer, zFunctionName, nArg, eTextRep, callback.context,
      { call, count, values in OnFunctionCallback.call(sqlite3_user_data(call), call, count, values) }, nil, nil,
      { @Sendable context in OnFunctionCallback.giveBack(context) })
    if status != 0 {
      callback.disarm()
      throw SQLiteFailure(function: "sqlite3_create_function_v2", code: Int(status))
    }
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      _ = sqlite3_create_function_v2(pointer, zFunctionName, nArg, eTextRep, nil, nil, nil, nil, nil)
    }
  }

  private typealias OnCollationCallback = LentCallback<Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?, Int32>

  /// C calls this through `sqlite3_create_collation_v2`.
  ///
  /// It ends when the library releases its context.
  /// C: `sqlite3_create_collation_v2`.
  public func onCollation(
    _ zName: String?, _ eTextRep: Int32,
    _ answer:
      @escaping (_ leftCount: Int32, _ left: UnsafeRawPointer?, _ rightCount: Int32, _ right: UnsafeRawPointer?) ->
      Int32
  ) throws(SQLiteFailure) -> any Disposable {
    let callback = OnCollationCallback(answer)
    let status = sqlite3_create_collation_v2(
      pointer, zName, eTextRep, callback.context,
      { context, leftCount, left, rightCount, right in
        OnCollationCallback.call(context, leftCount, left, rightCount, right, otherwise: 0)
      }, { @Sendable context in OnCollationCallback.giveBack(context) })
    if status != 0 {
      callback.disarm()
      throw SQLiteFailure(function: "sqlite3_create_collation_v2", code: Int(status))
    }
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      _ = sqlite3_create_collation_v2(pointer, zName, eTextRep, nil, nil, nil)
    }
  }

  private typealias OnCommitCallback = LentCallback<Int32>

  /// C calls this through `sqlite3_commit_hook`.
  ///
  /// The next registration ends it.
  /// C: `sqlite3_commit_hook`.
  public func onCommit(_ answer: @escaping () -> Int32) -> any Disposable {
    let callback = OnCommitCallback(answer)
    OnCommitCallback.giveBack(
      sqlite3_commit_hook(pointer, { context in OnCommitCallback.call(context, otherwise: 0) }, callback.context))
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      OnCommitCallback.giveBack(sqlite3_commit_hook(pointer, nil, nil))
      callback.disarm()
    }
  }

  private typealias RollbacksCallback = LentCallback<Void>

  /// C calls this through `sqlite3_rollback_hook`.
  ///
  /// The next registration ends it.
  /// C: `sqlite3_rollback_hook`.
  public func rollbacks() -> Stream<Void> {
    .registering { observer in
      RollbacksCallback({ observer.next() }, onEnd: { observer.completed() })
    } register: { [self] callback in
      RollbacksCallback.giveBack(
        sqlite3_rollback_hook(pointer, { context in RollbacksCallback.call(context) }, callback.context))
    } unregister: { [self] _ in
      RollbacksCallback.giveBack(sqlite3_rollback_hook(pointer, nil, nil))
    }
  }

  private typealias UpdatesCallback = LentCallback<Int32, String?, String?, Int64, Void>

  /// The arguments of a callback of `sqlite3_update_hook`.
  public struct Update: Sendable {
    /// The argument `kind` of C.
    public let kind: Int32
    /// The argument `database` of C.
    public let database: String?
    /// The argument `table` of C.
    public let table: String?
    /// The argument `row` of C.
    public let row: Int64
  }

  /// C calls this through `sqlite3_update_hook`.
  ///
  /// The next registration ends it.
  /// C: `sqlite3_update_hook`.
  public func updates() -> Stream<Update> {
    .registering { observer in
      UpdatesCallback(
        { kind, database, table, row in observer.next(Update(kind: kind, database: database, table: table, row: row)) },
        onEnd: { observer.completed() })
    } register: { [self] callback in
      UpdatesCallback.giveBack(
        sqlite3_update_hook(
          pointer,
          { context, kind, database, table, row in
            UpdatesCallback.call(
              context, kind, database.map { String(cString: $0) }, table.map { String(cString: $0) }, row)
          }, callback.context))
    } unregister: { [self] _ in
      UpdatesCallback.giveBack(sqlite3_update_hook(pointer, nil, nil))
    }
  }

  private typealias UnlockedCallback = OnceCallback<Void>

  /// C calls this through `sqlite3_unlock_notify`.
  ///
  /// The library calls once.
  /// C: `sqlite3_unlock_notify`.
  public func unlocked() -> Operation<Void, SQLiteFailure> {
    .registering { observer in
      UnlockedCallback {
        observer.next()
        observer.completed()
      }
    } register: { [self] callback throws(SQLiteFailure) in
      let status = sqlite3_unlock_notify(
        pointer,
        { apArg, nArg in UnsafeBufferPointer(start: apArg, count: Int(nArg)).forEach { UnlockedCallback.call($0) } },
        callback.context)
      if status != 0 { throw SQLiteFailure(function: "sqlite3_unlock_notify", code: Int(status)) }
    } unregister: { [self] callback in
      _ = sqlite3_unlock_notify(pointer, nil, nil)
      callback.disarm()
    }
  }
}
