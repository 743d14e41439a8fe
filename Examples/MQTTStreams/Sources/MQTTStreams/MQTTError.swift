import CMosquitto

/// Why a stream of the broker has failed.
public enum MQTTError: Error, Hashable, CustomStringConvertible {
  /// The connection could not be made, or has been lost; with libmosquitto's code.
  case disconnected(Int32)
  /// The broker has refused the connection; with the code of its answer.
  case refused(Int32)
  /// The broker does not let us subscribe to one of the filters.
  case notSubscribed
  /// libmosquitto has not taken a call; with its code and the name of the function.
  case invalid(Int32, call: String)

  /// Throws for a code that is not zero.
  static func check(_ code: Int32, _ call: String) throws(MQTTError) {
    if code != MOSQ_ERR_SUCCESS.rawValue { throw .invalid(code, call: call) }
  }

  /// libmosquitto's words.
  public var description: String {
    switch self {
    case .disconnected(let code): "Disconnected: \(String(cString: mosquitto_strerror(code)))"
    case .refused(let code): String(cString: mosquitto_connack_string(code))
    case .notSubscribed: "The broker has refused a subscription."
    case .invalid(let code, let call): "\(call): \(String(cString: mosquitto_strerror(code)))"
    }
  }
}
