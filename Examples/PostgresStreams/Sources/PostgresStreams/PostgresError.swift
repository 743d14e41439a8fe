import CPostgres
import EventLoops

/// What PostgreSQL, or libpq, says when something fails.
public struct PostgresError: Error, Hashable, CustomStringConvertible {
  /// The words.
  public let message: String
  /// The SQLSTATE of a statement that has failed, such as `42P01`; nil where it is not the server that says it.
  public let state: String?

  /// Makes one.
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
    // 'C': PG_DIAG_SQLSTATE, a macro.
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
