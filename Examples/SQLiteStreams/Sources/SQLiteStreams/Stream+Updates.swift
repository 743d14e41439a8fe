import CSQLite
import Callbacks
import Streams

extension Operation where Element == Change, Failure == Never {
  /// The update hook of a connection as a cold stream.
  ///
  /// SQLite returns the context of the hook that it had before (E4): given back, its box is released, and the stream that it
  /// belonged to completes.
  static func updates(of connection: Connection) -> Stream<Change> {
    Stream.deferred { () -> Stream<Change> in
      guard let pointer = connection.pointer else { return Stream.completed() }
      return Stream<Change>.registering { observer in
        LentCallback<Change, Void>({ observer.next($0) }, onEnd: { observer.completed() })
      } register: { callback in
        LentCallback<Change, Void>.giveBack(
          sqlite3_update_hook(
            pointer,
            { context, code, database, table, row in
              LentCallback<Change, Void>.call(context, Change(code: code, database: database, table: table, row: row))
            }, callback.context))
      } unregister: { callback in
        connection.calls.afterCall {
          // It may have been replaced, or closed, meanwhile.
          if callback.isEnded { return }
          LentCallback<Change, Void>.giveBack(sqlite3_update_hook(pointer, nil, nil))
        }
      }
      .deliver(after: connection.calls)
    }
  }
}
