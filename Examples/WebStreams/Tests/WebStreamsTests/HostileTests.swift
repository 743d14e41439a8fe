import EventLoops
import Glibc
import Streams
import StreamsTesting
import TLSStreams
import Testing

@testable import WebStreams

private let handshake = """
  GET /socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n
  """
private let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

/// Requests and responses that http_parser, nghttp2, and wslay accept, and that are refused nevertheless.
extension WebTests {
  private static func text(_ served: Server, _ request: String, _ loop: Loop, in bag: DisposeBag) throws -> String {
    let client = Raw(served, request, in: bag)
    try loop.run(until: "a response to \(request.prefix(200))") { client.statuses.count == 1 }
    return client.text
  }

  @Test
  static func `the name of a transfer encoding is compared in ASCII`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in .just(HTTPResponse(body: request.body)) }
      // The sign for Kelvin, whose lower-case letter in Unicode is k.
      let request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n"
      let answer = try text(server, request, loop, in: bag)
      #expect(answer.hasPrefix("HTTP/1.1 501"))
      #expect(server.requests.isEmpty)
    }
  }

  @Test
  static func `an accent after a separator hides nothing`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        let items = request.queryItems.map { "\($0.name):\($0.value)" }.joined(separator: " ")
        let isListed = request.headers.contains("b", in: "X-List")
        return .just(.text("\(request.path)|\(request.query ?? "nil")|\(items)|\(isListed)"))
      }
      let accent = "\u{301}"
      for (target, list, answer) in [
        ("/q?\(accent)a=1&b=2", "a", "/q|\(accent)a=1&b=2|\(accent)a:1 b:2|false"),
        ("/q?a=1&\(accent)b=2", "a, b", "/q|a=1&\(accent)b=2|a:1 \(accent)b:2|true"),
        (
          "/q?a=\(accent)1+\(accent)#\(accent)", "a,\(accent),b",
          "/q|a=\(accent)1+\(accent)|a:\(accent)1 \(accent)|true"
        ),
      ] {
        let received = try text(server, "GET \(target) HTTP/1.1\r\nHost: a\r\nX-List: \(list)\r\n\r\n", loop, in: bag)
        #expect(Array(received.utf8.suffix(answer.utf8.count)) == Array(answer.utf8), "\(received)")
      }
    }
  }

  @Test
  static func `an event has the line breaks that browsers know, and no others`() {
    let event = ServerSentEvent("a\u{2028}b\u{85}c\u{0b}d\r\ne\rf\ng", name: "n\r\nx", id: "1\n2")
    let lines = ["event: n", "id: 1", "data: a\u{2028}b\u{85}c\u{0b}d", "data: e", "data: f", "data: g", "", ""]
    #expect(Array(event.bytes) == Array(lines.joined(separator: "\n").utf8))
  }

  @Test(arguments: ["\r\nX:", "\r\nX: \t    y"])
  static func `each byte of a header counts`(_ line: String) async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { _ in .just(.text("hello")) }
      func request(_ count: Int) -> String {
        "GET / HTTP/1.1\r\nHost: a" + String(repeating: line, count: count / line.utf8.count) + "\r\n\r\n"
      }
      let answers = try [65_000, 66_000].map { try text(server, request($0), loop, in: bag).prefix(12) }
      #expect(answers == ["HTTP/1.1 200", "HTTP/1.1 431"])
    }
  }

  @Test(arguments: [
    ("GET http://b:80/a?b HTTP/1.1\r\nHost: a\r\n\r\n", "/a?b of b:80"),
    ("GET HTTP://b HTTP/1.0\r\n\r\n", "/ of b"), ("GET https://b?c HTTP/1.1\r\nHost: a\r\n\r\n", "/?c of b"),
    ("OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n", "* of b"),
  ])
  static func `a target with a host names the host`(_ request: String, _ answer: String) async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        .just(.text("\(request.target) of \(request.headers.values(of: "Host").joined(separator: ","))"))
      }
      let received = try text(server, request, loop, in: bag)
      #expect(received.hasSuffix("\r\n\r\n" + answer))
      let refused = try text(server, "GET http://name@b/ HTTP/1.1\r\nHost: b\r\n\r\n", loop, in: bag)
      #expect(refused.hasPrefix("HTTP/1.1 400"))
    }
  }

  @Test(arguments: [
    handshake, handshake + "Sec-WebSocket-Key: AAAA\r\n", handshake + key + key,
    handshake + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQüü\r\n", handshake + key + "Content-Length: 8\r\n",
    handshake + key + "Transfer-Encoding: chunked\r\n", handshake + key + "Sec-WebSocket-Version: 8\r\n",
  ])
  static func `a request for a WebSocket with another key or with a body is refused`(_ request: String) async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        .just(.webSocket(for: request) { socket in socket.messages.pipe(to: socket).toStream(logError: false) })
      }
      let answers = try [request, handshake + key].map { try text(server, $0 + "\r\n", loop, in: bag) }
      #expect(answers[0].hasPrefix("HTTP/1.1 400"))
      #expect(answers[1].hasPrefix("HTTP/1.1 101"))
    }
  }

  @Test
  static func `a WebSocket that begins after the server stops is closed`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        .just(.webSocket(for: request) { socket in socket.messages.pipe(to: socket).toStream(logError: false) })
      }
      let client = Raw(server, handshake, in: bag)
      try loop.run(until: "the connection") { client.connection != nil }
      // The server has read the beginning of the header when it has answered another client.
      _ = try text(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", loop, in: bag)
      server.stop()
      client.connection?.write(Bytes(key + "\r\n"))
      try loop.run(until: "a close frame") {
        Bytes(joining: client.received?.elements ?? []).suffix(4) == Bytes([0x88, 2, 0x03, 0xE9])
      }
    }
  }

  @Test
  static func `a file whose name begins with a dot and a combining character is hidden`() async throws {
    try await withLoop { loop, bag in
      let folder = Certificate.shared.folder + "/site"
      mkdir(folder, 0o755)
      for name in [".\u{301}hidden", "\u{301}shown"] { try makeFile("\(folder)/\(name)", count: 3) }
      let files = HTTPFiles(in: folder)
      let server = Server(in: bag) { request in files.respond(to: request) }
      let answers = try [".%CC%81hidden", "%CC%81shown"].map {
        try text(server, "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n", loop, in: bag).prefix(12)
      }
      #expect(answers == ["HTTP/1.1 404", "HTTP/1.1 200"])
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\nok", "HTTP/3.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok", "HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  ])
  static func `a response that programs understand differently fails`(_ response: String) async throws {
    try await withLoop { loop, bag in
      let port = try listen(in: bag) { connection in
        connection.bytes.observe(
          next: { _ in
            connection.write(Bytes(response))
            connection.finish()
          }, termination: { _ in }
        ).dispose(in: bag)
      }
      let client = try HTTPClient()
      let body = client.get("http://127.0.0.1:\(port)/").flatMap(.latest) { $0.bytes() }.record()
      try loop.run(until: "the end") { body.termination != nil }
      guard case .failed(.malformed)? = body.termination else {
        Issue.record("\(body.events)")
        return
      }
    }
  }

  @Test
  static func `a URL that http_parser cannot measure is refused`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { _ in .just(.text("hello")) }
      let client = try HTTPClient()
      let response = client.get(server.url("/" + String(repeating: "a", count: 65_536))).record()
      try loop.run(until: "the end") { response.termination != nil }
      guard case .failed(.invalidRequest)? = response.termination else {
        Issue.record("\(response.events)")
        return
      }
      #expect(server.requests.isEmpty)
    }
  }

  /// Serves HTTP/2 over TLS, answers each request with the bytes that `respond` returns for its number, and returns an
  /// address of the server.
  private static func serveHTTP2(in bag: DisposeBag, _ respond: @escaping (UInt8) -> [UInt8]) throws -> String {
    try serveFrames(in: bag, [0, 0, 0, 4, 0, 0, 0, 0, 0]) { _, type, id in type == 1 ? respond(id) : [] }
  }

  private static func clientOfHTTP2() throws -> HTTPClient {
    HTTPClient(tls: try TLSClient(trust: .authorityFile(Certificate.shared.file), applicationProtocols: ["h2"]))
  }

  /// The codes CANCEL, and REFUSED_STREAM, which says that the server has done nothing.
  @Test(arguments: [(8 as UInt8, 3), (7, 6)])
  static func
    `a request that a server resets on a kept connection is repeated once, and one that it refuses a few times`(
      _ code: UInt8, _ expected: Int
    ) async throws
  {
    try await withLoop { loop, bag in
      var requests = 0
      let url = try serveHTTP2(in: bag) { id in
        requests += 1
        // The first response is complete. The other requests are reset.
        return requests == 1 ? [0, 0, 1, 1, 5, 0, 0, 0, id, 0x88] : [0, 0, 4, 3, 0, 0, 0, 0, id, 0, 0, 0, code]
      }
      let client = try clientOfHTTP2()
      func get() throws -> Recorder<Bytes, HTTPError> {
        let body = client.get(url).flatMap(.latest) { $0.bytes() }.record()
        try loop.run(until: "the end, after \(requests) requests") { body.termination != nil || requests > 100 }
        return body
      }
      let (first, second) = (try get(), try get())
      #expect(first.isCompleted && second.failure != nil && requests == expected, "\(requests)")
    }
  }

  @Test
  static func `a response arrives with the notice that the server takes no more requests`() async throws {
    try await withLoop { loop, bag in
      let url = try serveHTTP2(in: bag) { id in
        [0, 0, 1, 1, 4, 0, 0, 0, id, 0x88] + [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, id, 0, 0, 0, 0]
          + [0, 0, 2, 0, 1, 0, 0, 0, id] + Array("ok".utf8)
      }
      let client = try clientOfHTTP2()
      for _ in 0..<2 {
        let body = client.get(url).flatMap(.latest) { $0.bytes() }.record()
        try loop.run(until: "the response") { body.termination != nil }
        #expect(body.elements == ["ok"])
      }
    }
  }

  @Test
  static func `a response that the server breaks off without an error is not complete`() async throws {
    try await withLoop { loop, bag in
      let url = try serveHTTP2(in: bag) { id in
        [0, 0, 1, 1, 4, 0, 0, 0, id, 0x88] + [0, 0, 4, 3, 0, 0, 0, 0, id, 0, 0, 0, 0]
      }
      let body = try clientOfHTTP2().get(url).flatMap(.latest) { $0.bytes() }.record()
      try loop.run(until: "the end") { body.termination != nil }
      guard case .disconnected? = body.failure else {
        Issue.record("\(body.events)")
        return
      }
    }
  }
}
