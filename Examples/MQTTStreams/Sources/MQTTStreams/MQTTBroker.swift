/// Where a broker is and how to log in: what streams are made from. Nothing connects before one is observed.
///
/// ```swift
/// let broker = MQTTBroker("broker.local")
/// broker.messages("home/+/temperature").retry(.max, delay: .seconds(1)).observeNext { print($0.topic, $0.text) }
/// ```
public struct MQTTBroker: Sendable, Hashable {
  /// A name or an address. A name is looked up on the thread that observes: give an address where that must not wait.
  public var host: String
  /// 1883 unless told.
  public var port: Int32
  /// Who we are. The broker keeps the subscriptions of those who have a name, and what is published with QoS 1 and 2 while
  /// they are away; a second connection of the same name ends the first. Without a name nothing is kept.
  public var name: String?
  /// For brokers that ask for them.
  public var user: String?
  /// For brokers that ask for it.
  public var password: String?
  /// After so many seconds of silence the connection is tried out; at least 5.
  public var keepAlive: Int32

  /// Describes a broker.
  public init(
    _ host: String, port: Int32 = 1883, name: String? = nil, user: String? = nil, password: String? = nil,
    keepAlive: Int32 = 60
  ) {
    self.host = host
    self.port = port
    self.name = name
    self.user = user
    self.password = password
    self.keepAlive = keepAlive
  }
}
