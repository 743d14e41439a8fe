import EventLoops
import Glibc
import Streams
import StreamsTesting
import TLSStreams
import Testing

@testable import WebStreams

/// Servers that do not do what they should, and what the client receives.
extension WebTests {
  /// Serves HTTP/2 over TLS. `answer` gets the type and the number of the stream of each frame, and writes frames.
  static func serveFrames(
    in bag: DisposeBag, _ settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0],
    _ answer: @escaping (_ connection: Int, _ type: UInt8, _ id: UInt8) -> [UInt8]
  ) throws -> String {
    let certificate = Certificate.shared
    let tls = try TLSServer(
      TLSIdentity(certificateFile: certificate.file, keyFile: certificate.key), applicationProtocols: ["h2"])
    var count = 0
    let port = try listen(in: bag) { tcp in
      let connection = tls.secure(tcp)
      connection.write(Bytes(settings))
      let number = count
      count += 1
      var input = Bytes()
      connection.bytes.observe(
        next: { bytes in
          input = input + bytes
          if input.starts(with: HTTP2Session.preface) { input = input.dropFirst(HTTP2Session.preface.count) }
          while input.count >= 9 {
            let start = input.startIndex
            let length = 9 + Int(input[start + 1]) << 8 + Int(input[start + 2])
            if input.count < length { break }
            let frames = answer(number, input[start + 3], input[start + 8])
            if !frames.isEmpty { connection.write(Bytes(frames)) }
            input = input.dropFirst(length)
          }
        }, termination: { _ in }
      ).dispose(in: bag)
    }
    return "https://localhost:\(port)/"
  }

  /// The frames of a response with a status and the body `ok`.
  private static func response(_ id: UInt8, _ status: String = "200") -> [UInt8] {
    [0, 0, 5, 1, 4, 0, 0, 0, id, 8, 3] + Array(status.utf8) + [0, 0, 2, 0, 1, 0, 0, 0, id] + Array("ok".utf8)
  }

  /// Runs the loop for a while.
  private static func wait(_ time: Duration, _ loop: Loop) throws {
    let end = ContinuousClock.now + time
    try loop.run(until: "the time is over") { .now > end }
  }

  private static func frameClient() throws -> HTTPClient {
    HTTPClient(tls: try TLSClient(trust: .authorityFile(Certificate.shared.file), applicationProtocols: ["h2"]))
  }

  @Test
  static func `HTTP/2: a complete response ends a request whose body the server does not take`() async throws {
    try await withLoop { loop, bag in
      var resets = 0
      // Its initial window is 0, and it never makes it larger.
      let url = try serveFrames(in: bag, [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]) { _, type, id in
        if type == 3 { resets += 1 }
        return type == 1 ? response(id) : []
      }
      let client = try frameClient()
      let source = PushStream<Bytes>()
      let body = client.send(.init("POST", url, body: source)).flatMap(.latest) { $0.bytes() }.record()
      try loop.run(until: "the response") { body.termination != nil }
      #expect(body.elements == ["ok"])
      try loop.run(until: "the end of the request") { source.observerCount == 0 && resets == 1 }
    }
  }

  @Test
  static func `a response that arrived before the server broke off is not lost`() async throws {
    try await withLoop { loop, bag in
      let source = PushStream<Bytes>()
      let port = try listen(in: bag) { tcp in
        var hasAnswered = false
        tcp.bytes.observe(
          next: { _ in
            if hasAnswered { return }
            hasAnswered = true
            tcp.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
            tcp.reset()
            // The client writes before it reads.
            source.next("more")
          }, termination: { _ in }
        ).dispose(in: bag)
      }
      let client = try HTTPClient()
      func result() throws -> String {
        var status = 0
        let body = client.send(.init("POST", "http://127.0.0.1:\(port)/", body: source))
          .doOn(next: { status = $0.status }).flatMap(.latest) { $0.bytes() }.record()
        try loop.run(until: "the end") { body.termination != nil }
        return "\(status) \(body.events)"
      }
      for _ in 0..<2 { #expect(try result() == "413 [next(no), completed]") }
    }
  }

  @Test
  static func `HTTP/2: what a server says about breaking off is in the error`() async throws {
    try await withLoop { loop, bag in
      let reason = Array("slow down".utf8)
      let url = try serveFrames(in: bag) { connection, type, id in
        if type != 1 { return [] }
        switch connection {
        case 0:
          return [0, 0, UInt8(8 + reason.count), 7, 0, 0, 0, 0, 0, 0, 0, 0, id, 0, 0, 0, 11] + reason + reset(id, 8)
        default: return reset(id, 2)
        }
      }
      let client = try frameClient()
      func failure() throws -> String {
        let post = client.send(.init("POST", url, bytes: "x")).record()
        try loop.run(until: "the failure") { post.termination != nil }
        return post.failure.map { "\($0)" } ?? "\(post.events)"
      }
      #expect(try failure() == "The peer has broken it off: ENHANCE_YOUR_CALM (slow down).")
      #expect(try failure() == "The peer has broken it off: INTERNAL_ERROR.")
      // The connection is kept after a reset.
      #expect(try failure() == "The peer has broken it off: INTERNAL_ERROR.")
    }
  }

  @Test
  static func `HTTP/2: what a server says is in the error if the connection then breaks, too`() async throws {
    try await withLoop { loop, bag in
      let certificate = Certificate.shared
      let tls = try TLSServer(
        TLSIdentity(certificateFile: certificate.file, keyFile: certificate.key), applicationProtocols: ["h2"])
      let port = try listen(in: bag) { tcp in
        let connection = tls.secure(tcp)
        connection.write(Bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        var count = 0
        connection.bytes.observe(
          next: { bytes in
            // After the preface, the settings, and the request.
            count += bytes.count
            if count < 100 { return }
            // The request was taken.
            connection.write(Bytes([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]))
            tcp.reset()
          }, termination: { _ in }
        ).dispose(in: bag)
      }
      let post = try frameClient().send(.init("POST", "https://localhost:\(port)/", bytes: "x")).record()
      try loop.run(until: "the failure") { post.termination != nil }
      #expect(post.failure.map { "\($0)" } == "The peer has broken it off: INTERNAL_ERROR.", "\(post.events)")
    }
  }

  /// A frame that breaks off a request.
  private static func reset(_ id: UInt8, _ code: UInt8) -> [UInt8] { [0, 0, 4, 3, 0, 0, 0, 0, id, 0, 0, 0, code] }

  @Test
  static func `HTTP/2: a server that takes nothing does not keep a canceled request`() async throws {
    try await withLoop { loop, bag in
      let certificate = Certificate.shared
      let tls = try TLSServer(
        TLSIdentity(certificateFile: certificate.file, keyFile: certificate.key), applicationProtocols: ["h2"])
      var connections: [Recorder<Bytes, TLSError>] = []
      let port = try listen(in: bag) { tcp in
        let connection = tls.secure(tcp)
        // Room for 2 GiB, of which only a part is read.
        connection.write(Bytes([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF]))
        connection.write(Bytes([0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7F, 0, 0, 0]))
        let isFirst = connections.isEmpty
        var reading: Subscription?
        let bytes = connection.bytes.doOn(next: { bytes in
          if isFirst, bytes.count > 10_000 { reading?.pause() }
          if !isFirst { connection.write(Bytes(response(1))) }
        })
        let recorder = bytes.record()
        reading = recorder.subscription
        connections.append(recorder)
      }
      let client = try frameClient()
      let source = Stream<Bytes>.sequence(repeatElement(Bytes(repeating: 7, count: 50_000), count: 1_000_000))
      var (sent, isLeft) = (0, false)
      let upload = client.send(
        .init(
          "POST", "https://localhost:\(port)/",
          body: source.doOn(next: { sent += $0.count }, disposed: { isLeft = true }))
      ).observe(next: { _ in }, termination: { _ in })
      var (last, since) = (0, ContinuousClock.now)
      try loop.run(until: "the server takes nothing") {
        if sent != last { (last, since) = (sent, .now) }
        return sent > 500_000 && ContinuousClock.now - since > .milliseconds(200)
      }
      upload.dispose()
      #expect(isLeft)
      let body = client.get("https://localhost:\(port)/").flatMap(.latest) { $0.bytes() }
        .timeout(after: .seconds(5), failingWith: .timedOut("the next request"), on: loop.scheduler).record()
      try loop.run(until: "the next response") { body.termination != nil }
      #expect(body.elements == ["ok"] && connections.count == 2, "\(body.events)")
    }
  }

  @Test
  static func `HTTP/2: a body that fails breaks off a request that waits for the server`() async throws {
    try await withLoop { loop, bag in
      let url = try serveFrames(in: bag, [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]) { _, _, _ in [] }
      let client = try frameClient()
      let source = PushOperation<Bytes, HTTPError>()
      let body = client.send(.init("POST", url, body: source)).flatMap(.latest) { $0.bytes() }
        .timeout(after: .seconds(5), failingWith: .timedOut("the failure"), on: loop.scheduler).record()
      // The settings of the server have arrived then.
      let other = client.get(url).record()
      try wait(.milliseconds(100), loop)
      source.next("something")
      source.terminate(.failed(.canceled))
      try loop.run(until: "the failure") { body.termination != nil }
      guard case .bodyFailed? = body.failure else { throw TestError("\(body.events)") }
      #expect(other.termination == nil)
      other.subscription.dispose()
    }
  }

  @Test
  static func `HTTP/2: a request that the server never allows is forgotten when it is canceled`() async throws {
    try await withLoop { loop, bag in
      let certificate = Certificate.shared
      let tls = try TLSServer(
        TLSIdentity(certificateFile: certificate.file, keyFile: certificate.key), applicationProtocols: ["h2"])
      var server: TLSConnection?
      var received: Recorder<Bytes, TLSError>?
      let port = try listen(in: bag) { tcp in
        let connection = tls.secure(tcp)
        connection.write(Bytes([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF]))
        connection.write(Bytes([0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7F, 0, 0, 0]))
        let recorder = connection.bytes.doOn(next: { if $0.count > 10_000 { received?.subscription.pause() } }).record()
        (server, received) = (connection, recorder)
      }
      let client = try frameClient()
      let url = "https://localhost:\(port)/"
      let endless = Stream<Bytes>.sequence(repeatElement(Bytes(repeating: 7, count: 50_000), count: 1_000_000))
      var (sent, last, since) = (0, 0, ContinuousClock.now)
      let upload = client.send(.init("POST", url, body: endless.doOn(next: { sent += $0.count })))
        .observe(next: { _ in }, termination: { _ in })
      try loop.run(until: "the server takes nothing") {
        if sent != last { (last, since) = (sent, .now) }
        return sent > 500_000 && ContinuousClock.now - since > .milliseconds(200)
      }
      let waiting = client.get(url).observe(next: { _ in }, termination: { _ in })
      // From now on, it allows no requests, and reads.
      server?.write(Bytes([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0]))
      try wait(.milliseconds(200), loop)
      received?.subscription.resume()
      try wait(.milliseconds(50), loop)
      upload.dispose()
      waiting.dispose()
      try loop.run(until: "the end of the connection") {
        received?.subscription.resume()
        return received?.termination != nil
      }
    }
  }

  @Test
  static func `HTTP/2: a response that is released as it arrives returns its bytes to the window`() async throws {
    try await withLoop { loop, bag in
      let part = [0, 0x3E, 0x80, 0, 0, 0, 0, 0] as [UInt8]
      let bytes = [UInt8](repeating: 7, count: 16_000)
      var connections = 0
      let url = try serveFrames(in: bag) { connection, type, id in
        connections = connection + 1
        if type != 1 { return [] }
        return [0, 0, 1, 1, 4, 0, 0, 0, id, 0x88] + part + [id] + bytes + part[..<4] + [1, 0, 0, 0, id] + bytes
      }
      let client = try frameClient()
      // Together more than the window of the connection.
      for _ in 0..<50 {
        let released = client.get(url).map { $0.status }.record()
        try loop.run(until: "the header") { released.termination != nil }
        #expect(released.elements == [200], "\(released.events)")
      }
      let body = client.get(url).flatMap(.latest) { $0.bytes() }.record()
      try loop.run(until: "the body") { body.termination != nil }
      #expect(body.elements.first?.count == 32_000 && connections == 1, "\(body.events), \(connections)")
    }
  }

  @Test(arguments: ["000", "099"])
  static func `HTTP/2: a status that is less than 100 is refused`(_ status: String) async throws {
    try await withLoop { loop, bag in
      let url = try serveFrames(in: bag) { _, type, id in type == 1 ? response(id, id == 1 ? status : "200") : [] }
      let client = try frameClient()
      func get() throws -> Recorder<Bytes, HTTPError> {
        let body = client.get(url).flatMap(.latest) { $0.bytes() }.record()
        try loop.run(until: "the end") { body.termination != nil }
        return body
      }
      guard case .malformed? = try get().failure else { throw TestError("no error") }
      #expect(try get().elements == ["ok"])
    }
  }

  /// Serves HTTP/1.1 with one part of bytes for each connection, after the first bytes that it reads, and stops reading.
  private static func serveOnce(_ parts: [Bytes], in bag: DisposeBag) throws -> (url: String, count: () -> Int) {
    var count = 0
    let port = try listen(in: bag) { connection in
      let part = parts[min(count, parts.count - 1)]
      count += 1
      var reading: Subscription?
      reading = connection.bytes.observe(
        next: { _ in
          connection.write(part)
          reading?.pause()
        }, termination: { _ in })
      reading?.dispose(in: bag)
    }
    return ("http://127.0.0.1:\(port)/", { count })
  }

  @Test
  static func `a request does not wait for the rest of another one that the server does not take`() async throws {
    try await withLoop { loop, bag in
      let (url, count) = try serveOnce(
        ["HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
        in: bag)
      let client = try HTTPClient()
      func send(_ request: HTTPClient.Request) throws -> Recorder<Bytes, HTTPError> {
        let body = client.send(request).flatMap(.latest) { $0.bytes() }
          .timeout(after: .seconds(5), failingWith: .timedOut("the response"), on: loop.scheduler).record()
        try loop.run(until: "the end") { body.termination != nil }
        return body
      }
      let first = try send(.init("POST", url, bytes: Bytes(repeating: 7, count: 50_000_000)))
      #expect(first.elements == ["big"], "\(first.events)")
      let second = try send(.init("GET", url))
      #expect(second.elements == ["ok"] && count() == 2, "\(second.events)")
    }
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
  static func `a change to a protocol that was not asked for is refused`(_ rest: String) async throws {
    try await withLoop { loop, bag in
      let (url, _) = try serveOnce(
        [Bytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + rest)], in: bag)
      let body = try HTTPClient().get(url).flatMap(.latest) { $0.bytes() }
        .timeout(after: .seconds(5), failingWith: .timedOut("the response"), on: loop.scheduler).record()
      try loop.run(until: "the end") { body.termination != nil }
      guard case .malformed? = body.failure else { throw TestError("\(body.events)") }
    }
  }

  @Test(arguments: [true, false])
  static func `HTTP/2: a silent server keeps its requests if it answers pings`(_ answers: Bool) async throws {
    try await withLoop { loop, bag in
      var pings = 0
      let url = try serveFrames(in: bag) { _, type, _ in
        if type != 6 { return [] }
        pings += 1
        return answers ? [0, 0, 8, 6, 1, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8) : []
      }
      var limits = HTTPLimits()
      limits.stallTime = .milliseconds(50)
      let client = HTTPClient(
        tls: try TLSClient(trust: .authorityFile(Certificate.shared.file), applicationProtocols: ["h2"]), limits: limits
      )
      let response = client.get(url).record()
      if answers {
        try loop.run(until: "several pings") { pings == 3 || response.termination != nil }
        #expect(response.termination == nil)
      } else {
        try loop.run(until: "the end of the connection") { response.termination != nil }
        #expect(pings == 1)
        guard case .timedOut("the server does not answer a ping")? = response.failure else {
          throw TestError("\(response.events)")
        }
      }
    }
  }
}
