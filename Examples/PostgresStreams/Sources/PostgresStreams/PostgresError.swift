import EventLoops
import Postgres

/// An error of the PostgreSQL server, of libpq, or of the loop.
public struct PostgresError: Error, Hashable, CustomStringConvertible {
  /// The description of the error.
  public let message: String
  /// The SQLSTATE of a failed statement, such as `42P01`; nil if the error is not from the server.
  public let state: String?

  /// Creates an error.
  public init(_ message: String, state: String? = nil) {
    self.message = message
    self.state = state
  }

  init(_ error: UVError) { self.init(error.description) }

  init(_ connection: PGconn) { self.init(Self.trimmed(connection.errorMessage)) }

  init(_ result: PGresult) {
    // The value of the macro PG_DIAG_SQLSTATE.
    let state = result.resultErrorField(Int32(UInt8(ascii: "C")))
    self.init(Self.trimmed(result.resultErrorMessage), state: state)
  }

  static let closed = PostgresError("the connection has been closed")

  private static func trimmed(_ text: String?) -> String {
    guard let text else { return "" }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  /// The message.
  public var description: String { message }
}
