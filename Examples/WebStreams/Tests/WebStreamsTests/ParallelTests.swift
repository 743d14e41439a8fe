import EventLoops
import Streams
import StreamsTesting
import TLSStreams
import Testing

@testable import WebStreams

/// Many requests on one connection of HTTP/2.
extension WebTests {
  private static func client() throws -> HTTPClient {
    HTTPClient(tls: try TLSClient(trust: .authorityFile(Certificate.shared.file), applicationProtocols: ["h2"]))
  }

  @Test
  static func `requests beyond the limit of a server wait until it is known`() async throws {
    try await withLoop { loop, bag in
      var limits = HTTPLimits()
      limits.concurrentRequests = 10
      var (underWay, most) = (0, 0)
      let server = Server(try Certificate.shared.server, limits: limits, in: bag) { _ in
        underWay += 1
        most = max(most, underWay)
        return Streams.Stream.just(HTTPResponse.text("ok")).delay(for: .milliseconds(20), on: loop.scheduler)
          .doOn(next: { _ in underWay -= 1 })
      }
      let client = try client()
      // Also requests that may not be repeated.
      let bodies = (0..<30).map { number in
        client.send(.init(number % 2 == 0 ? "GET" : "POST", server.url("/", "https"))).flatMap(.latest) { $0.bytes() }
          .record()
      }
      try loop.run(until: "all responses") { bodies.allSatisfy { $0.termination != nil } }
      #expect(bodies.allSatisfy { $0.elements == ["ok"] }, "\(bodies.compactMap(\.failure))")
      #expect(most > 1)
    }
  }

  @Test
  static func `requests that a server takes no more are sent again, whatever their method is`() async throws {
    try await withLoop { loop, bag in
      var answered = 0
      // Each connection takes the streams up to 5, and says so when it gets a later one.
      let url = try serveFrames(in: bag) { _, type, id in
        if type != 1 { return [] }
        if id > 5 { return [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0] }
        answered += 1
        return [0, 0, 1, 1, 5, 0, 0, 0, id, 0x88]
      }
      let client = try client()
      let bodies = (0..<20).map { _ in
        client.send(.init("POST", url, bytes: "x")).flatMap(.latest) { $0.bytes() }.record()
      }
      try loop.run(until: "all responses") { bodies.allSatisfy { $0.termination != nil } }
      #expect(bodies.allSatisfy { $0.isCompleted } && answered == 20, "\(bodies.compactMap(\.failure))")
    }
  }

  @Test
  static func `bodies that nobody reads do not stop the others`() async throws {
    try await withLoop { loop, bag in
      let big = Bytes(repeating: 7, count: 1_000_000)
      var kept: [HTTPRequest] = []
      let server = Server(try Certificate.shared.server, in: bag) { request in
        if request.path == "/echo" { return .just(HTTPResponse(body: request.body)) }
        if request.method == "GET" { return .just(HTTPResponse(bytes: big)) }
        kept.append(request)
        return .never()
      }
      let client = try client()
      // Bodies that the client does not read, and bodies that the server does not read.
      var paused: [Subscription] = []
      for _ in 0..<12 {
        let subscription = client.get(server.url("/", "https")).flatMap(.latest) { $0.body }.observe { _ in }
        subscription.pause()
        paused.append(subscription)
        client.send(.init("POST", server.url("/kept", "https"), bytes: big)).observe { _ in }.dispose(in: bag)
      }
      try loop.run(until: "the requests") { kept.count == 12 }
      let body = client.send(.init("POST", server.url("/echo", "https"), bytes: big)).flatMap(.latest) { $0.bytes() }
        .record()
      try loop.run(until: "the echo") { body.termination != nil }
      #expect(body.elements == [big])
      for subscription in paused { subscription.dispose() }
      kept = []
    }
  }

  @Test
  static func `a request that is disposed while others begin is not sent`() async throws {
    try await withLoop { loop, bag in
      var paths: [String] = []
      let server = Server(try Certificate.shared.server, in: bag) { request in
        paths.append(request.path)
        return .just(.text("ok"))
      }
      let client = try client()
      var last: Subscription?
      let first = client.get(server.url("/one", "https")).flatMap(.latest) { $0.bytes() }.record()
      let second = client.send(
        .init("POST", server.url("/two", "https"), body: Operation<Bytes, TestError>.failed(TestError("no file")))
      ).observe(next: { _ in }, termination: { _ in last?.dispose() })
      last = client.send(.init("POST", server.url("/three", "https"), bytes: "x"))
        .observe(next: { _ in }, termination: { _ in })
      try loop.run(until: "the first") { first.termination != nil }
      let next = client.get(server.url("/four", "https")).flatMap(.latest) { $0.bytes() }.record()
      try loop.run(until: "the last") { next.termination != nil }
      #expect(first.isCompleted && second.isDisposed && !paths.contains("/three"), "\(paths)")
      last = nil
    }
  }

