import CMosquitto

/// The error of a stream of a broker.
public enum MQTTError: Error, Hashable, CustomStringConvertible {
  /// The connection could not be made, or has been lost. The value is libmosquitto's code.
  case disconnected(Int32)
  /// The broker has refused the connection. The value is the code of its response.
  case refused(Int32)
  /// The broker has refused the subscription to one of the filters.
  case notSubscribed
  /// A call of libmosquitto has failed. The values are its code and the name of the function.
  case invalid(Int32, call: String)

  /// Throws `invalid` if the code is not zero.
  static func check(_ code: Int32, _ call: String) throws(MQTTError) {
    if code != MOSQ_ERR_SUCCESS.rawValue { throw .invalid(code, call: call) }
  }

  /// A description of the error, by libmosquitto if it has one.
  public var description: String {
    switch self {
    case .disconnected(let code): "Disconnected: \(String(cString: mosquitto_strerror(code)))"
    case .refused(let code): String(cString: mosquitto_connack_string(code))
    case .notSubscribed: "The broker has refused a subscription."
    case .invalid(let code, let call): "\(call): \(String(cString: mosquitto_strerror(code)))"
    }
  }
}
