import CHiredis

/// What the server answers.
public enum RedisValue: Hashable, Sendable {
  /// Bytes, in a reply of the server mostly text.
  case bytes([UInt8])
  /// A number.
  case integer(Int)
  /// Several answers in one.
  case array([RedisValue])
  /// An error inside of an array, as `EXEC` returns them.
  case error(String)
  /// No value: there is no such key.
  case null

  /// Copies what hiredis lends (V2).
  init(copying reply: UnsafePointer<redisReply>) {
    let reply = reply.pointee
    let bytes = UnsafeRawBufferPointer(start: reply.str, count: reply.str == nil ? 0 : Int(reply.len))
    switch reply.type {
    case REDIS_REPLY_INTEGER: self = .integer(Int(reply.integer))
    case REDIS_REPLY_NIL: self = .null
    case REDIS_REPLY_ARRAY:
      let elements = UnsafeBufferPointer(start: reply.element, count: Int(reply.elements))
      self = .array(elements.map { element in element.map { RedisValue(copying: $0) } ?? .null })
    case REDIS_REPLY_ERROR: self = .error(String(decoding: bytes, as: UTF8.self))
    default: self = .bytes(Array(bytes))
    }
  }

  /// Bytes as text; nil for everything else.
  public var text: String? { if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil } }
}

/// What `PUBLISH` has sent.
public struct RedisMessage: Hashable, Sendable {
  /// The channel.
  public let channel: String
  /// What was sent.
  public let payload: [UInt8]

  /// The payload as text.
  public var text: String { String(decoding: payload, as: UTF8.self) }
}
