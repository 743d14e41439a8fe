import CPostgres
import Callbacks
import Postgres
public import Streams

/// A connection to a PostgreSQL server whose notifications, notices, and events are streams.
///
/// ```swift
/// let connection = try PostgresConnection("dbname=notes")
/// connection.notifications(on: "changes").observe(
///   next: { print($0.payload) }, termination: { print($0) }).dispose(in: bag)
/// try connection.query("SELECT pg_notify('changes', $1)", "milk")
/// ```
///
/// Elements are delivered after libpq has returned, so an observer can use and close the connection. Closing or releasing the
/// connection completes its streams. The observers of notifications keep it.
///
/// Confined to the loop on which it is created.
public final class PostgresConnection {
  let connection: Connection
  private let listening: Multiplexer<Channel, PostgresNotification, PostgresError>
  private let registered: Multiplexer<Int, ConnectionEvent, PostgresError>
  // Closes at home if the last reference is released in another domain.
  private let bag = DisposeBag()

  /// Connects, and blocks until the connection is made or fails. `Operation.postgres` connects without blocking.
  public convenience init(_ parameters: String) throws(PostgresError) {
    let connection = try Connection(parameters) { PQconnectdbParams($0, $1, $2) }
    if let postgres = connection.postgres, postgres.status != .ok {
      let error = PostgresError(postgres)
      connection.close()
      throw error
    }
    self.init(connection)
  }

  init(_ connection: Connection) {
    self.connection = connection
    listening = Multiplexer { channel in
      Operation { observer in connection.listen(channel, observer) }
    }
    registered = Multiplexer(keepsRegistration: true) { _ in .events(of: connection) }
    BlockDisposable { connection.close() }.dispose(in: bag)
  }

  /// Completes the streams and closes the connection: immediately, or after the running call of libpq. A second call does
  /// nothing.
  public func close() { connection.close() }

  /// Whether the connection has been closed with `close()`. It stays false if the connection is lost.
  public var isClosed: Bool { connection.isClosed }

  // MARK: Streams

  /// Returns the notifications that are sent to `channel`, in the order of the server. Fails if the name has more than 63 bytes.
  ///
  /// The first observer of a channel executes `LISTEN`, and the last disposal executes `UNLISTEN`; both block until the server
  /// responds. While a channel has an observer, the loop watches the socket and keeps running. If the connection is lost, the
  /// stream delivers the received notifications and fails. You can observe it again after `reset()`. Completes when the
  /// connection is closed. In a transaction, listening begins when it ends. The stream has no backpressure: pausing an
  /// observer does not pause the server. It keeps the connection while it is observed.
  public func notifications(on channel: String) -> Operation<PostgresNotification, PostgresError> {
    listening.stream(for: Channel(channel)).doOn(disposed: { [self] in withExtendedLifetime(self) {} })
  }

  /// The notices and warnings of the server, as a hot stream. Each is delivered after the call during which it was received.
  /// Completes when the connection is closed.
  public var notices: Stream<PostgresNotice> { connection.notices.toStream() }

  /// The results and resets of the connection. Any number of observers share one registration.
  ///
  /// The first observer registers the event procedure, and it stays registered: libpq cannot unregister it. Completes when the
  /// connection is closed.
  public var events: Operation<ConnectionEvent, PostgresError> { registered.stream(for: 0) }

  // MARK: Calls

  /// Runs one statement with `values` for `$1`, `$2`, and so on, and returns its rows as text; nil is NULL.
  ///
  /// Blocks until the server responds. Throws the error of the server, or of libpq if the connection is lost or closed.
  @discardableResult
  public func query(_ statement: String, _ values: String?...) throws(PostgresError) -> [[String?]] {
    try connection.run(statement, values)
  }

  /// Connects again, and blocks until the connection is made or fails.
  ///
  /// Observers of channels continue to receive notifications. Notifications that are sent meanwhile are lost. If the connection
  /// cannot be made, `reset` throws and the streams of the channels fail.
  public func reset() throws(PostgresError) { try connection.reset() }
}

@available(*, unavailable)
extension PostgresConnection: Sendable {}
