import CMosquitto

/// How often a message arrives where connections break.
public enum MQTTQuality: Int32, Sendable, Hashable {
  /// Once or not at all. (QoS 0.)
  case atMostOnce
  /// Once or more. (QoS 1.)
  case atLeastOnce
  /// Once. (QoS 2.)
  case exactlyOnce
}

/// What is published and what arrives.
public struct MQTTMessage: Sendable, Hashable {
  /// Where it is published, such as `home/kitchen/temperature`.
  public var topic: String
  /// What it says.
  public var payload: [UInt8]
  /// How it is delivered.
  public var quality: MQTTQuality
  /// Published: the broker keeps it for those who subscribe later. Arriving: it has been kept.
  public var isRetained: Bool
  /// How many messages of the same subscription have been dropped right before this one, because they came faster than
  /// they were taken.
  public internal(set) var lostBefore = 0

  /// Makes one.
  public init(_ topic: String, _ payload: [UInt8], quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
    self.topic = topic
    self.payload = payload
    self.quality = quality
    self.isRetained = isRetained
  }

  /// Makes one that says `text` in UTF-8.
  public init(_ topic: String, _ text: String, quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
    self.init(topic, Array(text.utf8), quality: quality, isRetained: isRetained)
  }

  /// Copies what the message callback lends.
  init(copying message: UnsafePointer<mosquitto_message>) {
    let message = message.pointee
    topic = message.topic.map { String(cString: $0) } ?? ""
    payload = Array(UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen)))
    quality = MQTTQuality(rawValue: message.qos) ?? .atMostOnce
    isRetained = message.retain
  }

  /// The payload as UTF-8; what is none becomes U+FFFD.
  public var text: String { String(decoding: payload, as: UTF8.self) }
}
