import CSQLite
import Callbacks
import SQLite
public import Streams

/// Databases in memory that share their pages, and so lock tables for each other.
///
/// What one of them does to a locked table fails with `SQLITE_LOCKED_SHAREDCACHE` (262) at once; `unlocked` tells when to
/// try again. Confined, with all of its connections.
public final class SharedCache {
  private let address: String
  // One for all: SQLite tells waiters from inside of a call to another connection.
  private let calls = Deferral()

  /// Makes one; caches of the same name are the same cache.
  public init(_ name: String) { address = "file:\(name)?mode=memory&cache=shared" }

  /// Opens another connection.
  public func open() throws(SQLiteError) -> Database {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_SHAREDCACHE
    return try Database(address, flags, calls)
  }
}

@available(*, unavailable)
extension SharedCache: Sendable {}

extension Database {
  /// One element, then completed, when the transaction that has blocked this connection has ended; at once where none has.
  ///
  /// Observe it after a statement has failed with `SQLITE_LOCKED_SHAREDCACHE`, once at a time for each connection: SQLite
  /// remembers one waiter and drops it for the next. Fails with `SQLITE_LOCKED` where the connections wait for each other.
  /// Completes without an element when the database is closed, at once where it has been.
  public var unlocked: Operation<Void, SQLiteError> {
    Operation.deferred { [connection] in
      if connection.isInHook { return .failed(.insideOfHook) }
      return connection.stream { sqlite in
        sqlite.unlocked().mapError { SQLiteError(Int32($0.code), sqlite.pointer) }
      }
    }
    .take(until: connection.closing)
  }
}
