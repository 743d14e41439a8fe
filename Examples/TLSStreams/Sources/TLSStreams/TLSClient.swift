import COpenSSL
public import EventLoops
public import Streams

/// The client's side of encrypted connections: which servers it trusts, and how it proves who it is.
///
/// ```swift
/// let tls = try TLSClient()
/// tls.connect(host: "example.org", port: 443)
///   .observe { event in … }
///   .dispose(in: bag)
/// ```
///
/// It remembers the last session with each host, up to 1024 hosts, and resumes it: the next handshake is shorter then.
/// `Sendable`: one client serves connections on any number of loops.
public final class TLSClient: Sendable {
  private let context: Context
  private let checksHost: Bool
  private let identity: TLSIdentity?
  private let sessions: Sessions?

  /// Makes a client. Throws `configuration` if something cannot be used.
  ///
  /// - Parameters:
  ///   - trust: The servers' certificates that are accepted. Except for fingerprints, a certificate must also be for the
  ///     host.
  ///   - identity: The certificate for servers that ask for one.
  ///   - applicationProtocols: The protocols that the client speaks (ALPN), best first.
  ///   - versions: The versions of TLS that are accepted.
  ///   - resumesSessions: Whether sessions are remembered and resumed.
  ///   - handshakeLimit: The longest time that a handshake may take.
  public init(
    trust: TLSTrust = .system, identity: TLSIdentity? = nil, applicationProtocols: [String] = [],
    versions: ClosedRange<TLSVersion> = .tls12 ... .tls13, resumesSessions: Bool = true,
    handshakeLimit: Duration = .seconds(10)
  ) throws(TLSError) {
    context = try Context(
      TLS_client_method(), versions, trust, protocols: applicationProtocols, handshakeLimit: handshakeLimit)
    self.identity = identity
    checksHost = trust != .anything && trust.fingerprints == nil
    sessions = resumesSessions ? Sessions() : nil
    context.offerProtocols()
    SSL_CTX_set_verify(context.raw, trust == .anything ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nil)
    if resumesSessions {
      headwater_ssl_keep_sessions(context.raw) { ssl, session in
        Engine.with(ssl) { $0.didGetSession?(session!) ?? false } ? 1 : 0
      }
    }
  }

  /// Encrypts a connection to a server. The handshake begins in the next loop iteration.
  ///
  /// - Parameters:
  ///   - carrier: A connection that is not being read. Use it no more: read and write the result.
  ///   - host: The name or the numeric address that the server's certificate must have. A name is also sent to the
  ///     server (SNI). With an empty name, the connection fails.
  ///   - first: Bytes that have been read from the carrier, and belong to TLS: after a request to begin TLS in a protocol
  ///     that begins without.
  public func secure(_ carrier: ByteStreamHandle, host: String, first: Bytes = Bytes()) -> TLSConnection {
    let engine = Engine(context, carrier, input: first)
    let ssl = engine.ssl
    SSL_set_connect_state(ssl)
    var failure: TLSError?
    let isAddress = (try? SocketAddress(host.contains(":") ? "[\(host)]:0" : "\(host):0")) != nil
    if checksHost {
      let parameters = SSL_get0_param(ssl)
      X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      let isSet =
        isAddress
        ? X509_VERIFY_PARAM_set1_ip_asc(parameters, host)
        : X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count)
      // Without a name, OpenSSL would accept the certificate of any host.
      if isSet != 1 || host.isEmpty {
        failure = .configuration("\"\(host)\" is no name of a host. Pass the name that the certificate must have.")
      }
    }
    if !isAddress, !host.isEmpty { headwater_ssl_set_server_name(ssl, host) }
    if let identity { headwater_ssl_use(ssl, identity.certificate, identity.key, identity.chain) }
    if let sessions {
      if let last = sessions.take(host) { SSL_set_session(ssl, last.raw) }
      engine.didGetSession = { sessions.add($0, for: host) }
    }
    return TLSConnection(engine, carrier, context.handshakeLimit, retaining: self, failure: failure)
  }

  /// Connects to a host and makes the handshake when observed. Emits the connection, and completes.
  ///
  /// Fails with the error of the connection or of the handshake. Disposing closes a connection that is not complete.
  ///
  /// - Parameters:
  ///   - host: A name or a numeric address, which the server's certificate must have.
  ///   - port: The port.
  public func connect(host: String, port: UInt16) -> Operation<TLSConnection, TLSError> {
    Operation<TCPHandle, UVError>.connect(host: host, port: port)
      .mapError { TLSError($0) }
      .flatMap(.merge) { tcp in
        let connection = self.secure(tcp, host: host)
        return connection.handshake.map { _ in connection }
          .doOn(disposed: { if connection.session == nil { connection.dispose() } })
      }
  }
}

/// A session that can be resumed.
private final class Session: Sendable {
  // Sendable: OpenSSL counts the references atomically, and locks what it changes.
  nonisolated(unsafe) let raw: OpaquePointer

  init(_ raw: OpaquePointer) { self.raw = raw }

  deinit { SSL_SESSION_free(raw) }
}

/// The last session with each host.
private final class Sessions: Sendable {
  private struct Table {
    var sessions: [String: Session] = [:]
    var order: [String] = []
  }

  private static let capacity = 1024
  private let table = Lock(Table())

  func add(_ raw: OpaquePointer, for host: String) -> Bool {
    let session = Session(raw)
    let old = table.withLock { table -> Session? in
      let old = table.sessions.updateValue(session, forKey: host)
      if old != nil { return old }
      table.order.append(host)
      if table.order.count <= Self.capacity { return nil }
      return table.sessions.removeValue(forKey: table.order.removeFirst())
    }
    withExtendedLifetime(old) {}
    return true
  }

  /// Takes a session out, because a server accepts a ticket of TLS 1.3 only once.
  func take(_ host: String) -> Session? {
    table.withLock { table in
      guard let session = table.sessions.removeValue(forKey: host) else { return nil }
      table.order.removeAll { $0 == host }
      return session
    }
  }
}
