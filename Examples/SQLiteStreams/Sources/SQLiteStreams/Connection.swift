import CSQLite
import Callbacks
import Delegates
import SQLite
import Streams

/// SQLite's own object, what holds back while it is in a call, and the hooks that are there for as long as it is open.
///
/// Ownership: Database ===> Connection; SQLite ===> the boxes of the hooks ===> Connection, until it is closed.
final class Connection {
  /// nil after `close()`.
  private(set) var sqlite: Sqlite3?
  let calls: Deferral
  /// Asked before each commit; false makes it a rollback.
  let mayCommit = InterceptedMethod<Bool>()
  /// Asked when a table is locked by another connection, with how often it has been asked before.
  let triesAgain = InterceptedMethod<Bool, Int>()
  let commits = PushStream<Void>()
  let rollbacks = PushStream<Void>()
  let closing = PushStream<Void>()
  private let hooks = DisposeBag()
  private(set) var isInHook = false
  /// The statement that runs has asked to commit. It may still fail to, for a full disk.
  private var isCommitting = false

  init(_ path: String, _ flags: Int32, _ calls: Deferral) throws(SQLiteError) {
    self.calls = calls
    var pointer: OpaquePointer?
    let code = sqlite3_open_v2(path, &pointer, flags, nil)
    guard code == SQLITE_OK, let pointer else {
      let error = SQLiteError(code, pointer)
      sqlite3_close_v2(pointer)
      throw error
    }
    sqlite3_extended_result_codes(pointer, 1)
    let sqlite = Sqlite3(pointer)
    self.sqlite = sqlite
    try installHooks(sqlite)
  }

  /// SQLite's own object; nil after `close()`.
  var pointer: OpaquePointer? { sqlite?.pointer }

  /// Calls SQLite; what its hooks send meanwhile is delivered when it has returned.
  func during<Result>(_ body: (Sqlite3) throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    if isInHook { throw .insideOfHook }
    guard let sqlite else { throw .closed }
    return try calls.during { () throws(SQLiteError) -> Result in try body(sqlite) }
  }

  /// Runs what a hook asks. It may not call SQLite.
  func inHook<Result>(_ body: () -> Result) -> Result {
    let isNested = isInHook
    isInHook = true
    defer { isInHook = isNested }
    return body()
  }

  /// A statement has been run to its end, or has failed.
  func didRun(isDone: Bool) {
    guard isCommitting else { return }
    isCommitting = false
    if isDone { calls.afterCall { [self] in commits.next() } }
  }

  private func installHooks(_ sqlite: Sqlite3) throws(SQLiteError) {
    sqlite.onCommit { [self] in
      isCommitting = inHook { mayCommit.intercept { true } }
      return isCommitting ? 0 : 1
    }.dispose(in: hooks)
    sqlite.rollbacks().observeNext { [self] in
      isCommitting = false
      calls.afterCall { [self] in rollbacks.next() }
    }.dispose(in: hooks)
    try SQLiteError.mapping(sqlite) { sqlite throws(SQLiteFailure) in
      try sqlite.onBusy { [unowned self] count in inHook { triesAgain.intercept(Int(count)) { false } } ? 1 : 0 }
    }.dispose(in: hooks)
  }

  /// A stream of SQLite's, in which nothing happens inside of a call. Completed if the connection is closed.
  func stream<Element, Failure>(_ make: @escaping (Sqlite3) -> Operation<Element, Failure>) -> Operation<
    Element, Failure
  > {
    Operation { [self] observer in
      guard let sqlite else {
        observer.completed()
        return .none
      }
      return calls.during { make(sqlite).deliver(after: calls).subscribe(observer) }
    }
  }

  /// Ends the streams and lets go of SQLite's object: now, or when the call that is under way has returned.
  func close() { calls.afterCall { [self] in closeNow() } }

  private func closeNow() {
    guard let pointer else { return }
    closing.next()
    sqlite = nil
    // Each hook returns its context, whose box ends here, also if others have replaced it.
    LentCallback<Void>.giveBack(sqlite3_update_hook(pointer, nil, nil))
    LentCallback<Void>.giveBack(sqlite3_commit_hook(pointer, nil, nil))
    LentCallback<Void>.giveBack(sqlite3_rollback_hook(pointer, nil, nil))
    hooks.dispose()
    // Gives the boxes of functions and collations back.
    sqlite3_close_v2(pointer)
    commits.completed()
    rollbacks.completed()
    closing.completed()
  }
}
