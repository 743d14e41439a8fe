import CSQLite
import Callbacks
public import Delegates
import SQLite
public import Streams

/// A connection to a SQLite database. Its hooks are streams, and handlers answer its callbacks that return a result.
///
/// ```swift
/// let database = try Database("notes.db")
/// database.changes.observeNext { print($0) }.dispose(in: bag)
/// try database.execute("INSERT INTO notes VALUES ('milk')")   // prints: insert main.notes 1
/// ```
///
/// The elements of a hook are delivered after SQLite's call for the statement has returned, and before `execute` or `query`
/// returns. Observers can therefore use the database. The handlers of `mayCommit` and `triesAgain` run inside the statement,
/// where SQLite must not be used: the database throws `SQLITE_MISUSE`.
///
/// `close()` and the deallocation of the database complete its streams. The database is confined to the domain that opens it.
public final class Database {
  let connection: Connection
  private let updates: Multiplexer<Int, Change, Never>
  // Closes the connection in the home domain, even if another thread releases the last reference.
  private let bag = DisposeBag()

  /// Opens the database in the file at `path`, and creates it if it does not exist. Without a path, opens one in memory.
  public convenience init(_ path: String = ":memory:") throws(SQLiteError) {
    try self.init(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, Deferral())
  }

  init(_ path: String, _ flags: Int32, _ calls: Deferral) throws(SQLiteError) {
    let connection = try Connection(path, flags, calls)
    self.connection = connection
    // All observers share the hook, because SQLite has one update hook for each connection.
    updates = Multiplexer { _ in connection.stream { $0.updates().map { Change($0) } } }
    BlockDisposable { connection.close() }.dispose(in: bag)
  }

  /// Completes the streams and closes the connection, immediately or after the running statement and the delivery of
  /// what it has reported. Statements that begin after this call throw. A second call does nothing.
  public func close() { connection.close() }

  /// True after the connection has been closed.
  public var isClosed: Bool { connection.pointer == nil }

  // MARK: Streams

  /// The insertions, updates, and deletions of rows by this connection, in order.
  ///
  /// The first observer installs the hook, and the last one that is disposed removes it. SQLite does not report `DELETE`
  /// without `WHERE`, nor rows that `REPLACE` removes, nor changes in `WITHOUT ROWID` tables. Completes when the database is
  /// closed.
  public var changes: Stream<Change> { updates.stream(for: 0) }

  /// Emits after each committed transaction. Completes when the database is closed.
  public var commits: Stream<Void> { connection.commits.toStream() }

  /// Emits after each rollback, including that of a vetoed commit. Completes when the database is closed.
  public var rollbacks: Stream<Void> { connection.rollbacks.toStream() }

  // MARK: Callbacks with a result

  /// The slot of the commit hook, called before each commit. If its handler returns false, the transaction is rolled back,
  /// and the statement fails with `SQLITE_CONSTRAINT_COMMITHOOK`. Without a handler, every commit proceeds.
  public var mayCommit: InterceptedMethod<Bool> { connection.mayCommit }

  /// The slot of the busy handler, called when another connection has locked the file.
  ///
  /// The argument is the number of previous calls for the same lock. If the handler returns true, SQLite tries again. If it
  /// returns false, or if there is no handler, the statement fails with `SQLITE_BUSY`.
  public var triesAgain: InterceptedMethod<Bool, Int> { connection.triesAgain }

  // MARK: Statements

  /// Runs the statements of a script, and discards their rows. Stops at the first statement that fails, and throws. A script with a
  /// zero byte throws, and runs no statement.
  public func execute(_ script: String) throws(SQLiteError) {
    try SQLiteError.checkText(script)
    var offset: Int32 = 0
    while offset < script.utf8.count { (_, offset) = try run(script, offset, []) }
  }

  /// Runs one statement with `values` for its parameters, and returns its rows. Ignores text after the statement.
  @discardableResult
  public func query(_ statement: String, _ values: SQLiteValue...) throws(SQLiteError) -> [[SQLiteValue]] {
    try query(statement, values)
  }

  /// Runs one statement with an array of values for its parameters, and returns its rows. Ignores text after the statement.
  @discardableResult
  public func query(_ statement: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [[SQLiteValue]] {
    try SQLiteError.checkText(statement)
    return try run(statement, 0, values).rows
  }

  /// Runs the statement at an offset of a script, and returns its rows and the offset of its end.
  private func run(
    _ script: String, _ offset: Int32, _ values: [SQLiteValue]
  ) throws(SQLiteError) -> (rows: [[SQLiteValue]], end: Int32) {
    try connection.during { sqlite throws(SQLiteFailure) in
      let statement: Stmt
      let end: Int32
      do throws(SQLiteFailure) {
        (statement, end) = try sqlite.prepareNext(script, offset: offset)
      } catch {
        // The rest of the script contains only white space or comments.
        if error.code == SQLITE_DONE { return ([], .max) }
        throw error
      }
      for (index, value) in values.enumerated() { try value.bind(to: statement, at: Int32(index + 1)) }
      return try (rows(statement), end)
    }
  }

  private func rows(_ statement: Stmt) throws(SQLiteFailure) -> [[SQLiteValue]] {
    var rows: [[SQLiteValue]] = []
    while true {
      let code = statement.step()
      if code == SQLITE_ROW {
        rows.append((0..<statement.columnCount).map { SQLiteValue(statement.pointer, column: $0) })
        continue
      }
      connection.didRun()
      if code == SQLITE_DONE { return rows }
      throw SQLiteFailure(function: "sqlite3_step", code: Int(code))
    }
  }
}

@available(*, unavailable)
extension Database: Sendable {}
