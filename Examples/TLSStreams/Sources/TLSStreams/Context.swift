import COpenSSL
import EventLoops
import Streams

/// The versions of TLS.
public enum TLSVersion: Int32, Comparable, Sendable {
  /// TLS 1.2 (RFC 5246).
  case tls12 = 0x0303
  /// TLS 1.3 (RFC 8446).
  case tls13 = 0x0304

  /// Returns whether a version is older.
  public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// A configuration that connections share.
final class Context: Sendable {
  // Sendable: changed only before the first connection. After that, OpenSSL locks what it changes.
  nonisolated(unsafe) let raw: OpaquePointer
  let handshakeLimit: Duration
  /// The accepted fingerprints of the peer's certificate, if they decide.
  private let fingerprints: Set<String>?
  /// The protocols, best first, in the form of ALPN.
  private nonisolated(unsafe) let protocols: UnsafeBufferPointer<UInt8>

  init(
    _ method: OpaquePointer?, _ versions: ClosedRange<TLSVersion>, _ trust: TLSTrust?, protocols: [String],
    handshakeLimit: Duration
  ) throws(TLSError) {
    let names = try Self.encoded(protocols)
    ERR_clear_error()
    guard let raw = SSL_CTX_new(method) else { throw .configuration(failed: "OpenSSL cannot be used") }
    self.raw = raw
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: names.count)
    _ = memory.initialize(from: names)
    self.protocols = UnsafeBufferPointer(memory)
    self.handshakeLimit = handshakeLimit
    fingerprints = trust?.fingerprints
    headwater_ssl_set_up(raw, versions.lowerBound.rawValue, versions.upperBound.rawValue)
    try trust?.apply(to: raw)
    if fingerprints != nil {
      // OpenSSL calls it only within the calls for a connection, which retains this.
      SSL_CTX_set_cert_verify_callback(
        raw,
        { store, context in
          Unmanaged<Context>.fromOpaque(context!)._withUnsafeGuaranteedRef { $0.accepts(store!) ? 1 : 0 }
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  deinit {
    SSL_CTX_free(raw)
    protocols.deallocate()
  }

  private func accepts(_ store: OpaquePointer) -> Bool {
    let certificate = X509_STORE_CTX_get0_cert(store)
    let isKnown = certificate.map { fingerprints?.contains(TLSCertificate.fingerprint(of: $0)) ?? false } ?? false
    X509_STORE_CTX_set_error(store, isKnown ? X509_V_OK : TLSCertificateError.otherFingerprint.rawValue)
    return isKnown
  }

  /// Returns names of protocols in the form of ALPN: each after its length.
  private static func encoded(_ protocols: [String]) throws(TLSError) -> [UInt8] {
    for name in protocols where !(1...255).contains(name.utf8.count) {
      throw .configuration("\"\(name)\" is no name of a protocol, which has 1 to 255 bytes.")
    }
    return protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
  }

  /// Makes a client offer the protocols.
  func offerProtocols() {
    if !protocols.isEmpty { SSL_CTX_set_alpn_protos(raw, protocols.baseAddress, UInt32(protocols.count)) }
  }

  /// Makes a server choose one of the protocols that the client offers. Without a common one, the handshake fails.
  func chooseProtocols() {
    if protocols.isEmpty { return }
    SSL_CTX_set_alpn_select_cb(
      raw,
      { _, chosen, length, offered, count, context in
        Unmanaged<Context>.fromOpaque(context!)._withUnsafeGuaranteedRef { context in
          // The first list decides, and the result points into it.
          var match: UnsafeMutablePointer<UInt8>?
          let own = context.protocols
          let status = SSL_select_next_proto(&match, length, own.baseAddress, UInt32(own.count), offered, count)
          chosen?.pointee = UnsafePointer(match)
          return status == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
