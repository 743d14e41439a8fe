import SystemdBus

/// The error of a call, a stream, or a name on a message bus.
///
/// The methods of an exported object throw `remote` to answer with an error of their own.
public enum DBusError: Error, Hashable, Sendable {
  /// The other side, or the bus, has answered with an error, for example `org.freedesktop.DBus.Error.ServiceUnknown`.
  case remote(name: String, message: String)
  /// No answer has come within the time limit.
  case timedOut(Duration)
  /// There is no connection to the bus. The value is the reason.
  case disconnected(String)
  /// The connection has been closed with `DBusConnection.close()`.
  case closed
  /// A message contains other types than the program expects. The values are D-Bus signatures.
  case mismatch(expected: String, actual: String)
  /// Another program owns the name.
  case nameTaken(String)
  /// A message cannot be sent, for example because a name or a path in it is not valid. The value is the reason.
  case invalid(String)

  init(_ error: SystemdBusFailure) { self = .invalid(error.description) }

  /// The name with which an exported method answers.
  var wireName: String {
    switch self {
    case .remote(let name, _): name
    case .timedOut: "org.freedesktop.DBus.Error.Timeout"
    case .disconnected, .closed: "org.freedesktop.DBus.Error.Disconnected"
    case .mismatch: "org.freedesktop.DBus.Error.InvalidArgs"
    case .nameTaken, .invalid: "org.freedesktop.DBus.Error.Failed"
    }
  }

  /// The message with which an exported method answers.
  var wireMessage: String { if case .remote(_, let message) = self { message } else { description } }
}

extension DBusError: CustomStringConvertible {
  /// What has happened.
  public var description: String {
    switch self {
    case .remote(let name, let message): message.isEmpty ? name : "\(name): \(message)"
    case .timedOut(let limit): "No answer has come within \(limit)."
    case .disconnected(let reason): "There is no connection to the bus: \(reason)"
    case .closed: "The connection to the bus has been closed."
    case .mismatch(let expected, let actual):
      "The message contains values of the types \"\(actual)\", and \"\(expected)\" is expected."
    case .nameTaken(let name): "Another program owns the name \(name)."
    case .invalid(let reason): "The message cannot be sent: \(reason)"
    }
  }
}
