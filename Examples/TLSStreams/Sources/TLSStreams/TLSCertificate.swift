import COpenSSL
public import EventLoops

/// A certificate, for example that of the peer.
public struct TLSCertificate: Hashable, Sendable {
  /// The certificate in its binary form (DER).
  public let der: Bytes
  /// The name of the owner, such as `CN=example.org`, by RFC 2253.
  public let subject: String
  /// The name of the authority that has issued it.
  public let issuer: String
  /// The SHA-256 of the binary form, in hexadecimal digits, as `TLSTrust.fingerprints` takes it.
  public let fingerprint: String

  init(_ certificate: OpaquePointer) {
    let count = Int(i2d_X509(certificate, nil))
    der = Bytes(unsafeUninitializedCapacity: max(count, 0)) { memory in
      var next = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return max(0, Int(i2d_X509(certificate, &next)))
    }
    subject = Self.text(X509_get_subject_name(certificate))
    issuer = Self.text(X509_get_issuer_name(certificate))
    fingerprint = Self.fingerprint(of: certificate)
  }

  static func fingerprint(of certificate: OpaquePointer) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(EVP_MAX_MD_SIZE)) { digest in
      var count: UInt32 = 0
      X509_digest(certificate, EVP_sha256(), digest.baseAddress, &count)
      return digest.prefix(Int(count)).reduce(into: "") { text, byte in
        text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
  }

  private static func text(_ name: OpaquePointer?) -> String {
    guard let name, let memory = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(memory) }
    headwater_print_name(memory, name)
    let count = Int(BIO_ctrl_pending(memory))
    return String(unsafeUninitializedCapacity: count) { max(0, Int(BIO_read(memory, $0.baseAddress, Int32(count)))) }
  }
}

/// The certificates that are accepted from the peer.
public enum TLSTrust: Hashable, Sendable {
  /// Those that the authorities of the system have issued.
  case system
  /// Those that the authorities in a PEM file have issued.
  case authorityFile(String)
  /// Those that the authorities in a PEM text have issued.
  case authorities(String)
  /// Only those with one of these SHA-256 fingerprints, whoever has issued them, and for whatever host. In hexadecimal
  /// digits, with or without colons, as `openssl x509 -noout -fingerprint -sha256` prints it.
  case fingerprints(Set<String>)
  /// All. An attacker can then read and change everything: use it for tests only.
  case anything

  func apply(to context: OpaquePointer) throws(TLSError) {
    switch self {
    case .system:
      if SSL_CTX_set_default_verify_paths(context) != 1 {
        throw .configuration(failed: "The system's certificates cannot be read")
      }
    case .authorityFile(let file): try Self.add(.file(file), to: context)
    case .authorities(let text): try Self.add(.text(text), to: context)
    case .fingerprints(let texts):
      if texts.isEmpty { throw .configuration("fingerprints([]) accepts no certificate: name at least one.") }
      for text in texts where Self.plain(text).utf8.count != 64 {
        throw .configuration("\(text) is no SHA-256 fingerprint, which has 64 hexadecimal digits.")
      }
    case .anything: break
    }
  }

  private static func add(_ source: PEM, to context: OpaquePointer) throws(TLSError) {
    let store = SSL_CTX_get_cert_store(context)
    for certificate in try source.certificates() {
      X509_STORE_add_cert(store, certificate)
      // A server sends the names of its authorities, from which a client chooses its certificate.
      SSL_CTX_add_client_CA(context, certificate)
      X509_free(certificate)
    }
  }

  private static func plain(_ text: String) -> String { text.lowercased().filter(\.isHexDigit) }

  /// The fingerprints, or nil if the authorities decide.
  var fingerprints: Set<String>? {
    guard case .fingerprints(let texts) = self else { return nil }
    return Set(texts.map(Self.plain))
  }
}
