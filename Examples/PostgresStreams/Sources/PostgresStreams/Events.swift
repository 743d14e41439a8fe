import CPostgres

/// What `NOTIFY` has sent.
public struct PostgresNotification: Hashable, Sendable {
  /// The channel.
  public let channel: String
  /// What was sent with it; empty without one.
  public let payload: String
  /// The process number of the sender's server process.
  public let sender: Int32

  /// Copies what libpq gives away, and frees it (V3).
  init(taking notification: UnsafeMutablePointer<PGnotify>) {
    channel = String(cString: notification.pointee.relname)
    payload = String(cString: notification.pointee.extra)
    sender = notification.pointee.be_pid
    PQfreemem(notification)
  }
}

/// What the server says beside the results: warnings, notices, what `RAISE` says.
public struct PostgresNotice: Hashable, Sendable {
  /// `NOTICE`, `WARNING`, and so on, in English.
  public let severity: String
  /// The words.
  public let message: String

  /// Copies what the notice receiver lends (V2).
  init(copying result: OpaquePointer?) {
    func field(_ code: Unicode.Scalar) -> String {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) } ?? ""
    }
    // PG_DIAG_SEVERITY_NONLOCALIZED and PG_DIAG_MESSAGE_PRIMARY, which are macros.
    severity = field("V")
    message = field("M")
  }
}

/// What happens to a connection.
public enum ConnectionEvent: Hashable, Sendable {
  /// A statement has given a result with so many rows.
  case result(rows: Int)
  /// The connection has been made anew.
  case reset
}
