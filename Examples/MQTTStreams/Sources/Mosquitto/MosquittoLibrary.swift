// Written by wrap-library from mosquitto.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CMosquitto
import Glibc

/// A function of C that has failed.
nonisolated public struct MosquittoFailure: Error, Hashable, CustomStringConvertible {
  /// The name of the function.
  public let function: String
  /// The code that it returned.
  public let code: Int
  /// What the library says about it.
  public let message: String?

  /// Creates the failure of a function. Without a message, the library describes the code.
  public init(function: String, code: Int, message: String? = nil) {
    self.function = function
    self.code = code
    self.message =
      message ?? (code == 0 ? nil : mosquitto_strerror(Int32(truncatingIfNeeded: code)).map { String(cString: $0) })
  }

  /// The function, and what the library says or the code.
  public var description: String {
    message.map { "\(function): \($0)" } ?? "\(function) failed with the code \(code)."
  }
}

/// Functions and callbacks that belong to no object.
nonisolated public enum MosquittoLibrary {
  /// Must be called before any other mosquitto functions.
  ///
  /// C: `mosquitto_lib_init`.
  public static func libInit() throws(MosquittoFailure) {
    let result = mosquitto_lib_init()
    if result != 0 { throw MosquittoFailure(function: "mosquitto_lib_init", code: Int(result)) }
  }

  /// Call to obtain a const string description of a mosquitto error number.
  ///
  /// C: `mosquitto_strerror`.
  public static func strerror(_ mosqErrno: Int32) -> String? {
    let result = mosquitto_strerror(mosqErrno)
    return result.map { String(cString: $0) }
  }

  /// Call to obtain a const string description of an MQTT connection result.
  ///
  /// C: `mosquitto_connack_string`.
  public static func connackString(_ connackCode: Int32) -> String? {
    let result = mosquitto_connack_string(connackCode)
    return result.map { String(cString: $0) }
  }
}
