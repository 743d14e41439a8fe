import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import WebStreams

/// The server, with requests that are written by hand.
extension WebTests {
  private static func hello(_ request: HTTPRequest) -> Stream<HTTPResponse> {
    .just(request.path == "/echo" ? HTTPResponse(body: request.body) : .text("hello"))
  }

  @Test
  static func `requests that follow each other at once are answered in their order`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag, hello)
      let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
      let last = "GET /x HTTP/1.0\r\n\r\n"
      // In one part, and byte by byte.
      for size in [1000, 1] {
        let all = Array((request + last).utf8)
        let parts = stride(from: 0, to: all.count, by: size).map { Bytes(all[$0..<min($0 + size, all.count)]) }
        let client = Raw(server, parts, in: bag)
        try loop.run(until: "the end") { client.hasEnded }
        #expect(client.statuses == ["200", "200", "200"])
        #expect(client.text.contains("\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.1 200"))
        #expect(client.text.hasSuffix("Connection: close\r\n\r\nhello"))
      }
      #expect(server.requests == ["GET /", "POST /echo", "GET /x", "GET /", "POST /echo", "GET /x"])
      #expect(server.failures.isEmpty)
    }
  }

  @Test
  static func `a body that nobody reads before a late response does not stop the next request`() async throws {
    try await withLoop { loop, bag in
      var kept: [HTTPRequest] = []
      let server = Server(in: bag) { request in
        if request.method == "GET" { return .just(.text("next")) }
        if request.path == "/kept" { kept.append(request) }
        return Streams.Stream.just(.text("late")).delay(for: .milliseconds(20), on: loop.scheduler)
      }
      for path in ["/kept", "/released"] {
        let client = Raw(
          server,
          [
            Bytes("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n"),
            Bytes(repeating: 7, count: 200_000), "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
          ], in: bag)
        try loop.run(until: "the next response") { client.statuses.count == 2 }
        #expect(client.statuses == ["200", "200"] && client.text.hasSuffix("next"))
      }
      // What has arrived of the body can still be read, and its end says that something is missing.
      let body = try #require(kept.first).body.record()
      #expect(body.elements.map(\.count).reduce(0, +) > 0 && body.failure != nil)
    }
  }

  @Test(arguments: [204, 304])
  static func `a response without a body has no header of one`(_ status: Int) async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        .just(request.path == "/end" ? .text("end") : HTTPResponse(status, body: Streams.Stream<Bytes>.just("abc")))
      }
      let client = Raw(
        server, "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /end HTTP/1.1\r\nHost: a\r\n\r\n", in: bag)
      try loop.run(until: "both responses") { client.statuses.count == 2 && client.text.hasSuffix("end") }
      #expect(client.statuses == ["\(status)", "200"])
      #expect(!client.text.contains("Transfer-Encoding") && !client.text.contains("abc"))
    }
  }

  static let refused: [(request: String, status: String)] = [
    ("GET / HTTP/1.1\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
    ("NONSENSE\r\n\r\n", "400"),
    ("GET / HTTP/3.0\r\nHost: a\r\n\r\n", "505"),
    ("GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: a\r\n\rX", "400"),
    ("GET /a\u{0}b HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc", "400"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "400"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501"),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "501"),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", "501"),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 70_000))\r\n\r\n", "431"),
  ]

  @Test(arguments: refused.indices)
  static func `what servers could understand differently is refused, and the connection ends`(
    _ index: Int
  ) async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag, hello)
      let client = Raw(server, refused[index].request, in: bag)
      try loop.run(until: "the end") { client.hasEnded && server.ends.count == 1 }
      #expect(client.statuses == [refused[index].status])
      #expect(server.requests.isEmpty)
      guard case .malformed? = server.failures.first else {
        Issue.record("\(server.ends)")
        return
      }
    }
  }

  @Test
  static func `a wrong chunk in a body fails the body, and the response breaks off`() async throws {
    try await withLoop { loop, bag in
      var body: Recorder<Bytes, HTTPError>?
      let server = Server(in: bag) { request in
        body = request.body.record()
        return .never()
      }
      let client = Raw(
        server, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzzz\r\n", in: bag)
      try loop.run(until: "the end") { client.hasEnded }
      #expect(body?.elements == ["abc"])
      guard case .malformed? = body?.failure else {
        Issue.record("\(String(describing: body?.events))")
        return
      }
      #expect(client.statuses == ["400"])
    }
  }

  @Test
  static func `a body that nobody reads slows the client down, and is delivered when it is observed`() async throws {
    try await withLoop { loop, bag in
      var held: HTTPRequest?
      let server = Server(in: bag) { request in
        held = request
        return .never()
      }
      let size = 30_000_000
      let client = Raw(server, ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n"], in: bag)
      try loop.run(until: "the request") { held != nil }
      client.connection?.write(Bytes(repeating: 1, count: size))
      // The system's buffers are full when the client has stopped for a while, and then nothing moves.
      var (last, since) = (0, ContinuousClock.now)
      try loop.run(until: "the client waits") {
        let queued = client.connection?.queuedBytes ?? 0
        if queued != last { (last, since) = (queued, .now) }
        return queued > 0 && ContinuousClock.now - since > .milliseconds(200)
      }
      let waiting = try #require(held?.exchange.partsCount)
      #expect(waiting > 0 && waiting <= 65_536)
      var received = 0
      let body = held?.body.observeNext { received += $0.count }
      try loop.run(until: "the body") { received > 1_000_000 }
      body?.pause()
      let before = received
      (last, since) = (0, .now)
      try loop.run(until: "the client waits again") {
        let queued = client.connection?.queuedBytes ?? 0
        if queued != last { (last, since) = (queued, .now) }
        return ContinuousClock.now - since > .milliseconds(200)
      }
      #expect(received == before)
      body?.resume()
      try loop.run(until: "the whole body") { received == size }
      held?.respond(.text("thanks"))
      try loop.run(until: "the response") { client.text.hasSuffix("thanks") }
    }
  }

  @Test(arguments: [["--http1.1"], ["--http2-prior-knowledge"]])
  static func `a response that the client does not take is paused, and disposed when it leaves`(
    _ options: [String]
  ) async throws {
    try await withLoop { loop, bag in
      var (count, isDisposed) = (0, false)
      let server = Server(in: bag) { _ in
        let endless = Stream<Bytes>.sequence(repeatElement(Bytes(repeating: 7, count: 10_000), count: 1_000_000)).doOn(
          next: { _ in count += 1 }, disposed: { isDisposed = true })
        return .just(HTTPResponse(body: endless))
      }
      // curl waits for its output to be taken, which nobody does.
      var command = ProcessCommand("curl", ["-sSN"] + options + [server.url("/")])
      command.output = .pipe
      let curl = try ProcessHandle(command)
      var (last, since) = (0, ContinuousClock.now)
      try loop.run(until: "the response waits") {
        if count != last { (last, since) = (count, .now) }
        return count > 0 && ContinuousClock.now - since > .milliseconds(300)
      }
      #expect(count < 3_000, "\(count)")
      #expect(!isDisposed)
      try curl.kill(.kill)
      try loop.run(until: "the source is left") { isDisposed && server.ends.count == 1 }
    }
  }

  @Test(arguments: [["--http1.1"], ["--http2-prior-knowledge"]])
  static func `a client that leaves disposes the work on its response`(_ options: [String]) async throws {
    try await withLoop { loop, bag in
      var (hasBegun, isDisposed) = (false, false)
      let server = Server(in: bag) { _ in
        hasBegun = true
        return Stream.never().doOn(disposed: { isDisposed = true })
      }
      let curl = try Peer.curl(options + [server.url("/")])
      try loop.run(until: "the request") { hasBegun }
      #expect(!isDisposed)
      try curl.process.kill(.kill)
      try loop.run(until: "the work is left") { isDisposed && server.ends.count == 1 }
      #expect(server.failures.count == 1)
    }
  }

  @Test(arguments: [["--http1.1"], ["--http2-prior-knowledge"]])
  static func `a shutdown finishes the responses under way, and then the connections`(
    _ options: [String]
  ) async throws {
    try await withLoop { loop, bag in
      let source = PushStream<Bytes>()
      let server = Server(in: bag) { _ in .just(HTTPResponse(body: source)) }
      let curl = try Peer.curl(options + ["-N", server.url("/")])
      try loop.run(until: "the request") { source.observerCount == 1 }
      let idle = Raw(server, "", in: bag)
      try loop.run(until: "a connection without a request") { idle.connection != nil }
      server.stop()
      try loop.run(until: "the end of the idle connection") { idle.hasEnded }
      source.next("still ")
      source.next("there")
      source.terminate(.completed)
      try loop.run(until: "the end") { curl.hasEnded && server.ends.count == 2 }
      #expect(curl.hasSucceeded && curl.output == "still there", "\(curl.errors)")
      #expect(server.failures.isEmpty)
    }
  }

  @Test(arguments: [["--http1.1"], ["--http2-prior-knowledge"]])
  static func `a body that fails, or has another length, breaks the response off`(_ options: [String]) async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        let two = Stream<Bytes>.sequence(["one", "two"])
        switch request.path {
        case "/fails":
          return .just(HTTPResponse(body: two.setFailureType(to: TestError.self).concat(with: .failed(TestError("x")))))
        case "/short": return .just(HTTPResponse(body: two, count: 7))
        default: return .just(HTTPResponse(body: two, count: 5))
        }
      }
      for path in ["/fails", "/short", "/long"] {
        let curl = try Peer.curl(options + [server.url(path)])
        try loop.run(until: "the end") { curl.hasEnded }
        #expect(!curl.hasSucceeded, "\(path): \(curl.output)")
      }
    }
  }

  @Test
  static func `a request without a response gets the status 500`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        switch request.path {
        case "/header": .just(HTTPResponse(headers: ["X": "a\r\nSet-Cookie: b"]))
        default: .completed()
        }
      }
      for path in ["/empty", "/header"] {
        let client = Raw(server, "GET \(path) HTTP/1.0\r\n\r\n", in: bag)
        try loop.run(until: "the end") { client.hasEnded }
        #expect(client.statuses == ["500"])
        #expect(!client.text.contains("Set-Cookie"))
      }
    }
  }

  @Test
  static func `clients that are silent for too long are left`() async throws {
    try await withLoop { loop, bag in
      var limits = HTTPLimits()
      limits.headerTime = .milliseconds(50)
      limits.idleTime = .milliseconds(50)
      limits.stallTime = .milliseconds(50)
      let server = Server(limits: limits, in: bag, hello)
      let slow = [
        "", "GET / HT", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na",
      ]
      for (index, text) in slow.enumerated() {
        let client = Raw(server, text, in: bag)
        try loop.run(until: "the end of \(text)") { client.hasEnded && server.ends.count == index + 1 }
        guard index != 3 else {
          #expect(server.ends.last?.failure == nil && client.statuses == ["200"])
          continue
        }
        guard case .timedOut? = server.ends.last?.failure else {
          Issue.record("\(text): \(server.ends)")
          return
        }
      }
    }
  }

  @Test
  static func `a message is answered before a frame that is wrong closes the WebSocket`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        .just(.webSocket(for: request) { $0.messages.pipe(to: $0).toStream(logError: false) })
      }
      let client = Raw(
        server,
        """
        GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """, in: bag)
      try loop.run(until: "the upgrade") { client.statuses == ["101"] }
      // Masked with zeros: a text, and a frame with a reserved bit, which must close the socket with the code 1002.
      client.connection?.write(Bytes([0x81, 0x82, 0, 0, 0, 0] + Array("ok".utf8) + [0xA1, 0x80, 0, 0, 0, 0]))
      try loop.run(until: "the end") { client.hasEnded }
      #expect(
        Array(Bytes(joining: client.received?.elements ?? []).suffix(8)) == [0x81, 2] + Array("ok".utf8) + [
          0x88, 2, 0x03, 0xEA,
        ])
    }
  }

  @Test
  static func `a page of another site may not open a WebSocket`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        .just(
          .webSocket(for: request, origins: request.path == "/open" ? ["https://good"] : nil) { _ in
            Stream<Void>.completed()
          })
      }
      func status(_ path: String, _ origin: String, version: String = "13") throws -> String? {
        let client = Raw(
          server,
          """
          GET \(path) HTTP/1.1\r\nHost: here:1\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r
          Sec-WebSocket-Version: \(version)\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(origin)\r\n
          """, in: bag)
        try loop.run(until: "a response") { !client.statuses.isEmpty }
        if client.statuses == ["101"] {
          #expect(client.text.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        }
        client.connection?.dispose()
        return client.statuses.first
      }
      for (path, origin, expected) in [
        ("/", "", "101"), ("/", "http://here:1", "101"), ("/", "http://evil", "403"), ("/open", "https://good", "101"),
        ("/open", "http://here:1", "403"),
      ] {
        let found = try status(path, origin.isEmpty ? "" : "Origin: \(origin)\r\n")
        #expect(found == expected, "\(path) \(origin)")
      }
      let old = try status("/", "", version: "12")
      #expect(old == "426")
    }
  }
}
