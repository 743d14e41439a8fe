import CSQLite
import Callbacks
import Delegates
import SQLite
import Streams

/// A database handle of SQLite with its hooks, and the deferral of its calls.
///
/// Ownership: Database ===> Connection; SQLite ===> the callbacks of the hooks ===> Connection, until it is closed.
final class Connection {
  /// The database handle, or nil after `close()`.
  private(set) var sqlite: Sqlite3?
  let calls: Deferral
  /// The slot of the commit hook. If its handler returns false, the transaction is rolled back.
  let mayCommit = InterceptedMethod<Bool>()
  /// The slot of the busy handler, called while another connection has the lock, with the number of previous calls.
  let triesAgain = InterceptedMethod<Bool, Int>()
  let commits = PushStream<Void>()
  let rollbacks = PushStream<Void>()
  let closing = PushStream<Void>()
  private let hooks = DisposeBag()
  /// True from `close()` on, so that nothing begins that could not be told.
  private var isClosing = false
  private(set) var isInHook = false
  /// True if the commit hook has accepted the commit. The commit can still fail, for example if the disk is full.
  private var isCommitting = false

  init(_ path: String, _ flags: Int32, _ calls: Deferral) throws(SQLiteError) {
    try SQLiteError.checkText(path)
    self.calls = calls
    var pointer: OpaquePointer?
    let code = sqlite3_open_v2(path, &pointer, flags, nil)
    guard let pointer else { throw .outOfMemory }
    // Also closes a database that SQLite has not opened.
    let sqlite = Sqlite3(pointer, isOwned: true)
    self.sqlite = sqlite
    do throws(SQLiteFailure) {
      if code != SQLITE_OK { throw SQLiteFailure(function: "sqlite3_open_v2", code: Int(code)) }
      try sqlite.extendedResultCodes(1)
      try installHooks(sqlite)
    } catch { throw SQLiteError(error, sqlite) }
  }

  /// SQLite's pointer, or nil after `close()`.
  var pointer: OpaquePointer? { sqlite?.pointer }

  /// Calls SQLite. The elements of its hooks are delivered after the call. Throws inside a hook, and after `close()`.
  func during<Result>(_ body: (Sqlite3) throws(SQLiteFailure) -> Result) throws(SQLiteError) -> Result {
    if isInHook { throw .insideOfHook }
    guard let sqlite, !isClosing else { throw .closed }
    return try calls.during { () throws(SQLiteError) -> Result in
      do throws(SQLiteFailure) { return try body(sqlite) } catch { throw SQLiteError(error, sqlite) }
    }
  }

  /// Runs the handler of a hook. Until it returns, `during` throws, because a hook must not call SQLite.
  func inHook<Result>(_ body: () -> Result) -> Result {
    let isNested = isInHook
    isInHook = true
    defer { isInHook = isNested }
    return body()
  }

  /// Sends to `commits` if a statement has committed. Call it when a statement completes or fails.
  func didRun() {
    guard isCommitting, let sqlite else { return }
    isCommitting = false
    // The transaction is still open if, for example, a lock has prevented the commit. A statement can also commit and fail,
    // such as `INSERT OR FAIL`.
    if sqlite.autocommit != 0 { calls.afterCall { [self] in commits.next() } }
  }

  private func installHooks(_ sqlite: Sqlite3) throws(SQLiteFailure) {
    sqlite.onCommit { [self] in
      isCommitting = inHook { mayCommit.intercept { true } }
      return isCommitting ? 0 : 1
    }.dispose(in: hooks)
    sqlite.rollbacks().observeNext { [self] in
      isCommitting = false
      calls.afterCall { [self] in rollbacks.next() }
    }.dispose(in: hooks)
    try sqlite.onBusy { [unowned self] count in inHook { triesAgain.intercept(Int(count)) { false } } ? 1 : 0 }
      .dispose(in: hooks)
  }

  /// Creates a stream whose events are delivered after the running call. It completes if the connection is closed.
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

  /// Completes the streams and closes the database handle, immediately or after the running call and all that it reports.
  func close() {
    isClosing = true
    // Twice, because what a hook reports is behind a call of `close()` inside of it.
    calls.afterCall { [self] in calls.afterCall { [self] in closeNow() } }
  }

  private func closeNow() {
    guard let sqlite else { return }
    // First, because an observer of an end can close it again.
    self.sqlite = nil
    closing.next()
    // Each function returns the context of its hook, even if other code has replaced the hook. Its callback ends here.
    LentCallback<Void>.giveBack(sqlite3_update_hook(sqlite.pointer, nil, nil))
    LentCallback<Void>.giveBack(sqlite3_commit_hook(sqlite.pointer, nil, nil))
    LentCallback<Void>.giveBack(sqlite3_rollback_hook(sqlite.pointer, nil, nil))
    hooks.dispose()
    // SQLite calls the destroy functions of the registered functions and collations.
    try? sqlite.close()
    commits.completed()
    rollbacks.completed()
    closing.completed()
  }
}
