import CSQLite
import Callbacks
import SQLite
public import Streams

/// A database in memory whose connections share their pages, and lock tables against each other.
///
/// A statement that needs a locked table fails immediately with `SQLITE_LOCKED_SHAREDCACHE` (262). `unlocked` emits when you
/// can try again. The cache is confined, with all of its connections.
public final class SharedCache {
  private let address: String
  // All connections share the deferral, because SQLite notifies a connection inside a call to another one.
  private let calls = Deferral()

  /// Creates a cache. Caches with the same name share their data.
  ///
  /// Open the connections of one name with one instance. The notifications of `unlocked` are deferred for each instance.
  public init(_ name: String) {
    // A URI has these characters only with their numbers.
    let escaped = name.replacing(/[%?#]/) { "%" + String($0.output.utf8.first!, radix: 16, uppercase: true) }
    address = "file:\(escaped)?mode=memory&cache=shared"
  }

  /// Opens another connection to the cache.
  public func open() throws(SQLiteError) -> Database {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_SHAREDCACHE
    return try Database(address, flags, calls)
  }
}

@available(*, unavailable)
extension SharedCache: Sendable {}

extension Database {
  /// Emits once and completes when the transaction that blocked this connection has ended. Emits immediately if no
  /// transaction blocks it.
  ///
  /// Observe it after a statement has failed with `SQLITE_LOCKED_SHAREDCACHE`, with one observer at a time for each
  /// connection: SQLite notifies only the last observer. Fails with `SQLITE_LOCKED` if the connections wait for each other,
  /// and with `SQLITE_MISUSE` inside a hook.
  ///
  /// Completes without an element when the database is closed, or immediately if it is already closed.
  public var unlocked: Operation<Void, SQLiteError> {
    Operation.deferred { [connection] in
      if connection.isInHook { return .failed(.insideOfHook) }
      return connection.stream { sqlite in
        sqlite.unlocked().mapError { SQLiteError($0, sqlite) }
      }
    }
    .take(until: connection.closing)
  }
}
