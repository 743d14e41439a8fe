// Written by wrap-library from sqlite3.h, Sources/CSQLite/values.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CSQLite
public import Callbacks

/// A `struct sqlite3`, which it frees.
///
/// If the program owns it, `sqlite3_close` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class Sqlite3: Usable {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false
  private var dependents = Dependents()

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(!isClosed, "The Sqlite3 is closed. Use it before close().")
    return storedPointer
  }

  var isUsable: Bool { !isClosed }

  var whole: any Usable { self }

  /// Wraps an object of the library.
  ///
  /// - Parameters:
  ///   - pointer: The object.
  ///   - owner: What has to exist as long as the object does.
  ///   - isOwned: True if this object frees it.
  public init(_ pointer: OpaquePointer, owner: Any? = nil, isOwned: Bool) {
    storedPointer = pointer
    retained = owner
    self.isOwned = isOwned
  }

  deinit {
    if isOwned { _ = sqlite3_close(storedPointer) }
  }

  /// Frees the object now, and reports an error of that. Later uses are a programming error.
  ///
  /// C: `sqlite3_close`.
  public func close() throws(SQLiteFailure) {
    if !isOwned || isClosed { return }
    endDependents()
    let result = sqlite3_close(storedPointer)
    if result != 0 { throw SQLiteFailure(function: "sqlite3_close", code: Int(result)) }
    isOwned = false
    isClosed = true
  }

  func note(_ dependent: any Usable) { dependents.add(dependent) }

  private func endDependents() {
    while let dependent = dependents.removeLast() { dependent.end() }
  }

  private var isNotClosed: Bool { !isClosed }

  /// The callback that `sqlite3_busy_handler` has now.
  private let onBusyPlace = CallbackPlace()

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
    onBusyPlace.claim(callback.context)
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      if onBusyPlace.release(callback.context) { _ = sqlite3_busy_handler(pointer, nil, nil) }
      callback.disarm()
    }
  }

  private typealias OnFunctionCallback = LentCallback<Context?, Int32, UnsafeMutablePointer<OpaquePointer?>?, Void>

  /// C calls this through `sqlite3_create_function_v2`.
  ///
  /// It ends when the library releases its context.
  /// C: `sqlite3_create_function_v2`.
  public func onFunction(
    _ zFunctionName: String, nArg: Int32, eTextRep: Int32,
    _ body: @escaping (_ call: Context?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) -> Void
  ) throws(SQLiteFailure) -> any Disposable {
    let callback = OnFunctionCallback(body)
    let status = sqlite3_create_function_v2(
      pointer, zFunctionName, nArg, eTextRep, callback.context,
      { call, count, values in OnFunctionCallback.call(sqlite3_user_data(call), Context(lent: call), count, values) },
      nil, nil, { @Sendable context in OnFunctionCallback.giveBack(context) })
    if status != 0 {
      callback.disarm()
      throw SQLiteFailure(function: "sqlite3_create_function_v2", code: Int(status))
    }
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      _ = sqlite3_create_function_v2(pointer, zFunctionName, nArg, eTextRep, nil, nil, nil, nil, nil)
    }
  }

  private typealias OnCollationCallback = LentCallback<Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?, Int32>

  /// C calls this through `sqlite3_create_collation_v2`.
  ///
  /// It ends when the library releases its context.
  /// C: `sqlite3_create_collation_v2`.
  public func onCollation(
    _ zName: String, eTextRep: Int32,
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
      guard isNotClosed else {
        callback.disarm()
        return
      }
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
      guard isNotClosed else {
        callback.disarm()
        return
      }
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
    } unregister: { [self] callback in
      guard isNotClosed else {
        callback.disarm()
        return
      }
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
    } unregister: { [self] callback in
      guard isNotClosed else {
        callback.disarm()
        return
      }
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
      guard isNotClosed else { return }
      _ = sqlite3_unlock_notify(pointer, nil, nil)
      callback.disarm()
    }
  }

  /// The sqlite3_extended_result_codes() routine enables or disables the extended result codes feature of SQLite.
  ///
  /// C: `sqlite3_extended_result_codes`.
  public func extendedResultCodes(_ onoff: Int32) throws(SQLiteFailure) {
    let result = sqlite3_extended_result_codes(pointer, onoff)
    if result != 0 {
      throw SQLiteFailure(
        function: "sqlite3_extended_result_codes", code: Int(result),
        message: sqlite3_errmsg(pointer).map { String(cString: $0) })
    }
  }

  /// C: `sqlite3_extended_errcode`.
  public func extendedErrcode() -> Int32 {
    let result = sqlite3_extended_errcode(pointer)
    return result
  }

  /// C: `sqlite3_errmsg`.
  public var errmsg: String? {
    let result = sqlite3_errmsg(pointer)
    return result.map { String(cString: $0) }
  }

  /// C: `sqlite3_get_autocommit`.
  public var autocommit: Int32 {
    let result = sqlite3_get_autocommit(pointer)
    return result
  }

  /// Prepares the statement at an offset of a script.
  ///
  /// C: `sqlite3_prepare_next`.
  public func prepareNext(_ script: String, offset: Int32) throws(SQLiteFailure) -> (statement: Stmt, end: Int32) {
    var statement: OpaquePointer?
    var end: Int32 = 0
    let result = sqlite3_prepare_next(pointer, script, offset, &statement, &end)
    if result != 0 {
      throw SQLiteFailure(
        function: "sqlite3_prepare_next", code: Int(result),
        message: sqlite3_errmsg(pointer).map { String(cString: $0) })
    }
    guard let statement else {
      throw SQLiteFailure(
        function: "sqlite3_prepare_next", code: 0, message: sqlite3_errmsg(pointer).map { String(cString: $0) })
    }
    return (statement: Stmt(statement, owner: self, isOwned: true).depending(on: self), end: end)
  }
}
