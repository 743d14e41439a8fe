import EventLoops
import Glibc
import Streams
import StreamsTesting
import TLSStreams
import Testing

@testable import WebStreams

/// The client, with nginx and with the server of this package.
extension WebTests {
  private static func client(idleTime: Duration = .seconds(60)) throws -> HTTPClient {
    var limits = HTTPLimits()
    limits.idleTime = idleTime
    return HTTPClient(
      tls: try TLSClient(
        trust: .authorityFile(Certificate.shared.file), applicationProtocols: ["h2", "http/1.1"]), limits: limits)
  }

  /// Sends a request and collects its response.
  private static func fetch(
    _ client: HTTPClient, _ request: HTTPClient.Request, _ loop: Loop
  ) throws -> (status: Int, version: HTTPVersion, headers: HTTPHeaders, body: Bytes) {
    var response: HTTPClient.Response?
    let body = client.send(request).doOn(next: { response = $0 }).flatMap(.latest) { $0.bytes() }.record()
    try loop.run(until: "\(request.method) \(request.url)") { body.termination != nil }
    if let error = body.failure { throw error }
    let received = try #require(response)
    return (received.status, received.version, received.headers, body.elements.first ?? Bytes())
  }

  /// nginx, with HTTP/1.1 and HTTP/2, on ports of its own.
  private static func nginx(
    _ loop: Loop, _ bag: DisposeBag, _ body: (_ plain: UInt16, _ secure: UInt16, _ old: UInt16) throws -> Void
  ) throws {
    let folder = Certificate.shared.folder
    let ports = try (0..<3).map { _ in
      let listener = try TCPListener(on: .loopback(port: 0))
      defer { listener.dispose() }
      return listener.address.port
    }
    let certificate = "ssl_certificate \(folder)/cert.pem; ssl_certificate_key \(folder)/key.pem;"
    let locations = """
      root \(folder); location /hello { return 200 "hello\\n"; } location /moved { return 302 /hello; }
      location /upload { proxy_pass http://127.0.0.1:\(ports[0])/hello; }
      """
    let configuration = """
      user root; daemon off; worker_processes 1; pid \(folder)/nginx.pid; error_log stderr error;
      events { worker_connections 256; }
      http {
        access_log off; client_max_body_size 100m; client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
        fastcgi_temp_path \(folder)/fastcgi; uwsgi_temp_path \(folder)/uwsgi; scgi_temp_path \(folder)/scgi;
        server { listen 127.0.0.1:\(ports[0]); keepalive_requests 3; \(locations) }
        server { listen 127.0.0.1:\(ports[1]) ssl http2; http2_max_concurrent_streams 5; keepalive_requests 7;
            \(certificate) \(locations) }
        server { listen 127.0.0.1:\(ports[2]) ssl; \(certificate) \(locations) }
      }
      """
    let path = "\(folder)/nginx.conf"
    let file = try #require(fopen(path, "w"))
    fputs(configuration, file)
    fclose(file)
    let server = try Peer(["nginx", "-e", "stderr", "-c", path])
    defer { try? server.process.kill(.terminate) }
    var isUp = false
    Operation<TCPHandle, UVError>.connect(to: .loopback(port: ports[2]))
      .retry(500, delay: .milliseconds(20))
      .observeNext {
        isUp = true
        $0.dispose()
      }.dispose(in: bag)
    try loop.run(until: "nginx \(server.errors)") { isUp || server.hasEnded }
    #expect(isUp, "\(server.errors)")
    try body(ports[0], ports[1], ports[2])
  }

  @Test
  static func `nginx answers the client in HTTP/1.1 and HTTP/2`() async throws {
    try await withLoop { loop, bag in
      try makeFile("\(Certificate.shared.folder)/file", count: 3_000_000)
      try nginx(loop, bag) { plain, secure, old in
        let client = try client()
        for (origin, version) in [
          ("http://localhost:\(plain)", HTTPVersion.http11), ("https://localhost:\(secure)", .http2),
          ("https://localhost:\(old)", .http11),
        ] {
          // More than the connection may serve, which nginx limits to three requests.
          for _ in 0..<8 {
            let hello = try fetch(client, .init("GET", "\(origin)/hello"), loop)
            #expect(hello.status == 200 && hello.version == version && hello.body == "hello\n")
          }
          // With HTTP/2, also more than it takes at the same time. It is told as the connection begins.
          let bodies = (0..<30).map { _ in client.get("\(origin)/hello").flatMap(.latest) { $0.bytes() }.record() }
          try loop.run(until: "parallel requests") { bodies.allSatisfy { $0.termination != nil } }
          #expect(bodies.allSatisfy { $0.elements == ["hello\n"] }, "\(bodies.compactMap(\.failure))")
          let head = try fetch(client, .init("HEAD", "\(origin)/file"), loop)
          #expect(head.body.isEmpty && head.headers["content-length"] == "3000000")
          #expect(try fetch(client, .init("GET", "\(origin)/file"), loop).body == bytes(3_000_000))
          let moved = try fetch(client, .init("GET", "\(origin)/moved"), loop)
          #expect(moved.status == 302 && moved.headers["Location"]?.hasSuffix("/hello") == true)
          #expect(try fetch(client, .init("GET", "\(origin)/none?a=b"), loop).status == 404)
          let parts = Stream<Bytes>.sequence(repeatElement(Bytes(repeating: 1, count: 10_000), count: 300))
          for count in [nil, Int64(3_000_000)] {
            let sent = try fetch(client, .init("POST", "\(origin)/upload", body: parts, count: count), loop)
            #expect(sent.body == "hello\n", "\(origin): \(sent)")
          }
          // All at the same time.
          let all = (0..<50).map { _ in client.get("\(origin)/file").flatMap(.latest) { $0.bytes() }.record() }
          try loop.run(until: "fifty responses") { all.allSatisfy { $0.termination != nil } }
          #expect(all.allSatisfy { $0.elements.first?.count == 3_000_000 })
        }
      }
    }
  }

