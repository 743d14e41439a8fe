/// The address of a broker, and the credentials for it. Its streams connect when they are observed.
///
/// ```swift
/// let broker = MQTTBroker("broker.local")
/// broker.messages("home/+/temperature").retry(.max, delay: .seconds(1)).observeNext { print($0.topic, $0.text) }
/// ```
public struct MQTTBroker: Sendable, Hashable {
  /// The host name or address. A host name is resolved on the observing thread, which blocks meanwhile.
  /// Use an address to avoid that.
  public var host: String
  /// The port; 1883 by default.
  public var port: Int32
  /// The client ID; nil for a random one with a clean session.
  ///
  /// If it is set, the broker keeps the subscriptions of the client, and the messages of QoS 1 and 2 that are published while the
  /// client is disconnected. A second connection with the same ID ends the first, so observe only one stream at a time.
  public var name: String?
  /// The user name; nil if the broker requires none.
  public var user: String?
  /// The password; nil if the broker requires none. It is used only with a user name.
  public var password: String?
  /// The number of seconds without traffic after which the connection is checked; at least 5.
  public var keepAlive: Int32

  /// Creates the description of a broker. Does not connect.
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
