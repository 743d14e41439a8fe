import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import TLSStreams

/// The client, with openssl's server.
extension TLSTests {
  /// Openssl's server on a free port, which sends back each line reversed.
  private static func server(_ loop: Loop, _ options: [String] = [], identity: String = "localhost") throws -> (
    peer: Peer, port: UInt16
  ) {
    let certificates = Certificates.shared
    let peer = try Peer(
      [
        "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificates.path("\(identity).pem"), "-key",
        certificates.path("\(identity).key"),
      ] + options)
    try loop.run(until: "the server listens") { port(of: peer) != nil }
    return (peer, try #require(port(of: peer)))
  }

  private static func port(of peer: Peer) -> UInt16? {
    peer.output.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
      .flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  static func `a server answers, and both sides end with a close-notify`(_ version: String) async throws {
    try await withLoop { loop, bag in
      let server = try server(loop, [version, "-rev"])
      let tls = try TLSClient(trust: .authorityFile(Certificates.shared.authority))
      let connected = tls.connect(host: "localhost", port: server.port).record()
      try loop.run(until: "the handshake") { connected.termination != nil }
      let connection = try #require(connected.elements.first)
      #expect(connection.session?.version == (version == "-tls1_2" ? .tls12 : .tls13))
      #expect(connection.peerCertificates.map(\.subject) == ["CN=localhost"])
      let lines = connection.bytes.lines().record()
      connection.write("abc\n")
      try loop.run(until: "the answer") { lines.elements == ["cba"] }
      connection.finish()
      try loop.run(until: "the end") { lines.termination != nil }
      #expect(lines.isCompleted)
      try server.peer.process.kill()
    }
  }

  @Test
  static func `a certificate is accepted only from a trusted authority, for the host, and while it is valid`()
    async throws
  {
    try await withLoop { loop, bag in
      let authority = TLSTrust.authorityFile(Certificates.shared.authority)
      let valid = try Server.localhost(in: bag)
      let expired = Server(try TLSServer(Certificates.shared.identity("expired")), in: bag)
      let print = try Certificates.shared.identity("localhost").leaf.fingerprint
      let colons = stride(from: 0, to: 64, by: 2).map { print.uppercased().dropFirst($0).prefix(2) }
        .joined(separator: ":")
      let cases: [(TLSTrust, String, Server, TLSError?)] = [
        (authority, "localhost", valid, nil),
        (authority, "127.0.0.1", valid, nil),
        (authority, "127.0.0.2", valid, .certificate(.wrongAddress)),
        (authority, "example.org", valid, .certificate(.wrongHost)),
        (authority, "localhost", expired, .certificate(.expired)),
        (.system, "localhost", valid, .certificate(.unknownAuthority)),
        (.fingerprints([colons]), "example.org", valid, nil),
        (.fingerprints([print]), "localhost", expired, .certificate(.otherFingerprint)),
        (.anything, "example.org", expired, nil),
      ]
      for (trust, host, server, error) in cases {
        let tls = try TLSClient(trust: trust)
        let result = Operation.connect(to: server.address).mapError { TLSError($0) }
          .flatMap(.merge) { tls.secure($0, host: host).handshake }.record()
        try loop.run(until: "the result") { result.termination != nil }
        #expect(result.failure == error, "\(trust) \(host)")
      }
    }
  }

  @Test
  static func `a client proves who it is, and is told if the server requires it`() async throws {
    try await withLoop { loop, bag in
      let server = try server(loop, ["-Verify", "1", "-verify_return_error", "-CAfile", Certificates.shared.authority])
      let trust = TLSTrust.authorityFile(Certificates.shared.authority)
      let known = try TLSClient(trust: trust, identity: Certificates.shared.identity("client"))
      let connected = known.connect(host: "localhost", port: server.port).record()
      try loop.run(until: "the handshake") { connected.termination != nil }
      connected.elements.first?.write("hello\n")
      try loop.run(until: "the line") { server.peer.output.contains("hello\n") }
      #expect(server.peer.output.contains("CN = client"))
      connected.elements.first?.close()

      let unknown = try TLSClient(trust: trust)
      // In TLS 1.3 the client has finished before the server has seen its certificate.
      let refused = unknown.connect(host: "localhost", port: server.port).flatMap(.merge) { $0.bytes }.record()
      try loop.run(until: "the refusal") { refused.termination != nil }
      #expect(refused.failure == .alert(.certificateRequired))
      try server.peer.process.kill()
    }
  }

  @Test
  static func `a client resumes its sessions, unless told not to`() async throws {
    try await withLoop { loop, bag in
      for resumes in [true, false] {
        let tls = try TLSClient(
          trust: .authorityFile(Certificates.shared.authority), applicationProtocols: ["x"], resumesSessions: resumes)
        let server = Server(
          try TLSServer(Certificates.shared.identity("localhost"), applicationProtocols: ["x"]), in: bag)
        for round in 0..<3 {
          let connected = tls.connect(host: "localhost", port: server.port).record()
          try loop.run(until: "the handshake") { connected.termination != nil }
          let connection = try #require(connected.elements.first)
          #expect(connection.session?.isResumed == (resumes && round > 0))
          #expect(connection.session?.applicationProtocol == "x")
          let echo = connection.bytes.record()
          connection.write("x")
          connection.finish()
          try loop.run(until: "the end") { echo.termination != nil }
          #expect(echo.isCompleted)
        }
      }
    }
  }

  @Test
  static func `a server that sends only new keys is left`() async throws {
    try await withLoop { loop, bag in
      let server = try Server.localhost(in: bag)
      let tls = try TLSClient(trust: .authorityFile(Certificates.shared.authority))
      let connected = tls.connect(host: "localhost", port: server.port).record()
      try loop.run(until: "the handshake") { connected.termination != nil }
      let connection = try #require(connected.elements.first)
      let bytes = connection.bytes.record()
      func ask(_ count: Int) { for _ in 0..<count { server.connections[0].updateKeys() } }
      // Data in between allows more of it.
      for _ in 0..<4 {
        let count = bytes.elements.count
        ask(2_000)
        connection.write("x")
        try loop.run(until: "the echo") { bytes.elements.count > count || bytes.termination != nil }
        #expect(bytes.termination == nil)
      }
      ask(6_000)
      try loop.run(until: "the end") { bytes.termination != nil }
      guard case .protocolViolation? = bytes.failure else { throw TestError("\(bytes.events.suffix(1))") }
    }
  }

  @Test
  static func `TLS begins in a connection that began without, and a local socket carries it`() async throws {
    try await withLoop { loop, bag in
      let path = Certificates.shared.path("socket")
      let tls = try TLSServer(Certificates.shared.identity("localhost"))
      let client = try TLSClient(trust: .authorityFile(Certificates.shared.authority))
      var results: [Recorder<Bytes, TLSError>] = []
      Operation.listen(onPipe: try SocketAddress(path: path))
        .flatMap(.merge) { pipe -> Stream<Int> in
          // The request and the first bytes of the handshake may arrive together.
          pipe.bytes.first().flatMap(.merge) { bytes -> Stream<Int> in
            let request = Bytes("STARTTLS\n")
            #expect(bytes.prefix(request.count) == request)
            pipe.write("go\n")
            let connection = tls.secure(pipe, first: bytes.dropFirst(request.count))
            return connection.bytes.pipe(to: connection).toStream(logError: false)
          }.toStream(logError: false)
        }
        .observeFailed { Issue.record("\($0)") }
        .dispose(in: bag)
      Operation.connect(toPipe: try SocketAddress(path: path))
        .observeNext { pipe in
          pipe.write("STARTTLS\n")
          pipe.bytes.first().observeNext { answer in
            #expect(answer == Bytes("go\n"))
            let connection = client.secure(pipe, host: "localhost")
            connection.write("secret")
            connection.finish()
            results.append(connection.bytes.record())
          }.dispose(in: bag)
        }.dispose(in: bag)
      try loop.run(until: "the echo") { results.first?.termination != nil }
      #expect(results.first?.events == [.next("secret"), .completed])
    }
  }

  @Test
  static func `bad configurations throw errors that say what is wrong`() async throws {
    try await withLoop { loop, bag in
      let certificates = Certificates.shared
      func message(_ body: () throws -> Void) -> String {
        do {
          try body()
          return "no error"
        } catch {
          return "\(error)"
        }
      }
      let localhost = certificates.path("localhost.pem")
      #expect(
        message { _ = try TLSIdentity(certificateFile: "/nowhere.pem", keyFile: "/nowhere.key") }
          == "The file /nowhere.pem cannot be read: no such file or directory.")
      #expect(
        message { _ = try TLSIdentity(certificateFile: localhost, keyFile: certificates.path("other.key")) }
          .contains("is not that of the certificate"))
      #expect(message { _ = try TLSIdentity(certificate: "x", key: "y") }.contains("There is no usable certificate"))
      let key = certificates.path("localhost.key")
      #expect(
        message { _ = try TLSIdentity(certificateFile: key, keyFile: key) }.contains("There is no usable certificate"))
      #expect(
        message { _ = try TLSIdentity(certificateFile: localhost, keyFile: certificates.path("encrypted.key")) }
          .contains("private key"))
      _ = try TLSIdentity(
        certificateFile: localhost, keyFile: certificates.path("encrypted.key"), password: "secret")
      #expect(message { _ = try TLSClient(trust: .fingerprints(["12"])) }.contains("64 hexadecimal digits"))
      #expect(message { _ = try TLSClient(applicationProtocols: [""]) }.contains("1 to 255 bytes"))
      #expect(message { _ = try TLSClient(trust: .authorities("nothing")) }.contains("no usable certificate"))
      let server = try Server.localhost(in: bag)
      let nameless = try TLSClient().connect(host: "", port: server.port).record()
      try loop.run(until: "the failure") { nameless.termination != nil }
      #expect(nameless.elements.isEmpty && nameless.failure != nil)
    }
  }
}