  @Test(arguments: ["http", "https"])
  static func `what is disposed is canceled, and nothing else`(_ scheme: String) async throws {
    try await withLoop { loop, bag in
      let source = PushStream<Bytes>()
      var left = 0
      let server = Server(scheme == "https" ? try Certificate.shared.server : nil, in: bag) { request in
        switch request.path {
        case "/never": Stream.never().doOn(disposed: { left += 1 })
        case "/pushed": .just(HTTPResponse(body: source))
        default: .just(.text("hello"))
        }
      }
      let client = try client()
      // Before the response.
      let waiting = client.get(server.url("/never", scheme)).observeNext { _ in }
      try loop.run(until: "the request") { server.requests.count == 1 }
      waiting.dispose()
      try loop.run(until: "the server to be told") { left == 1 }
      // In the middle of a body, beside another one.
      let (first, second) = (
        client.get(server.url("/pushed", scheme)).flatMap(.latest) { $0.body }.record(),
        client.get(server.url("/pushed", scheme)).flatMap(.latest) { $0.body }.record()
      )
      try loop.run(until: "the requests") { source.observerCount == 2 }
      source.next("one ")
      try loop.run(until: "the first part") { first.elements.count == 1 && second.elements.count == 1 }
      first.dispose()
      try loop.run(until: "the server to be told") { source.observerCount == 1 }
      // A response that is released.
      client.get(server.url("/pushed", scheme)).observeNext { #expect($0.status == 200) }.dispose(in: bag)
      try loop.run(until: "the requests") { server.requests.count == 4 }
      source.next("two")
      try loop.run(until: "the server to be told") { source.observerCount == 1 }
      source.terminate(.completed)
      try loop.run(until: "the end") { second.termination != nil }
      #expect(second.isCompleted && Bytes(joining: second.elements) == "one two")
      #expect(try fetch(client, .init("GET", server.url("/", scheme)), loop).body == "hello")
      // With HTTP/2, one connection has carried all of it.
      if scheme == "https" { #expect(server.ends.isEmpty) }
    }
  }

  @Test(arguments: ["http", "https"])
  static func `a response before the end of the request's body ends the body on both sides`(
    _ scheme: String
  ) async throws {
    try await withLoop { loop, bag in
      var body: Recorder<Bytes, HTTPError>?
      let answers = PushStream<HTTPResponse>()
      let server = Server(scheme == "https" ? try Certificate.shared.server : nil, in: bag) { request in
        if request.path == "/other" { return .just(.text("enough", 413)) }
        body = request.body.record()
        return answers.take(1).toStream()
      }
      let source = PushStream<Bytes>()
      let client = try client()
      let response = client.send(.init("POST", server.url("/", scheme), body: source))
        .flatMap(.latest) { $0.bytes() }.record()
      try loop.run(until: "the request") { source.observerCount == 1 && answers.observerCount == 1 }
      source.next("something")
      answers.next(.text("enough", 413))
      try loop.run(until: "the end of both bodies") {
        body?.termination != nil && response.termination != nil && source.observerCount == 0
      }
      #expect(response.elements == ["enough"] && response.isCompleted, "\(response.events)")
      #expect(body?.failure != nil && Bytes("something").starts(with: Bytes(joining: body?.elements ?? [])))
      // The server goes on.
      #expect(try fetch(client, .init("GET", server.url("/other", scheme)), loop).status == 413)
    }
  }

  @Test
  static func `a response that is not taken slows the server down`() async throws {
    try await withLoop { loop, bag in
      var sent = 0
      let server = Server(try Certificate.shared.server, in: bag) { _ in
        let endless = Stream<Bytes>.sequence(repeatElement(Bytes(repeating: 7, count: 10_000), count: 1_000_000))
        return .just(HTTPResponse(body: endless.doOn(next: { sent += $0.count })))
      }
      let client = try client()
      var received = 0
      let body = client.get(server.url("/", "https")).flatMap(.latest) { $0.body }.observeNext { received += $0.count }
      try loop.run(until: "bytes") { received > 100_000 }
      body.pause()
      var (last, since) = (0, ContinuousClock.now)
      try loop.run(until: "the server waits") {
        if sent != last { (last, since) = (sent, .now) }
        return ContinuousClock.now - since > .milliseconds(200)
      }
      #expect(sent - received < 2_000_000)
      let before = received
      body.resume()
      try loop.run(until: "more bytes") { received > before + 1_000_000 }
      body.dispose()
    }
  }

  @Test
  static func `each failure has its error`() async throws {
    try await withLoop { loop, bag in
      let client = try client()
      func failure(_ url: String, limit: Int = 1_000) throws -> HTTPError? {
        let body = client.get(url).flatMap(.latest) { $0.bytes(limit: limit) }.record()
        try loop.run(until: url) { body.termination != nil }
        return body.failure
      }
      for url in ["", "/", "localhost", "ftp://a/", "http://a b/", "http://u:p@a/"] {
        guard case .invalidRequest? = try failure(url) else {
          Issue.record("\(url)")
          continue
        }
      }
      for request in [
        HTTPClient.Request("GE T", "http://a/"), HTTPClient.Request("GET", "http://a/", headers: ["X": "a\r\nY: b"]),
      ] {
        let response = client.send(request).record()
        guard case .invalidRequest? = response.failure else {
          Issue.record("\(response.events)")
          continue
        }
      }
      // Port 1 has no server.
      guard case .connection(let error)? = try failure("http://127.0.0.1:1/") else { throw TestError("no error") }
      #expect((error as? UVError)?.code == .connectionRefused)
      // What a server can do wrong.
      for (response, isExpected): (Bytes, (HTTPError) -> Bool) in [
        ("nonsense\r\n\r\n", { if case .malformed = $0 { true } else { false } }),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na", { if case .disconnected = $0 { true } else { false } }),
        (
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
          { if case .disconnected = $0 { true } else { false } }
        ),
        ("", { if case .disconnected = $0 { true } else { false } }),
        (
          "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n\(String(repeating: "x", count: 2000))",
          { if case .tooLarge(1_000) = $0 { true } else { false } }
        ),
        (
          "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 70_000))\r\n\r\n",
          { if case .malformed = $0 { true } else { false } }
        ),
      ] as [(Bytes, (HTTPError) -> Bool)] {
        var address = SocketAddress.loopback(port: 0)
        let server = Operation<TCPHandle, UVError>.listen(on: address, bound: { address = $0 })
          .flatMap(.merge) { tcp in
            tcp.bytes.first().flatMap(.merge) { _ -> Operation<Bytes, UVError> in
              tcp.write(response)
              tcp.finish()
              return .completed()
            }
          }
          .observe { _ in }
        let error = try failure("http://127.0.0.1:\(address.port)/")
        #expect(error.map(isExpected) == true, "\(response.prefix(40)): \(String(describing: error))")
        server.dispose()
      }
      // Without a length, the end of the connection is the end of the body.
      let untrusting = try HTTPClient()
      let server = Server(try Certificate.shared.server, in: bag) { _ in .just(.text("hello")) }
      let refused = untrusting.get(server.url("/", "https")).record()
      try loop.run(until: "the refusal") { refused.termination != nil }
      guard case .connection(let error)? = refused.failure else { throw TestError("\(refused.events)") }
      #expect(error is TLSError)
    }
  }

  @Test
  static func `a kept connection keeps no loop alive, and one that the server has closed is replaced`() async throws {
    try await withLoop { loop, bag in
      var accepted = 0
      var address = SocketAddress.loopback(port: 0)
      // It closes each connection after a response, without saying so.
      let server = Operation<TCPHandle, UVError>.listen(on: address, bound: { address = $0 })
        .flatMap(.merge) { tcp -> Operation<Bytes, UVError> in
          accepted += 1
          var count = 0
          return tcp.bytes.doOn(next: { _ in
            count += 1
            if count == 1 { tcp.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") } else { tcp.dispose() }
          }).flatMapError { _ in .completed() }
        }
        .observe { _ in }
      let client = try client()
      let url = "http://127.0.0.1:\(address.port)/"
      for _ in 0..<3 { #expect(try fetch(client, .init("GET", url), loop).body == "ok") }
      #expect(accepted == 3)
      // Not repeated: a POST could be done twice.
      let post = client.send(.init("POST", url, bytes: "x")).record()
      try loop.run(until: "the failure") { post.termination != nil }
      guard case .disconnected? = post.failure else { throw TestError("\(post.events)") }
      #expect(try fetch(client, .init("GET", url), loop).body == "ok")
      server.dispose()
      loop.run()
      withExtendedLifetime(client) {}
    }
  }
}
