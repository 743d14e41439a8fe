import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import TLSStreams

/// The server, with openssl's client and curl.
extension TLSTests {
  @Test(arguments: ["-tls1_2", "-tls1_3"])
  static func `openssl's client receives what it sends, and both sides end with a close-notify`(
    _ version: String
  ) async throws {
    try await withLoop { loop, bag in
      let server = try Server.localhost(in: bag)
      let client = try Peer.client(server.port, [version, "-quiet", "-verify_hostname", "localhost"], input: "hello\n")
      try loop.run(until: "the echo") { client.output.contains("hello\n") }
      #expect(client.errors.contains("verify return:1"))
      let session = try #require(server.connections.first?.session)
      #expect(session.version == (version == "-tls1_2" ? .tls12 : .tls13))
      #expect(!session.isResumed && !session.cipherSuite.isEmpty)
      // The server ends the connection: the client reports no unexpected end.
      server.connections.first?.close(within: .seconds(5))
      try loop.run(until: "the end") { client.hasEnded }
      #expect(client.process.status == .exited(0))
      #expect(!client.errors.contains("unexpected eof"))
    }
  }

  @Test(arguments: ["--tlsv1.3", "--tls-max 1.2"])
  static func `curl receives a response of ten megabytes`(_ version: String) async throws {
    try await withLoop { loop, bag in
      let size = 10_000_000
      let server = Server(
        try TLSServer(Certificates.shared.identity("localhost")), in: bag,
        { connection in
          connection.bytes.requests {
            connection.write(
              Bytes("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nConnection: close\r\n\r\n"))
            connection.write(Bytes(repeating: 120, count: size))
            connection.finish()
          }
        })
      let curl = try Peer(
        ["curl", "-sS", "--http1.1", "--cacert", Certificates.shared.authority]
          + version.split(separator: " ").map(String.init) + ["https://localhost:\(server.port)/"])
      try loop.run(until: "the response") { curl.hasEnded }
      #expect(curl.process.status == .exited(0), "\(curl.errors)")
      #expect(curl.bytes.count == size)
    }
  }

  @Test
  static func `a client that does not trust the certificate sends an alert, which the server receives`() async throws {
    try await withLoop { loop, bag in
      let server = try Server.localhost(in: bag)
      let curl = try Peer(["curl", "-sS", "https://localhost:\(server.port)/"])
      try loop.run(until: "the refusal") { curl.hasEnded && !server.failures.isEmpty }
      #expect(curl.process.status == .exited(60))
      #expect(server.failures == [.alert(.unknownAuthority)])
    }
  }

  @Test
  static func `each host has its certificate, also with a wildcard, and others the first one`() async throws {
    try await withLoop { loop, bag in
      let other = try Certificates.shared.identity("other")
      let tls = try TLSServer(
        Certificates.shared.identity("localhost"), hosts: ["other.example": other, "*.wild.example": other])
      let server = Server(tls, in: bag)
      for (name, subject) in [
        ("localhost", "localhost"), ("OTHER.example", "other"), ("a.wild.example", "other"),
        ("a.b.wild.example", "localhost"),
      ] {
        let client = try Peer.client(server.port, ["-servername", name], input: "Q\n")
        try loop.run(until: "the end") { client.hasEnded }
        #expect(client.output.contains("subject=CN = \(subject)\n"), "\(name)")
      }
      let names = server.connections.map { $0.session?.serverName }
      #expect(names == ["localhost", "OTHER.example", "a.wild.example", "a.b.wild.example"])
    }
  }

