import CPostgres
import Callbacks
public import Streams

/// A connection to a PostgreSQL server whose notifications, notices and events are streams.
///
/// ```swift
/// let connection = try PostgresConnection("dbname=notes")
/// connection.notifications(on: "changes").observe(
///   next: { print($0.payload) }, termination: { print($0) }).dispose(in: bag)
/// try connection.query("SELECT pg_notify('changes', $1)", "milk")
/// ```
///
/// Nothing is delivered from inside of libpq: observers may use the connection, and may close it. Closing it, or letting go
/// of it, completes its streams. Confined: it belongs to the loop on which it is made.
public final class PostgresConnection {
  let connection: Connection
  private let listening: Multiplexer<String, PostgresNotification, PostgresError>
  private let registered: Multiplexer<Int, ConnectionEvent, PostgresError>
  // Closes at home where the last reference goes elsewhere.
  private let bag = DisposeBag()

  /// Connects and waits until that is done. `Operation.postgres` does it without waiting.
  public convenience init(_ parameters: String) throws(PostgresError) {
    let connection = try Connection(PQconnectdb(parameters))
    if let pointer = connection.pointer, PQstatus(pointer) != CONNECTION_OK {
      let error = PostgresError(pointer)
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

  /// Completes the streams and closes the connection: now, or when the call that is under way has returned. A second call
  /// does nothing.
  public func close() { connection.close() }

  /// True once it is closed.
  public var isClosed: Bool { connection.pointer == nil }

  // MARK: Streams

  /// What is sent to `channel`, in the order in which the server sends it.
  ///
  /// The first observer of a channel says `LISTEN`, the last one to be disposed of `UNLISTEN`. While anybody listens the
  /// socket is watched on the loop, which that keeps running. Fails once when the connection is lost, after what came
  /// before; `reset()` connects again, and then it can be observed anew. Completes when the connection is closed. It cannot
  /// wait: pausing has no effect.
  public func notifications(on channel: String) -> Operation<PostgresNotification, PostgresError> {
    listening.stream(for: channel)
  }

  /// What the server says beside the results, after the call that it belongs to. Completes when the connection is closed.
  public var notices: Stream<PostgresNotice> { connection.notices.toStream() }

  /// Results and resets, for any number of observers: libpq takes the event procedure once, with the first of them, and for
  /// good. Completes when libpq destroys the connection.
  public var events: Operation<ConnectionEvent, PostgresError> { registered.stream(for: 0) }

  // MARK: Calls

  /// Runs one statement with `values` for `$1`, `$2`…, waits for it, and gives its rows as text; nil is NULL.
  @discardableResult
  public func query(_ statement: String, _ values: String?...) throws(PostgresError) -> [[String?]] {
    try connection.run(statement, values)
  }

  /// Connects again, and waits until that is done. Who listens goes on listening, on the new socket; what is sent meanwhile is
  /// lost. Where it cannot connect all who listen fail.
  public func reset() throws(PostgresError) { try connection.reset() }
}

@available(*, unavailable)
extension PostgresConnection: Sendable {}
