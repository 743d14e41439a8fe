import CPostgres
public import Streams

extension Operation where Element == PostgresConnection, Failure == PostgresError {
  /// Returns a cold stream that connects to a server on the current loop, emits the connection, and completes.
  ///
  /// Fails if the connection cannot be made. Disposing abandons the attempt. Connecting does not block the loop, but a host name
  /// is resolved while `observe` runs. libpq ignores `connect_timeout` here; use `timeout(after:failingWith:)`.
  ///
  /// - Parameter parameters: The parameters of libpq, such as `host=/var/run/postgresql dbname=notes`, or a URI, such as
  ///   `postgresql://localhost/notes`.
  public static func postgres(_ parameters: String) -> Operation {
    Operation { observer in
      do throws(PostgresError) {
        let connection = try Connection(parameters) { PQconnectStartParams($0, $1, $2) }
        connection.connect(observer)
        return BlockDisposable { connection.giveUp() }
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
