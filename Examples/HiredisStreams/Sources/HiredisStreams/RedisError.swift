import CHiredis

/// The error of a command or a connection.
public enum RedisError: Error, Hashable, CustomStringConvertible {
  /// The server has replied with an error, such as `WRONGTYPE …`. The connection stays open.
  case server(String)
  /// The connection could not be made, or has been lost. The value is the system's or hiredis' description.
  case connection(String)
  /// The connection was closed before the reply was delivered, or had ended before the command.
  case closed
  /// The command was not sent. The value says why.
  case invalid(String)

  /// Copies the error of a connection (V2).
  init(_ pointer: UnsafePointer<redisAsyncContext>?) {
    guard let context = pointer?.pointee.c, context.err != 0 else {
      self = .closed
      return
    }
    self = .connection(withUnsafeBytes(of: context.errstr) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }

  /// The description by the server or hiredis.
  public var description: String {
    switch self {
    case .server(let message), .connection(let message), .invalid(let message): message
    case .closed: "the connection has been closed"
    }
  }
}
