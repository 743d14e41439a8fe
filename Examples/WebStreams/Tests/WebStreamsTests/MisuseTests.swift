import EventLoops
import Streams
import StreamsTesting
import TLSStreams
import Testing

@testable import WebStreams

private let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
private let next = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

/// Bodies that a parser may read in another manner than the proxy before it, and headers.
private let ambiguous = [
  chunked + "5\r\nhelloXX0\r\n\r\n", chunked + "5\rXhello\r\n0\r\n\r\n", chunked + "5;a\nb\r\nhello\r\n0\r\n\r\n",
  chunked + "5 zz\r\nhello\r\n0\r\n\r\n", chunked + "5\r\nhello\r\n0\r\n\rX", chunked + "5\r\nhello\r\n0\r\n\n",
  chunked + "0\r\na: b\n\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n 5\r\n\r\nhello",
  "POST / HTTP/1.1\r\nHost: a\r\nX: y\r\n\tz\r\nContent-Length: 0\r\n\r\n",
  "CONNECT a:80 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
]

/// Clients that attack a server, and servers that a client must survive.
extension WebTests {
  @Test(arguments: ambiguous.indices)
  static func `a body or header that a proxy may read differently ends the connection`(_ index: Int) async throws {
    try await withLoop { loop, bag in
      // All at once, and byte by byte.
      for parts in [[Bytes(ambiguous[index] + next)], (ambiguous[index] + next).utf8.map { Bytes([$0]) }] {
        let server = Server(in: bag) { request in .just(HTTPResponse(body: request.body)) }
        let client = Raw(server, parts, in: bag)
        try loop.run(until: "the end") { client.hasEnded && server.ends.count == 1 }
        #expect(!server.requests.contains { $0.contains("smuggled") })
        guard case .malformed? = server.failures.first else {
          Issue.record("\(server.ends)")
          return
        }
      }
    }
  }

  @Test
  static func `chunks with extensions and trailers are read, in any parts`() async throws {
    try await withLoop { loop, bag in
      let request = chunked + "5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nX: y\r\nZ: z\r\n\r\n" + next
      for parts in [[Bytes(request)], request.utf8.map { Bytes([$0]) }] {
        let server = Server(in: bag) { request in .just(HTTPResponse(body: request.body)) }
        let client = Raw(server, parts, in: bag)
        try loop.run(until: "two responses") { client.statuses.count == 2 && client.text.contains("!") }
        #expect(server.requests == ["POST /", "GET /smuggled"])
      }
    }
  }

  @Test
  static func `the extensions of chunks have a limit, in one chunk and in all of a body`() async throws {
    try await withLoop { loop, bag in
      let long = "1;" + String(repeating: "a", count: 10_000) + "\r\n!\r\n"
      for body in ["1;" + String(repeating: "a", count: 20_000), long + long] {
        let server = Server(in: bag) { request in .just(HTTPResponse(body: request.body)) }
        let client = Raw(server, [Bytes(chunked + body)], in: bag)
        try loop.run(until: "the end") { client.hasEnded && server.ends.count == 1 }
        guard case .malformed? = server.failures.first else {
          Issue.record("\(server.ends)")
          return
        }
      }
    }
  }

