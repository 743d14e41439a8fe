import CPostgres
import EventLoops

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

  init(_ connection: OpaquePointer) { self.init(Self.trimmed(PQerrorMessage(connection))) }

  init(result: OpaquePointer?, _ connection: OpaquePointer) {
    guard let result else {
      self.init(connection)
      return
    }
    // The value of the macro PG_DIAG_SQLSTATE.
    let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
    self.init(Self.trimmed(PQresultErrorMessage(result)), state: state)
  }

  static let closed = PostgresError("the connection has been closed")

  static func trimmed(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    let string = String(cString: text)
    return string.hasSuffix("\n") ? String(string.dropLast()) : string
  }

  /// The message.
  public var description: String { message }
}
