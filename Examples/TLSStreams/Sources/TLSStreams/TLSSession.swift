import COpenSSL

/// What the two sides of a connection have agreed on.
public struct TLSSession: Hashable, Sendable {
  /// The version of TLS.
  public let version: TLSVersion
  /// The cipher suite, such as `TLS_AES_256_GCM_SHA384`.
  public let cipherSuite: String
  /// The application protocol (ALPN), such as `h2`, or nil if none was negotiated.
  public let applicationProtocol: String?
  /// The host name that the client has requested (SNI), or nil.
  public let serverName: String?
  /// True if an earlier session was resumed.
  public let isResumed: Bool

  init(_ ssl: OpaquePointer) {
    version = TLSVersion(rawValue: SSL_version(ssl)) ?? .tls12
    cipherSuite = SSL_get_current_cipher(ssl).flatMap { SSL_CIPHER_get_name($0) }.map { String(cString: $0) } ?? ""
    var (name, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
    SSL_get0_alpn_selected(ssl, &name, &count)
    applicationProtocol = name.map {
      String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
    }
    serverName = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    isResumed = SSL_session_reused(ssl) == 1
  }
}
