import SystemdBus

/// A signal that has been received.
public struct DBusMessage: Sendable {
  /// The unique name of the program that has sent it, for example `:1.42`.
  public let sender: String?
  /// The object that has sent it.
  public let path: DBusObjectPath
  /// Its interface.
  public let interface: String
  /// Its name.
  public let member: String
  /// Its arguments.
  public let values: [DBusValue]

  init(_ message: BusMessage) throws(SystemdBusFailure) {
    sender = message.sender
    path = DBusObjectPath(rawValue: message.path ?? "")
    interface = message.interface ?? ""
    member = message.member ?? ""
    values = try message.values()
  }

  /// The only argument as a Swift type. Throws `mismatch` if there are others.
  public func argument<Value: DBusConvertible>(as type: Value.Type = Value.self) throws(DBusError) -> Value {
    try decode(values, as: type)
  }

  /// Several arguments as Swift types: `message.arguments(as: (String, UInt32).self)`. Throws `mismatch` if they are
  /// others.
  public func arguments<each Value: DBusConvertible>(
    as types: (repeat each Value).Type
  ) throws(DBusError) -> (repeat each Value) {
    try decode(values, as: types)
  }
}
