import CSQLite
import Callbacks
public import Delegates
import SQLite
public import Streams

/// A connection to a SQLite database whose hooks are streams, and whose questions are answered by handlers.
///
/// ```swift
/// let database = try Database("notes.db")
/// database.changes.observeNext { print($0) }.dispose(in: bag)
/// try database.execute("INSERT INTO notes VALUES ('milk')")   // prints: insert main.notes 1
/// ```
///
/// What a hook sends arrives when the statement has returned and before `execute` or `query` does: SQLite must not be used
/// from inside of its hooks, and observers may use it. Handlers that answer run inside of the statement; for them the
/// database fails with `SQLITE_MISUSE`.
///
/// Closing, or letting go of the database, completes its streams. Confined: it belongs to the domain that opens it.
public final class Database {
  let connection: Connection
  private let updates: Multiplexer<Int, Change, Never>
  // Closes at home where the last reference goes elsewhere.
  private let bag = DisposeBag()

  /// Opens the database in the file at `path`, and makes it if it is not there. Without a path it is in memory.
  public convenience init(_ path: String = ":memory:") throws(SQLiteError) {
    try self.init(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, Deferral())
  }

  init(_ path: String, _ flags: Int32, _ calls: Deferral) throws(SQLiteError) {
    let connection = try Connection(path, flags, calls)
    self.connection = connection
    // SQLite has one update hook for each connection: all observers share it.
    updates = Multiplexer { _ in connection.stream { $0.updates().map { Change($0) } } }
    BlockDisposable { connection.close() }.dispose(in: bag)
  }

  /// Completes the streams and closes the connection: now, or when the statement that is under way has returned. A second
  /// call does nothing.
  public func close() { connection.close() }

  /// True once it is closed.
  public var isClosed: Bool { connection.pointer == nil }

  // MARK: Streams

  /// The rows that this connection inserts, updates and deletes, in order.
  ///
  /// The first observer installs the hook, the last one to be disposed of removes it. `DELETE` without `WHERE` and tables
  /// without row numbers tell nothing: so SQLite has it. Completes when the database is closed.
  public var changes: Stream<Change> { updates.stream(for: 0) }

  /// An element for each transaction that has been committed. Completes when the database is closed.
  public var commits: Stream<Void> { connection.commits.toStream() }

  /// An element for each transaction that is rolled back, also for a vetoed commit. Completes when the database is closed.
  public var rollbacks: Stream<Void> { connection.rollbacks.toStream() }

  // MARK: Questions

  /// Asked before each commit: whoever answers false makes it a rollback, and the statement fails with
  /// `SQLITE_CONSTRAINT_COMMITHOOK`. Without a handler all commits pass.
  public var mayCommit: InterceptedMethod<Bool> { connection.mayCommit }

  /// Asked when the file is locked by another connection, with how often it has been asked before for this lock: whoever
  /// answers true has SQLite try again. Without a handler the statement fails with `SQLITE_BUSY` at once.
  public var triesAgain: InterceptedMethod<Bool, Int> { connection.triesAgain }

  // MARK: Statements

  /// Runs the statements of a script.
  public func execute(_ script: String) throws(SQLiteError) {
    let text = Array(script.utf8CString)
    var offset = 0
    while offset < text.count - 1 { (_, offset) = try run(text, offset, []) }
  }

  /// Runs one statement with `values` for its parameters, and gives its rows. What follows the statement is not run.
  @discardableResult
  public func query(_ statement: String, _ values: SQLiteValue...) throws(SQLiteError) -> [[SQLiteValue]] {
    try run(Array(statement.utf8CString), 0, values).rows
  }

  /// Runs one statement with the values of an array for its parameters, and returns its rows. What follows the statement is not run.
  @discardableResult
  public func query(_ statement: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [[SQLiteValue]] {
    try run(Array(statement.utf8CString), 0, values).rows
  }

  private func run(
    _ text: [CChar], _ offset: Int, _ values: [SQLiteValue]
  ) throws(SQLiteError) -> (rows: [[SQLiteValue]], end: Int) {
    try connection.during { sqlite throws(SQLiteError) in
      let pointer = sqlite.pointer
      return try text.withUnsafeBufferPointer { text throws(SQLiteError) in
        var statement: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let start = text.baseAddress.unsafelyUnwrapped
        let code = sqlite3_prepare_v2(pointer, start + offset, Int32(text.count - offset), &statement, &tail)
        defer { sqlite3_finalize(statement) }
        if code != SQLITE_OK { throw SQLiteError(code, pointer) }
        for (index, value) in values.enumerated() {
          let code = value.bind(to: statement, at: Int32(index + 1))
          if code != SQLITE_OK { throw SQLiteError(code, pointer) }
        }
        return (try rows(statement, pointer), (tail ?? start) - start)
      }
    }
  }

  private func rows(_ statement: OpaquePointer?, _ pointer: OpaquePointer) throws(SQLiteError) -> [[SQLiteValue]] {
    // Nothing but blanks or a comment.
    guard let statement else { return [] }
    var rows: [[SQLiteValue]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_ROW {
        rows.append((0..<sqlite3_column_count(statement)).map { SQLiteValue(statement, column: $0) })
        continue
      }
      connection.didRun(isDone: code == SQLITE_DONE)
      if code == SQLITE_DONE { return rows }
      throw SQLiteError(code, pointer)
    }
  }
}

@available(*, unavailable)
extension Database: Sendable {}
