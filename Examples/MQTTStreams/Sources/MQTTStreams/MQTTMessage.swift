import Mosquitto

/// The quality of service (QoS): the number of times that a message is delivered if connections break.
public enum MQTTQuality: Int32, Sendable, Hashable {
  /// Once or not at all. (QoS 0.)
  case atMostOnce
  /// Once or more. (QoS 1.)
  case atLeastOnce
  /// Once. (QoS 2.)
  case exactlyOnce
}

/// A message that is published or received.
public struct MQTTMessage: Sendable, Hashable {
  /// The topic, such as `home/kitchen/temperature`.
  public var topic: String
  /// The payload.
  public var payload: [UInt8]
  /// The quality of service.
  public var quality: MQTTQuality
  /// In a message that you publish, whether the broker keeps it for later subscribers. In a received message, whether the broker
  /// had kept it.
  public var isRetained: Bool
  /// The number of messages of the same subscription that were dropped immediately before this one, because the buffer was full.
  public internal(set) var lostBefore = 0

  /// Creates a message with a payload of bytes.
  public init(_ topic: String, _ payload: [UInt8], quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
    self.topic = topic
    self.payload = payload
    self.quality = quality
    self.isRetained = isRetained
  }

  /// Creates a message with `text` in UTF-8 as its payload.
  public init(_ topic: String, _ text: String, quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
    self.init(topic, Array(text.utf8), quality: quality, isRetained: isRetained)
  }

  init(_ message: Message) {
    topic = message.topic ?? ""
    payload = message.payload
    quality = MQTTQuality(rawValue: message.qos) ?? .atMostOnce
    isRetained = message.retain
  }

  /// The payload decoded as UTF-8. Invalid bytes become U+FFFD.
  public var text: String { String(decoding: payload, as: UTF8.self) }
}
