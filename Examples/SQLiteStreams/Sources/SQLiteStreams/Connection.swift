import CSQLite
import Callbacks
import Streams

/// SQLite's own object, what holds back while it is in a call, and the hooks that are there for as long as it is open.
///
/// Ownership: Database ===> Connection; SQLite ===> the boxes of the hooks ===> Connection, until it is closed.
final class Connection {
  /// nil after `close()`.
  private(set) var pointer: OpaquePointer?
  let calls: Deferral
  /// Asked before each commit; false makes it a rollback.
  let mayCommit = AnswerSlot<Bool>(default: true)
  /// Asked when a table is locked by another connection, with how often it has been asked before.
  let triesAgain = AnswerSlot<Int, Bool>(default: false)
  let commits = PushStream<Void>()
  let rollbacks = PushStream<Void>()
  let closing = PushStream<Void>()
  private var busyHandler: RepeatingCallback<Int32, Int32>?
  private var isInHook = false
  /// The statement that runs has asked to commit. It may still fail to, for a full disk.
  private var isCommitting = false

  init(_ path: String, _ flags: Int32, _ calls: Deferral) throws(SQLiteError) {
    self.calls = calls
    let code = sqlite3_open_v2(path, &pointer, flags, nil)
    if code != SQLITE_OK {
      let error = SQLiteError(code, pointer)
      sqlite3_close_v2(pointer)
      throw error
    }
    sqlite3_extended_result_codes(pointer, 1)
    installHooks()
  }

  /// Calls SQLite; what its hooks send meanwhile is delivered when it has returned.
  func during<Result>(_ body: (OpaquePointer) throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    if isInHook { throw .insideOfHook }
    guard let pointer else { throw .closed }
    return try calls.during { () throws(SQLiteError) -> Result in try body(pointer) }
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

  private func installHooks() {
    let commit = LentCallback<Int32> { [self] in
      isCommitting = inHook { mayCommit() }
      return isCommitting ? 0 : 1
    }
    setCommitHook(commit)
    let rollback = LentCallback<Void> { [self] in
      isCommitting = false
      calls.afterCall { [self] in rollbacks.next() }
    }
    LentCallback<Void>.giveBack(
      sqlite3_rollback_hook(pointer, { LentCallback<Void>.call($0) }, rollback.context))
    let busy = RepeatingCallback<Int32, Int32> { [unowned self] count in
      inHook { triesAgain(Int(count)) } ? 1 : 0
    }
    sqlite3_busy_handler(pointer, { RepeatingCallback<Int32, Int32>.call($0, $1, otherwise: 0) }, busy.context)
    busyHandler = busy
  }

  /// One callback can be the commit hook; SQLite returns the context of the one before.
  func setCommitHook(_ callback: LentCallback<Int32>) {
    LentCallback<Int32>.giveBack(
      sqlite3_commit_hook(pointer, { LentCallback<Int32>.call($0, otherwise: 1) }, callback.context))
  }

  /// Ends the streams and lets go of SQLite's object: now, or when the call that is under way has returned.
  func close() { calls.afterCall { [self] in closeNow() } }

  private func closeNow() {
    guard let pointer else { return }
    closing.next()
    self.pointer = nil
    // Each hook returns its context, whose box ends here; that of the update hook ends the changes.
    LentCallback<Change, Void>.giveBack(sqlite3_update_hook(pointer, nil, nil))
    LentCallback<Int32>.giveBack(sqlite3_commit_hook(pointer, nil, nil))
    LentCallback<Void>.giveBack(sqlite3_rollback_hook(pointer, nil, nil))
    sqlite3_busy_handler(pointer, nil, nil)
    busyHandler = nil
    // Gives the boxes of functions and collations back.
    sqlite3_close_v2(pointer)
    commits.completed()
    rollbacks.completed()
    closing.completed()
  }
}
