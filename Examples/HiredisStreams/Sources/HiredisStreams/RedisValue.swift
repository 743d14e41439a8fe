import CHiredis

/// A reply of the server.
public enum RedisValue: Hashable, Sendable {
  /// A string. In most replies, it is text.
  case bytes([UInt8])
  /// An integer.
  case integer(Int)
  /// A list of values.
  case array([RedisValue])
  /// An error inside an array, for example in a reply to `EXEC`.
  case error(String)
  /// No value, for example because the key does not exist.
  case null

  /// Copies a reply, which hiredis frees after the callback (V2).
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

  /// The bytes decoded as UTF-8; nil for all other values.
  public var text: String? { if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil } }
}

/// A message of `PUBLISH`.
public struct RedisMessage: Hashable, Sendable {
  /// The channel.
  public let channel: String
  /// The payload.
  public let payload: [UInt8]

  /// The payload decoded as UTF-8.
  public var text: String { String(decoding: payload, as: UTF8.self) }
}
