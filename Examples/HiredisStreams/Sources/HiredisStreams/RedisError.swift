import CHiredis

/// Why a command or a connection has failed.
public enum RedisError: Error, Hashable, CustomStringConvertible {
  /// The server has answered with an error, such as `WRONGTYPE …`. The connection goes on.
  case server(String)
  /// The connection could not be made, or has been lost.
  case connection(String)
  /// `close()` was called before the answer was delivered.
  case closed

  /// Copies the error of a connection (V2).
  init(_ pointer: UnsafePointer<redisAsyncContext>?) {
    guard let context = pointer?.pointee.c, context.err != 0 else {
      self = .closed
      return
    }
    self = .connection(withUnsafeBytes(of: context.errstr) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }

  /// The words of the server or of hiredis.
  public var description: String {
    switch self {
    case .server(let message), .connection(let message): message
    case .closed: "the connection has been closed"
    }
  }
}
