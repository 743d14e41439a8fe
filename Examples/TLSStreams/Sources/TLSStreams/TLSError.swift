import COpenSSL
public import EventLoops

/// The error of an encrypted connection, or of its configuration.
public enum TLSError: ConnectionError, Hashable, Sendable {
  /// The connection that carries the bytes has failed, or was closed here (`ECANCELED`).
  case connection(UVError)
  /// The peer's certificate is not accepted.
  case certificate(TLSCertificateError)
  /// The peer has reported an error, for example that it does not accept this side's certificate.
  case alert(TLSAlert)
  /// The connection has ended without a close-notify: the peer has crashed, or an attacker has cut the connection.
  case truncated
  /// The peer has closed the connection before the handshake was complete.
  case closedInHandshake
  /// The handshake has taken longer than its limit.
  case handshakeTimedOut(Duration)
  /// The bytes of the peer are no valid TLS, or have been changed on their way. The value is the reason, by OpenSSL.
  case protocolViolation(String)
  /// A certificate, a key, or an option cannot be used. The value is the reason.
  case configuration(String)

  /// Makes the error of a connection that has failed.
  public init(_ error: UVError) { self = .connection(error) }
}

extension TLSError: CustomStringConvertible {
  /// What has happened.
  public var description: String {
    switch self {
    case .connection(let error): error.description
    case .certificate(let error): "The peer's certificate is not accepted: \(error)."
    case .alert(let alert): "The peer has reported an error: \(alert)."
    case .truncated: "The connection has ended without a close-notify, so the end of the data may be missing."
    case .closedInHandshake: "The peer has closed the connection during the handshake."
    case .handshakeTimedOut(let limit): "The handshake has taken longer than \(limit)."
    case .protocolViolation(let reason): "The peer violates the protocol: \(reason)."
    case .configuration(let reason): reason
    }
  }
}

/// The reason why a certificate is not accepted.
public struct TLSCertificateError: RawRepresentable, Hashable, Sendable {
  /// OpenSSL's number, such as `X509_V_ERR_CERT_HAS_EXPIRED`, or -1 for a certificate that is missing.
  public let rawValue: Int32

  /// Makes a reason from OpenSSL's number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The certificate has expired.
  public static let expired = Self(rawValue: X509_V_ERR_CERT_HAS_EXPIRED)
  /// The certificate is not valid yet.
  public static let notYetValid = Self(rawValue: X509_V_ERR_CERT_NOT_YET_VALID)
  /// The certificate is for other host names.
  public static let wrongHost = Self(rawValue: X509_V_ERR_HOSTNAME_MISMATCH)
  /// The certificate is for other addresses.
  public static let wrongAddress = Self(rawValue: X509_V_ERR_IP_ADDRESS_MISMATCH)
  /// The authority that has issued the certificate is not trusted.
  public static let unknownAuthority = Self(rawValue: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY)
  /// The certificate is signed by itself.
  public static let selfSigned = Self(rawValue: X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT)
  /// The certificate has been revoked.
  public static let revoked = Self(rawValue: X509_V_ERR_CERT_REVOKED)
  /// The certificate has none of the trusted fingerprints.
  public static let otherFingerprint = Self(rawValue: X509_V_ERR_CERT_UNTRUSTED)
  /// The server requires a certificate, and the client has sent none.
  public static let missing = Self(rawValue: -1)
}

extension TLSCertificateError: CustomStringConvertible {
  /// The reason, by OpenSSL.
  public var description: String {
    switch self {
    case .otherFingerprint: "it has none of the trusted fingerprints"
    case .missing: "the peer has sent none"
    default: String(cString: X509_verify_cert_error_string(Int(rawValue)))
    }
  }
}

/// An error that one side of a connection reports to the other (RFC 8446, section 6).
public struct TLSAlert: RawRepresentable, Hashable, Sendable {
  /// The number of the alert.
  public let rawValue: UInt8

  /// Makes an alert from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The peers have no version, cipher suite, or other parameter in common.
  public static let handshakeFailure = Self(rawValue: 40)
  /// The certificate is damaged or cannot be verified.
  public static let badCertificate = Self(rawValue: 42)
  /// The certificate has expired.
  public static let certificateExpired = Self(rawValue: 45)
  /// The authority that has issued the certificate is not trusted.
  public static let unknownAuthority = Self(rawValue: 48)
  /// The peers have no version in common.
  public static let protocolVersion = Self(rawValue: 70)
  /// The server requires a certificate of the client.
  public static let certificateRequired = Self(rawValue: 116)
  /// The peers have no application protocol in common.
  public static let noApplicationProtocol = Self(rawValue: 120)
}

extension TLSAlert: CustomStringConvertible {
  /// The name of the alert.
  public var description: String { String(cString: SSL_alert_desc_string_long(Int32(rawValue))) }
}

extension TLSError {
  /// Takes the oldest error of OpenSSL on this thread, and empties its list.
  static func takeReason() -> (code: UInt, text: String) {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return (0, "unknown reason") }
    // An error of the system, which OpenSSL does not describe.
    if code & 0x8000_0000 != 0 { return (code, UVError(errno: Int32(code & 0x7FFF_FFFF), call: "").message) }
    return (code, ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)")
  }

  /// The error of a call for a configuration, which `what` describes: "The file a.pem cannot be read".
  static func configuration(failed what: String) -> TLSError {
    .configuration("\(what): \(takeReason().text).")
  }

  /// The error of a connection after OpenSSL has refused to continue.
  static func ofConnection(_ ssl: OpaquePointer) -> TLSError {
    let (code, text) = takeReason()
    let reason = Int32(truncatingIfNeeded: code & 0x7F_FFFF)
    if reason == SSL_R_CERTIFICATE_VERIFY_FAILED {
      return .certificate(TLSCertificateError(rawValue: Int32(SSL_get_verify_result(ssl))))
    }
    if reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE { return .certificate(.missing) }
    // OpenSSL adds 1000 to the number of an alert.
    if (1000..<1256).contains(reason) { return .alert(TLSAlert(rawValue: UInt8(reason - 1000))) }
    return .protocolViolation(text)
  }
}
