import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import WebStreams

/// Clients that send more than they take, in small parts, or slowly.
extension WebTests {
  @Test
  static func `a client that takes no responses gets a bounded number of them`() async throws {
    try await withLoop { loop, bag in
      let big = Bytes(repeating: 1, count: 10_000)
      let server = Server(in: bag) { _ in .just(HTTPResponse(bytes: big)) }
      let count = 5_000
      let client = Raw(server, "", in: bag)
      try loop.run(until: "the connection") { client.connection != nil }
      let received = client.received
      received?.pause()
      client.connection?.write(Bytes(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: count)))
      var (last, since) = (-1, ContinuousClock.now)
      try loop.run(until: "the server waits") {
        if server.requests.count != last { (last, since) = (server.requests.count, .now) }
        return last > 0 && ContinuousClock.now - since > .milliseconds(200)
      }
      // What the buffers of the system take, and 256 KiB here.
      #expect(last < 2_000, "\(last)")
      received?.resume()
      try loop.run(until: "all responses") { server.requests.count == count }
    }
  }

  @Test
  static func `a client that takes no answers to its pings is not read`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        .just(.webSocket(for: request) { socket in socket.messages.pipe(to: socket).toStream(logError: false) })
      }
      let handshake = """
        GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """
      let client = Raw(server, handshake, in: bag)
      try loop.run(until: "the handshake") { client.statuses == ["101"] }
      client.received?.pause()
      // 40 MB of pings with 125 bytes, masked with zeros.
      let ping: [UInt8] = [0x89, 0xFD, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 125)
      client.connection?.write(Bytes((0..<305_000).flatMap { _ in ping }))
      var (last, since) = (0, ContinuousClock.now)
      try loop.run(until: "the server waits") {
        let queued = client.connection?.queuedBytes ?? 0
        if queued != last { (last, since) = (queued, .now) }
        return ContinuousClock.now - since > .milliseconds(200)
      }
      #expect(last > 20_000_000, "\(last)")
      client.received?.resume()
      try loop.run(until: "everything is read") { client.connection?.queuedBytes == 0 }
    }
  }

  @Test
  static func `messages that are there at once wait for a client that does not take them`() async throws {
    try await withLoop { loop, bag in
      var sent = 0
      let message = WebSocketMessage.binary(Bytes(repeating: 1, count: 10_000))
      let server = Server(in: bag) { request in
        .just(
          .webSocket(for: request) { socket in
            Stream<WebSocketMessage>.sequence(repeatElement(message, count: 5_000)).doOn(next: { _ in sent += 1 })
              .pipe(to: socket).toStream(logError: false)
          })
      }
      let client = Raw(server, "", in: bag)
      try loop.run(until: "the connection") { client.connection != nil }
      client.received?.pause()
      client.connection?.write(
        """
        GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """)
      var (last, since) = (0, ContinuousClock.now)
      try loop.run(until: "the source waits") {
        if sent != last { (last, since) = (sent, .now) }
        return last > 0 && ContinuousClock.now - since > .milliseconds(200)
      }
      // The buffers of the system, and 256 KiB here.
      #expect(last < 2_000, "\(last)")
      client.received?.resume()
      try loop.run(until: "all messages") { sent == 5_000 }
    }
  }

  @Test
  static func `a header that arrives byte by byte has to be complete in time`() async throws {
    try await withLoop { loop, bag in
      var limits = HTTPLimits()
      limits.headerTime = .milliseconds(100)
      let server = Server(limits: limits, in: bag) { _ in .just(.text("hello")) }
      let client = Raw(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX: ", in: bag)
      let drip = Stream<Int>.interval(.milliseconds(5), on: loop.scheduler).observeNext { _ in
        client.connection?.write("a")
      }
      try loop.run(until: "the end") { client.hasEnded }
      drip.dispose()
      guard case .timedOut? = server.failures.first else {
        Issue.record("\(server.ends)")
        return
      }
      #expect(client.statuses == ["200"])
    }
  }

  @Test
  static func `a body without permission ends the connection after the response`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in
        .just(request.path == "/echo" ? HTTPResponse(body: request.body) : HTTPResponse(403))
      }
      let header = "HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
      let refused = Raw(server, "POST /no \(header)", in: bag)
      try loop.run(until: "the end") { refused.hasEnded }
      #expect(refused.statuses == ["403"] && refused.text.contains("Connection: close"))
      let accepted = Raw(server, "POST /echo \(header)", in: bag)
      try loop.run(until: "permission") { accepted.statuses == ["100", "200"] }
      accepted.connection?.write("abc")
      try loop.run(until: "the echo") { accepted.text.hasSuffix("3\r\nabc\r\n0\r\n\r\n") }
    }
  }

  @Test
  static func `a status that is none becomes 500`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { request in .just(HTTPResponse(Int(request.path.dropFirst()) ?? 0)) }
      for (status, expected) in [("0", "500"), ("100", "500"), ("1000", "500"), ("-1", "500"), ("299", "299")] {
        let client = Raw(server, "GET /\(status) HTTP/1.0\r\n\r\n", in: bag)
        try loop.run(until: "the end") { client.hasEnded }
        #expect(client.statuses == [expected])
      }
    }
  }

  @Test(arguments: [["--http1.1"], ["--http2-prior-knowledge"]])
  static func `a body of a hundred thousand single bytes is delivered in linear time`(
    _ options: [String]
  ) async throws {
    try await withLoop { loop, bag in
      let bytes = (0..<100_000).map { Bytes([UInt8(truncatingIfNeeded: $0)]) }
      let server = Server(in: bag) { _ in .just(HTTPResponse(body: Stream<Bytes>.sequence(bytes))) }
      let curl = try Peer.curl(options + [server.url("/")])
      try loop.run(until: "the body") { curl.hasEnded }
      #expect(curl.bytes == Bytes(joining: bytes))
    }
  }

  /// A list of parts does what an array of bytes does.
  @Test
  static func `parts that wait keep their order`() {
    for seed in UInt64(0)..<300 {
      var random = SeededRandom(seed)
      var (queue, model) = (PartQueue(), [UInt8]())
      for _ in 0..<400 {
        if Bool.random(using: &random) {
          let part = (0..<Int.random(in: 0...5, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
          queue.append(Bytes(part))
          model += part
        } else {
          let most = Int.random(in: 1...6, using: &random)
          let part = queue.popFirst(most)
          #expect(part == nil ? model.isEmpty : !part!.isEmpty && part!.count <= most)
          #expect(Array(part ?? []) == Array(model.prefix(part?.count ?? 0)))
          model.removeFirst(part?.count ?? 0)
        }
        #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
      }
    }
  }
}
