import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import WebStreams

/// Clients that send nonsense, or what others have sent with damage.
extension WebTests {
  /// What clients send: each is valid on its own.
  private static let valid: [[UInt8]] = {
    func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
      [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
    }
    // :method GET, :scheme http, :path /, :authority a; and the same with POST.
    let get: [UInt8] = [0x82, 0x86, 0x84, 0x41, 0x01, 0x61]
    let post: [UInt8] = [0x83, 0x86, 0x84, 0x41, 0x01, 0x61]
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    let http2 =
      preface + frame(4, 0, 0, []) + frame(1, 5, 1, get) + frame(1, 4, 3, post) + frame(0, 0, 3, [1, 2, 3])
      + frame(0, 1, 3, [UInt8](repeating: 9, count: 500)) + frame(6, 0, 0, [0, 1, 2, 3, 4, 5, 6, 7])
      + frame(3, 0, 1, [0, 0, 0, 8]) + frame(8, 0, 0, [0, 0, 1, 0]) + frame(1, 5, 5, get)
    let http1 = """
      GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r
      \r\n5\r\nhello\r\n3;x=y\r\nabc\r\n0\r\nTrailer: 1\r\n\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r
      \r\nbodyGET /late HTTP/1.1\r\nHost: a\r\n\r\n
      """
    let handshake = """
      GET /socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
      """
    // Masked with zeros: a text, a text in two parts with a ping between, and a close frame.
    let frames: [UInt8] =
      [0x81, 0x82, 0, 0, 0, 0, 104, 105] + [0x01, 0x81, 0, 0, 0, 0, 97] + [0x89, 0x80, 0, 0, 0, 0]
      + [0x80, 0x81, 0, 0, 0, 0, 98] + [0x88, 0x82, 0, 0, 0, 0, 3, 232]
    return [http2, Array(http1.utf8), Array(handshake.utf8) + frames]
  }()

  @Test
  static func `no client breaks the server, whatever it sends`() async throws {
    try await withLoop { loop, bag in
      var sockets = 0
      let server = Server(in: bag) { request in
        switch request.path {
        case "/echo": return .just(HTTPResponse(body: request.body))
        case "/late":
          return Stream<Int>.interval(.milliseconds(1), on: Loop.current.scheduler).first().map { _ in .text("late") }
        case "/socket":
          sockets += 1
          return .just(.webSocket(for: request) { $0.messages.pipe(to: $0).toStream(logError: false) })
        default: return .just(.text("hello"))
        }
      }
      var answered = 0
      for seed in UInt64(0)..<600 {
        var random = SeededRandom(seed)
        var bytes = valid[Int(seed) % valid.count]
        let isIntact = seed < 6
        if !isIntact {
          for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(.random(in: 0...255, using: &random), at: place)
            case 3: bytes.removeSubrange(place..<min(place + Int.random(in: 1...40, using: &random), bytes.count))
            default: bytes.insert(contentsOf: bytes[place...].prefix(30), at: place)
            }
            if bytes.isEmpty { bytes = [0] }
          }
        }
        var parts: [Bytes] = []
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = min(rest.count, Int.random(in: 1...200, using: &random))
          parts.append(Bytes(rest.prefix(count)))
          rest = rest.dropFirst(count)
        }
        let client = Raw(server, parts, in: bag)
        let before = server.ends.count
        try loop.run(until: "the connection") { client.connection != nil }
        // Each connection ends when its client does.
        let waited = loop.backgroundScheduler.schedule(after: .milliseconds(5)) { client.connection?.finish() }
        try loop.run(until: "the end of seed \(seed)") { server.ends.count > before && client.hasEnded }
        waited.dispose()
        if isIntact { #expect(!client.text.isEmpty, "seed \(seed)") }
        if !client.text.isEmpty { answered += 1 }
        client.connection?.dispose()
      }
      // The test has reached what it is for.
      #expect(answered > 400 && sockets > 50, "\(answered), \(sockets)")
      let last = Raw(server, "GET / HTTP/1.0\r\n\r\n", in: bag)
      try loop.run(until: "a last response") { last.hasEnded }
      #expect(last.statuses == ["200"])
    }
  }

  @Test
  static func `a client that cancels requests as fast as it sends them is cut off`() async throws {
    try await withLoop { loop, bag in
      var answers = 0
      let server = Server(in: bag) { _ in
        answers += 1
        return .never()
      }
      func frame(_ type: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, flags, 0, 0, UInt8(stream >> 8), UInt8(stream & 255)] + payload
      }
      var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])
      for index in 0..<5_000 {
        bytes += frame(1, 5, 2 * index + 1, [0x82, 0x86, 0x84, 0x41, 0x01, 0x61])
        bytes += frame(3, 0, 2 * index + 1, [0, 0, 0, 8])
      }
      let client = Raw(server, [Bytes(bytes)], in: bag)
      try loop.run(until: "the end") { client.hasEnded && server.ends.count == 1 }
      #expect(answers < 2_500, "\(answers)")
    }
  }
}