  private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) -> [UInt8] {
    [0, 0, UInt8(payload.count), type, flags, 0, 0, UInt8(stream >> 8), UInt8(stream & 255)] + payload
  }
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  private static let get: [UInt8] = [0x82, 0x86, 0x84, 0x41, 0x01, 0x61]

  @Test
  static func `HTTP/2: a header that is not completed, and a response that is not taken, have a limit`() async throws {
    try await withLoop { loop, bag in
      var limits = HTTPLimits()
      (limits.headerTime, limits.stallTime) = (.milliseconds(200), .milliseconds(200))
      for bytes in [
        preface + frame(4, 0, 0, []) + frame(1, 1, 1, get),
        // The window of each stream is empty.
        preface + frame(4, 0, 0, [0, 4, 0, 0, 0, 0]) + frame(1, 5, 1, get),
      ] {
        let server = Server(limits: limits, in: bag) { _ in .just(.text("hello")) }
        let client = Raw(server, [Bytes(bytes)], in: bag)
        try loop.run(until: "the end") { client.hasEnded && server.ends.count == 1 }
        guard case .timedOut? = server.failures.first else {
          Issue.record("\(server.ends)")
          return
        }
      }
    }
  }

  @Test
  static func `HTTP/2: a client that makes the server reset its requests is cut off`() async throws {
    try await withLoop { loop, bag in
      var answers = 0
      let server = Server(in: bag) { _ in
        answers += 1
        return .never()
      }
      var bytes = preface + frame(4, 0, 0, [])
      for index in 0..<5_000 {
        bytes += frame(1, 5, 2 * index + 1, get)
        // More room than there can be.
        bytes += frame(8, 0, 2 * index + 1, [0x7F, 0xFF, 0xFF, 0xFF])
      }
      let client = Raw(server, [Bytes(bytes)], in: bag)
      try loop.run(until: "the end") { client.hasEnded && server.ends.count == 1 }
      #expect(answers < 2_500, "\(answers)")
      // The last frame says why: ENHANCE_YOUR_CALM.
      #expect(Bytes(joining: client.received?.elements ?? []).suffix(4) == Bytes([0, 0, 0, 11]))
    }
  }

  @Test(arguments: [(1, false), (64, true)])
  static func `a message in many parts of a byte ends the WebSocket, and one in larger parts does not`(
    _ size: Int, _ isAccepted: Bool
  ) async throws {
    try await withLoop { loop, bag in
      var received = 0
      let server = Server(in: bag) { request in
        .just(
          .webSocket(for: request) { socket in
            socket.messages.toStream(logError: false).doOn(next: { _ in received += 1 }).map { _ in () }
          })
      }
      let handshake = """
        GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """
      // Masked with zeros.
      let payload = [UInt8(0x80 + size), 0, 0, 0, 0] + [UInt8](repeating: 7, count: size)
      let parts = [[0x02] + payload] + [[UInt8]](repeating: [0x00] + payload, count: 10_000) + [[0x80] + payload]
      let client = Raw(server, [Bytes(handshake), Bytes(parts.flatMap { $0 })], in: bag)
      try loop.run(until: "the message or the end") { received == 1 || client.hasEnded && server.ends.count == 1 }
      #expect((received == 1) == isAccepted, "\(server.ends)")
    }
  }

  @Test
  static func `a close code that no frame may have is a programming error`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await withLoop { loop, bag in
        let server = Server(in: bag) { request in
          .just(
            .webSocket(for: request) { socket in
              socket.close(code: 1005)
              return Streams.Stream<Void>.never()
            })
        }
        let handshake = """
          GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
          """
        let client = Raw(server, handshake, in: bag)
        try loop.run(until: "the end") { client.hasEnded }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("A WebSocket cannot be closed with 1005."), "\(text)")
  }

  /// Listens on a free port, and calls `accept` with each connection.
  static func listen(in bag: DisposeBag, _ accept: @escaping (TCPHandle) -> Void) throws -> UInt16 {
    let listener = try TCPListener(on: .loopback(port: 0))
    bag.add(listener)
    listener.connections.observe(next: accept, termination: { _ in }).dispose(in: bag)
    return listener.address.port
  }

  @Test(arguments: [
    ("304 Not Modified\r\nContent-Length: 100\r\n\r\n", 0), ("204 No Content\r\nContent-Length: 5\r\n\r\nhello", 0),
    (
      "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: "1\r\nx\r\n", count: 100_000) + "0\r\n\r\n",
      100_000
    ),
  ])
  static func `a response without a body ends with its header, and one in small parts takes no long time`(
    _ response: String, _ count: Int
  ) async throws {
    try await withLoop { loop, bag in
      let port = try listen(in: bag) { connection in
        connection.bytes.observe(next: { _ in connection.write(Bytes("HTTP/1.1 " + response)) }, termination: { _ in })
          .dispose(in: bag)
      }
      let client = try HTTPClient()
      let body = client.get("http://127.0.0.1:\(port)/").flatMap(.latest) { $0.bytes() }.record()
      try loop.run(until: "the response") { body.termination != nil }
      #expect(body.isCompleted && body.elements.first?.count == count, "\(body.events)")
    }
  }

  @Test
  static func `disposing an attempt to connect closes the connection during the handshake`() async throws {
    try await withLoop { loop, bag in
      var received: Recorder<Bytes, UVError>?
      let port = try listen(in: bag) { received = $0.bytes.record() }
      let client = try TLSClient(handshakeLimit: .seconds(3600))
      let connecting = client.connect(host: "127.0.0.1", port: port).observe(next: { _ in }, termination: { _ in })
      try loop.run(until: "the hello") { received?.elements.isEmpty == false }
      connecting.dispose()
      try loop.run(until: "the end") { received?.termination != nil }
    }
  }

  @Test
  static func `a request that is canceled on a kept connection over TLS is not sent again`() async throws {
    try await withLoop { loop, bag in
      let certificate = Certificate.shared
      let tls = try TLSServer(
        TLSIdentity(certificateFile: certificate.file, keyFile: certificate.key), applicationProtocols: ["http/1.1"])
      let server = Server(tls, in: bag) { $0.method == "DELETE" ? .never() : .just(.text("hello")) }
      let client = HTTPClient(tls: try TLSClient(trust: .authorityFile(certificate.file)))
      func get(_ path: String) throws {
        let body = client.get(server.url(path, "https")).flatMap(.latest) { $0.bytes() }.record()
        try loop.run(until: "a response") { body.termination != nil }
        #expect(body.elements == ["hello"], "\(body.events)")
      }
      try get("/first")
      let canceled = client.send(.init("DELETE", server.url("/", "https"))).observe(
        next: { _ in }, termination: { _ in })
      try loop.run(until: "the request") { server.requests.count == 2 }
      canceled.dispose()
      try loop.run(until: "the end of the connection") { server.ends.count == 1 }
      try get("/last")
      #expect(server.requests == ["GET /first", "DELETE /", "GET /last"])
    }
  }
}
