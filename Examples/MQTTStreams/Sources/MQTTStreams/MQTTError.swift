import Mosquitto

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The error of a stream of a broker.
public enum MQTTError: Error, Hashable, CustomStringConvertible {
  /// The connection could not be made, or has been lost. The values are libmosquitto's code, and the error number of the system if
  /// that code stands for one.
  case disconnected(Int32, system: Int32 = 0)
  /// The broker has refused the connection. The value is the code of its response.
  case refused(Int32)
  /// The broker has refused the subscription to one of the filters.
  case notSubscribed
  /// A call of libmosquitto has failed. The values are its code and the name of the function.
  case invalid(Int32, call: String)

  init(_ failure: MosquittoFailure) { self = .invalid(Int32(failure.code), call: failure.function) }

  /// libmosquitto would use only what is before a zero byte.
  static func zeroByte(in call: String) -> MQTTError { .invalid(MosqErr.inval.rawValue, call: call) }

  /// Returns the error for a code that libmosquitto has just returned. Call it first, because other calls change the error number.
  static func lost(_ code: Int32) -> MQTTError {
    let number = errno
    return .disconnected(code, system: code == MosqErr.errno.rawValue ? number : 0)
  }

  /// A description of the error, by libmosquitto if it has one.
  public var description: String {
    switch self {
    case .disconnected(MosqErr.errno.rawValue, system: 0): "Disconnected: a call of the system has failed"
    case .disconnected(MosqErr.errno.rawValue, let number): "Disconnected: \(String(cString: strerror(number)))"
    // libmosquitto 2.0 has no text for this code.
    case .disconnected(MosqErr.keepalive.rawValue, _): "Disconnected: the broker does not answer"
    case .disconnected(let code, _): "Disconnected: \(MosquittoLibrary.strerror(code) ?? "")"
    case .refused(let code): MosquittoLibrary.connackString(code) ?? ""
    case .notSubscribed: "The broker has refused a subscription."
    case .invalid(let code, let call): "\(call): \(MosquittoLibrary.strerror(code) ?? "")"
    }
  }
}
