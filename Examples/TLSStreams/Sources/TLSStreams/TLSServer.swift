import COpenSSL
public import EventLoops
import Streams

/// The server's side of encrypted connections: its certificates, and what it requires of clients.
///
/// ```swift
/// let tls = try TLSServer(TLSIdentity(certificateFile: "cert.pem", keyFile: "key.pem"))
/// Operation.listen(on: .any(port: 8443))
///   .serving(until: shutdown) { tcp in
///     let connection = tls.secure(tcp)
///     return connection.bytes.pipe(to: connection).toStream(logError: false)
///   }
/// ```
///
/// It refuses renegotiation and compression. `Sendable`: one server serves connections on any number of loops.
public final class TLSServer: Sendable {
  private let context: Context
  private let identities: Identities

  /// Makes a server. Throws `configuration` if something cannot be used.
  ///
  /// - Parameters:
  ///   - identity: The certificate for clients that name no host, or one that is not in `hosts`.
  ///   - hosts: The certificates for the host names that clients request (SNI), such as `example.org` or
  ///     `*.example.org`.
  ///   - applicationProtocols: The protocols that the server speaks (ALPN), best first. A client that offers only others
  ///     is refused; a client that offers none is not.
  ///   - clients: The certificates that clients must have. Nil asks for none.
  ///   - versions: The versions of TLS that are accepted.
  ///   - handshakeLimit: The longest time that a handshake may take.
  public init(
    _ identity: TLSIdentity, hosts: [String: TLSIdentity] = [:], applicationProtocols: [String] = [],
    clients: TLSTrust? = nil, versions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
    handshakeLimit: Duration = .seconds(10)
  ) throws(TLSError) {
    identities = Identities(identity, hosts)
    context = try Context(
      TLS_server_method(), versions, clients, protocols: applicationProtocols, handshakeLimit: handshakeLimit)
    context.chooseProtocols()
    SSL_CTX_set_cert_cb(
      context.raw,
      { ssl, identities in
        Unmanaged<Identities>.fromOpaque(identities!)._withUnsafeGuaranteedRef { $0.use(ssl!) }
      }, Unmanaged.passUnretained(identities).toOpaque())
    // The client learns whether the certificate was chosen by its request.
    headwater_ssl_on_server_name(
      context.raw,
      { ssl, _, identities in
        Unmanaged<Identities>.fromOpaque(identities!)._withUnsafeGuaranteedRef {
          $0.identity(of: ssl!).isRequested ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
        }
      }, Unmanaged.passUnretained(identities).toOpaque())
    // Without this, a client with a certificate could not resume its session.
    SSL_CTX_set_session_id_context(context.raw, "headwater", 9)
    if let clients {
      SSL_CTX_set_verify(
        context.raw, clients == .anything ? SSL_VERIFY_NONE : SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
  }

  /// Uses other certificates for the handshakes that begin from now on. Connections stay as they are.
  public func replace(with identity: TLSIdentity, hosts: [String: TLSIdentity] = [:]) {
    identities.replace(identity, hosts)
  }

  /// Encrypts an accepted connection. The handshake begins in the next loop iteration.
  ///
  /// - Parameters:
  ///   - carrier: A connection that is not being read. Use it no more: read and write the result.
  ///   - first: Bytes that have been read from the carrier, and belong to TLS: after a request to begin TLS in a protocol
  ///     that begins without.
  public func secure(_ carrier: ByteStreamHandle, first: Bytes = Bytes()) -> TLSConnection {
    let engine = Engine(context, carrier, input: first)
    SSL_set_accept_state(engine.ssl)
    // The callbacks use the certificates during the handshake.
    return TLSConnection(engine, carrier, context.handshakeLimit, retaining: identities)
  }
}

/// The certificates of a server, by host name.
private final class Identities: Sendable {
  private struct Table {
    var fallback: TLSIdentity
    var hosts: [String: TLSIdentity]
  }

  private let table: Lock<Table>

  init(_ fallback: TLSIdentity, _ hosts: [String: TLSIdentity]) { table = Lock(Self.made(fallback, hosts)) }

  func replace(_ fallback: TLSIdentity, _ hosts: [String: TLSIdentity]) {
    let new = Self.made(fallback, hosts)
    let old = table.withLock { table in
      let old = table
      table = new
      return old
    }
    withExtendedLifetime(old) {}
  }

  private static func made(_ fallback: TLSIdentity, _ hosts: [String: TLSIdentity]) -> Table {
    Table(fallback: fallback, hosts: Dictionary(hosts.map { ($0.lowercased(), $1) }) { first, _ in first })
  }

  /// Sets the certificate of a handshake. Returns 0 for a failure.
  func use(_ ssl: OpaquePointer) -> Int32 {
    let found = identity(of: ssl).identity
    return headwater_ssl_use(ssl, found.certificate, found.key, found.chain)
  }

  /// Returns the certificate for the host that a client has requested.
  func identity(of ssl: OpaquePointer) -> (identity: TLSIdentity, isRequested: Bool) {
    let host = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0).lowercased() }
    let table = table.withLock { $0 }
    let wildcard = host.flatMap { host in host.firstIndex(of: ".").map { "*" + host[$0...] } }
    let found = host.flatMap { table.hosts[$0] } ?? wildcard.flatMap { table.hosts[$0] }
    return (found ?? table.fallback, found != nil)
  }
}
