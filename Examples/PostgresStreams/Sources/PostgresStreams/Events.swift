import CPostgres
import Postgres

/// A notification of `NOTIFY` or `pg_notify`.
public struct PostgresNotification: Hashable, Sendable {
  /// The channel.
  public let channel: String
  /// The payload; empty if there is none.
  public let payload: String
  /// The process ID of the server process of the sender.
  public let sender: Int32

  /// Copies a notification, of which libpq gives up ownership, and frees it (V3).
  init(taking notification: UnsafeMutablePointer<PGnotify>) {
    channel = String(cString: notification.pointee.relname)
    payload = String(cString: notification.pointee.extra)
    sender = notification.pointee.be_pid
    PQfreemem(notification)
  }
}

/// A message that the server sends besides results: a notice, a warning, or the text of a `RAISE`.
public struct PostgresNotice: Hashable, Sendable {
  /// The severity, in English, such as `NOTICE` or `WARNING`.
  public let severity: String
  /// The primary text of the message.
  public let message: String

  /// Copies a result, which is valid only during the call of the notice receiver (V2).
  init(copying result: PGresult?) {
    func field(_ code: Unicode.Scalar) -> String { result?.resultErrorField(Int32(code.value)) ?? "" }
    // The values of the macros PG_DIAG_SEVERITY_NONLOCALIZED and PG_DIAG_MESSAGE_PRIMARY.
    severity = field("V")
    message = field("M")
  }
}

/// An event of a connection.
public enum ConnectionEvent: Hashable, Sendable {
  /// A statement has returned a result with this number of rows.
  case result(rows: Int)
  /// The connection has been reset: it has connected again.
  case reset
}
