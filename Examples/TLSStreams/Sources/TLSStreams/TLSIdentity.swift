import COpenSSL

/// A certificate with its chain and its private key, by which one side of a connection proves who it is.
public final class TLSIdentity: Sendable {
  // Sendable: OpenSSL counts the references to these objects atomically, and nothing changes them.
  nonisolated(unsafe) let certificate: OpaquePointer
  nonisolated(unsafe) let key: OpaquePointer
  nonisolated(unsafe) let chain: OpaquePointer?

  /// Reads a certificate, the certificates of its issuers, if any, and its private key from PEM files. Both may be the
  /// same file.
  ///
  /// Throws `configuration` if a file cannot be read, or if the key is not that of the certificate. Reads in this call:
  /// begin with it, or use another thread.
  ///
  /// - Parameter password: The password of the key, if it is encrypted.
  public convenience init(certificateFile: String, keyFile: String, password: String? = nil) throws(TLSError) {
    try self.init(.file(certificateFile), .file(keyFile), password)
  }

  /// Reads a certificate, the certificates of its issuers, if any, and its private key from texts in PEM.
  ///
  /// Throws `configuration` if a text cannot be read, or if the key is not that of the certificate.
  ///
  /// - Parameter password: The password of the key, if it is encrypted.
  public convenience init(certificate: String, key: String, password: String? = nil) throws(TLSError) {
    try self.init(.text(certificate), .text(key), password)
  }

  private init(_ certificate: PEM, _ key: PEM, _ password: String?) throws(TLSError) {
    let all = try certificate.certificates()
    let privateKey: OpaquePointer
    do {
      privateKey = try key.key(password)
    } catch {
      for certificate in all { X509_free(certificate) }
      throw error
    }
    let stack = all.count > 1 ? headwater_certificates_new() : nil
    for issuer in all.dropFirst() { headwater_certificates_add(stack, issuer) }
    self.certificate = all[0]
    self.key = privateKey
    chain = stack
    if X509_check_private_key(all[0], privateKey) != 1 {
      throw .configuration(failed: "The key of \(key) is not that of the certificate of \(certificate)")
    }
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
    headwater_certificates_free(chain)
  }

  /// The certificate.
  public var leaf: TLSCertificate { TLSCertificate(certificate) }
}

/// A text with certificates or keys, in the format PEM.
enum PEM: CustomStringConvertible {
  case file(String)
  case text(String)

  var description: String {
    switch self {
    case .file(let path): path
    case .text: "the text"
    }
  }

  /// Reads all certificates, at least one.
  func certificates() throws(TLSError) -> [OpaquePointer] {
    try read("a certificate") { source in
      var all: [OpaquePointer] = []
      while let next = PEM_read_bio_X509(source, nil, headwater_password, nil) { all.append(next) }
      return all.isEmpty ? nil : all
    }
  }

  /// Reads a private key.
  func key(_ password: String?) throws(TLSError) -> OpaquePointer {
    try read("a private key\(password == nil ? "" : " with this password")") { source in
      guard let password else { return PEM_read_bio_PrivateKey(source, nil, headwater_password, nil) }
      return password.withCString {
        PEM_read_bio_PrivateKey(source, nil, headwater_password, UnsafeMutableRawPointer(mutating: $0))
      }
    }
  }

  private func read<Result>(_ what: String, _ body: (OpaquePointer?) -> Result?) throws(TLSError) -> Result {
    ERR_clear_error()
    let source: OpaquePointer?
    switch self {
    case .file(let path): source = BIO_new_file(path, "r")
    // OpenSSL copies what it reads, but not the text itself.
    case .text(let text):
      source = BIO_new(BIO_s_mem())
      var text = text
      text.withUTF8 { _ = BIO_write(source, $0.baseAddress, Int32($0.count)) }
    }
    guard let source else { throw .configuration(failed: "The file \(self) cannot be read") }
    defer {
      BIO_free(source)
      // The end of the text is an error for OpenSSL.
      ERR_clear_error()
    }
    guard let result = body(source) else {
      throw .configuration(failed: "There is no usable \(what.dropFirst(2)) in \(self)")
    }
    return result
  }
}
