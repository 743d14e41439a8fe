import CPostgres
public import Streams

extension Operation where Element == PostgresConnection, Failure == PostgresError {
  /// Connects to a server on the loop that observes: one element, a new connection, then completed. Fails when that cannot be.
  ///
  /// `parameters` are libpq's: `host=/var/run/postgresql dbname=notes`, or an address `postgresql://…`. A name of a host is
  /// looked up before this returns. Disposing gives the attempt up.
  public static func postgres(_ parameters: String) -> Operation {
    Operation { observer in
      do throws(PostgresError) {
        let connection = try Connection(PQconnectStart(parameters))
        connection.connect(observer)
        return BlockDisposable { connection.giveUp() }
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