  @Test
  static func `the server's first protocol that the client offers is chosen, and without one the client is refused`()
    async throws
  {
    try await withLoop { loop, bag in
      let tls = try TLSServer(Certificates.shared.identity("localhost"), applicationProtocols: ["h2", "http/1.1"])
      let server = Server(tls, in: bag)
      for (offered, chosen) in [("http/1.1,h2", "h2"), ("http/1.1", "http/1.1"), ("spdy/1", nil)] {
        let client = try Peer.client(server.port, ["-alpn", offered], input: "Q\n")
        try loop.run(until: "the end") { client.hasEnded }
        #expect(client.output.contains("ALPN protocol: \(chosen ?? "?")") == (chosen != nil))
      }
      try loop.run(until: "the refusal") { server.failures.count == 1 }
      #expect(server.connections.map { $0.session?.applicationProtocol } == ["h2", "http/1.1", nil])
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  static func `a client resumes its session, also after the certificate was replaced`(_ version: String) async throws {
    try await withLoop { loop, bag in
      let server = try Server.localhost(in: bag)
      let file = Certificates.shared.path("session\(version)")
      func run(_ options: [String]) throws {
        let client = try Peer.client(server.port, [version] + options, input: "sesame\n")
        // The ticket of TLS 1.3 comes before the echo.
        try loop.run(until: "the echo") { client.output.contains("sesame\n") }
        client.send("Q\n")
        try loop.run(until: "the end") { client.hasEnded }
      }
      try run(["-sess_out", file])
      server.tls.replace(with: try Certificates.shared.identity("renewed"))
      try run(["-sess_in", file])
      #expect(server.connections.map { $0.session?.isResumed } == [false, true])
    }
  }

  @Test
  static func `a replaced certificate is used by new connections, and leaves the others open`() async throws {
    try await withLoop { loop, bag in
      let server = try Server.localhost(in: bag)
      let first = try Peer.client(server.port, input: "one\n")
      try loop.run(until: "the first echo") { first.hasPrinted("one") }
      server.tls.replace(with: try Certificates.shared.identity("renewed"))
      let second = try Peer.client(server.port, input: "two\n")
      try loop.run(until: "the second echo") { second.hasPrinted("two") }
      first.send("three\n")
      try loop.run(until: "the third echo") { first.hasPrinted("three") }
      #expect(first.output.contains("subject=CN = localhost\n") && second.output.contains("subject=CN = renewed\n"))
    }
  }

  @Test
  static func `a certificate of the client is required, verified, and known to the server`() async throws {
    try await withLoop { loop, bag in
      let certificates = Certificates.shared
      let tls = try TLSServer(certificates.identity("localhost"), clients: .authorityFile(certificates.authority))
      let server = Server(tls, in: bag)
      let options = ["-cert", certificates.path("client.pem"), "-key", certificates.path("client.key")]
      let known = try Peer.client(server.port, options, input: "sesame\n")
      try loop.run(until: "the echo") { known.output.contains("sesame\n") }
      #expect(server.connections.first?.peerCertificates.map(\.subject).first == "CN=client")
      #expect(server.connections.first?.peerCertificates.first?.issuer == "CN=authority")
      let unknown = try Peer.client(server.port)
      try loop.run(until: "the refusal") { unknown.hasEnded && server.failures.count == 1 }
      #expect(server.failures == [.certificate(.missing)])
      let wrong = try Peer.client(
        server.port, ["-cert", certificates.path("expired.pem"), "-key", certificates.path("expired.key")])
      try loop.run(until: "the refusal") { wrong.hasEnded && server.failures.count == 2 }
      #expect(wrong.output.contains("CN = authority"))
      #expect(server.failures.last == .certificate(.expired))
    }
  }

  @Test
  static func `the client may update the keys, and may not renegotiate`() async throws {
    try await withLoop { loop, bag in
      let server = try Server.localhost(in: bag)
      let client = try Peer.client(server.port, ["-tls1_3"], input: "one\n")
      try loop.run(until: "the echo") { client.hasPrinted("one") }
      // The commands of the client: update the keys of this side, and those of both.
      client.send("k\n")
      try loop.run(until: "the update") { client.errors.contains("KEYUPDATE") }
      client.send("K\n")
      try loop.run(until: "the second update") { client.errors.split(separator: "KEYUPDATE").count > 2 }
      client.send("two\n")
      try loop.run(until: "the echo") { client.hasPrinted("two") }
      server.connections[0].updateKeys()
      client.send("three\n")
      try loop.run(until: "the echo") { client.hasPrinted("three") }
      #expect(server.failures.isEmpty)

      let old = try Peer.client(server.port, ["-tls1_2"], input: "one\n")
      try loop.run(until: "the echo") { old.hasPrinted("one") }
      old.send("R\n")
      try loop.run(until: "the refusal") { old.hasEnded && server.failures.count == 1 }
      #expect(old.errors.contains("no renegotiation"))
    }
  }

  @Test
  static func `a client that is killed does not look like one that has finished`() async throws {
    try await withLoop { loop, bag in
      let server = try Server.localhost(in: bag)
      let client = try Peer.client(server.port, ["-quiet"], input: "sesame\n")
      try loop.run(until: "the echo") { client.output.contains("sesame\n") }
      try client.process.kill(.kill)
      try loop.run(until: "the end") { client.hasEnded && server.failures.count == 1 }
      #expect(server.failures == [.truncated])
    }
  }

  @Test
  static func `a client that sends nothing, or something else than TLS, is disconnected`() async throws {
    try await withLoop { loop, bag in
      let limit = Duration.milliseconds(50)
      let server = Server(try TLSServer(Certificates.shared.identity("localhost"), handshakeLimit: limit), in: bag)
      let silent = Operation.connect(to: server.address).flatMap(.merge) { $0.bytes }.record()
      try loop.run(until: "the limit") { silent.termination != nil && server.failures.count == 1 }
      #expect(server.failures == [.handshakeTimedOut(limit)])
      let other = Operation.connect(to: server.address).flatMap(.merge) { tcp in
        tcp.write("GET / HTTP/1.0\r\n\r\n")
        return tcp.bytes
      }.record()
      try loop.run(until: "the refusal") { other.termination != nil && server.failures.count == 2 }
      #expect(server.failures.last == .protocolViolation("http request"))
      let leaving = Operation.connect(to: server.address).observeNext { $0.finish() }
      leaving.dispose(in: bag)
      try loop.run(until: "the end") { server.failures.count == 3 }
      #expect(server.failures.last == .closedInHandshake)
    }
  }
}

extension StreamProtocol where Element == Bytes, Failure == TLSError {
  /// Calls `answer` at the empty line that ends a request.
  fileprivate func requests(_ answer: @escaping () -> Void) -> Operation<Int, TLSError> {
    lines()
      .doOn(next: { if $0.isEmpty { answer() } })
      .mapError { error in
        if case .source(let error) = error { return error }
        return .protocolViolation("\(error)")
      }
      .map { _ in 0 }
  }
}