  @Test
  static func `a request that a server always refuses fails, although others are answered`() async throws {
    try await withLoop { loop, bag in
      var refused = 0
      let url = try serveFrames(in: bag) { _, type, id in
        if type != 1 { return [] }
        // Every third request is refused.
        if id % 3 != 0 { return [0, 0, 1, 1, 5, 0, 0, 0, id, 0x88] }
        refused += 1
        return [0, 0, 4, 3, 0, 0, 0, 0, id, 0, 0, 0, 7]
      }
      let client = try client()
      let bodies = (0..<60).map { _ in client.get(url).flatMap(.latest) { $0.bytes() }.record() }
      try loop.run(until: "the ends") { bodies.allSatisfy { $0.termination != nil } }
      #expect(refused <= 60 * 5 && bodies.contains { $0.isCompleted })
    }
  }

  @Test
  static func `a server that never says what it takes fails all requests together`() async throws {
    try await withLoop { loop, bag in
      let certificate = Certificate.shared
      let tls = try TLSServer(
        TLSIdentity(certificateFile: certificate.file, keyFile: certificate.key), applicationProtocols: ["h2"])
      var connections: [TLSConnection] = []
      let port = try listen(in: bag) { tcp in
        connections.append(tls.secure(tcp))
        connections.last?.bytes.observe(next: { _ in }, termination: { _ in }).dispose(in: bag)
      }
      var limits = HTTPLimits()
      limits.stallTime = .milliseconds(50)
      let client = HTTPClient(
        tls: try TLSClient(trust: .authorityFile(certificate.file), applicationProtocols: ["h2"]), limits: limits)
      let responses = (0..<10).map { _ in client.get("https://localhost:\(port)/").record() }
      try loop.run(until: "the ends") { responses.allSatisfy { $0.termination != nil } }
      for response in responses {
        guard case .timedOut? = response.failure else { throw TestError("\(response.events)") }
      }
      #expect(connections.count == 1)
    }
  }

  @Test
  static func `the connections of a released client close when they are idle`() async throws {
    try await withLoop { loop, bag in
      let server = Server(in: bag) { _ in .just(.text("ok")) }
      var client: HTTPClient? = try client()
      let bodies = (0..<5).map { _ in client!.get(server.url("/")).flatMap(.latest) { $0.bytes() }.record() }
      client = nil
      try loop.run(until: "the ends of the connections") { server.ends.count == 5 }
      #expect(bodies.allSatisfy { $0.elements == ["ok"] })
    }
  }

  @Test
  static func `the parts of a cookie are one field`() async throws {
    try await withLoop { loop, bag in
      let server = Server(try Certificate.shared.server, in: bag) { request in
        .just(.text((request.headers["Cookie"] ?? "") + "|" + (request.headers["X"] ?? "")))
      }
      var headers: HTTPHeaders = ["Cookie": "theme=dark", "X": "y"]
      headers.add("cookie", "session=abc")
      headers.add("Cookie", "c=d")
      let body = try client().get(server.url("/", "https"), headers: headers).flatMap(.latest) { $0.bytes() }.record()
      try loop.run(until: "the response") { body.termination != nil }
      #expect(body.elements == ["theme=dark; session=abc; c=d|y"])
    }
  }

  @Test(
    arguments: [
      ("data of no request", [0, 0, 1, 0, 0, 0, 0, 0, 0, 0x88]),
      ("a window of nothing", [0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0, 0, 0]),
      ("a frame of a wrong size", [0, 0, 1, 4, 0, 0, 0, 0, 0, 1]),
      ("a header that cannot be decoded", [0, 0, 1, 1, 5, 0, 0, 0, 1, 0xFF]),
      ("no status", [0, 0, 3, 1, 5, 0, 0, 0, 1, 0x40, 0x01, 0x78]),
      ("nothing of HTTP/2", Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
      // The number of bytes is 3 in the header, and 1 in the body.
      ("a wrong length", [0, 0, 5, 1, 4, 0, 0, 0, 1, 0x88, 0x0F, 0x0D, 1, 0x33, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0x78]),
    ] as [(String, [UInt8])])
  static func `what a server does wrong is told as its fault`(_ what: String, _ frames: [UInt8]) async throws {
    try await withLoop { loop, bag in
      let url = try serveFrames(in: bag) { _, type, _ in type == 1 ? frames : [] }
      let body = try client().get(url).flatMap(.latest) { $0.bytes() }.record()
      try loop.run(until: what) { body.termination != nil }
      guard case .malformed(let text)? = body.failure else { throw TestError("\(what): \(body.events)") }
      #expect(!text.isEmpty)
    }
  }

  @Test(arguments: ["h2", "http/1.1"])
  static func `a body that fails, or has another length, fails its request`(_ version: String) async throws {
    try await withLoop { loop, bag in
      let server = Server(try Certificate.shared.server, in: bag) { _ in .never() }
      let client = HTTPClient(
        tls: try TLSClient(trust: .authorityFile(Certificate.shared.file), applicationProtocols: [version]))
      for body in [Operation<Bytes, TestError>.failed(TestError("no file")), .just("abc")] {
        let response = client.send(.init("POST", server.url("/", "https"), body: body, count: 10)).record()
        try loop.run(until: "the failure") { response.termination != nil }
        guard case .bodyFailed? = response.failure else { throw TestError("\(response.events)") }
      }
    }
  }
}
