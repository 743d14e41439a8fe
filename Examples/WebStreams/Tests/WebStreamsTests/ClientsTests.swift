import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import WebStreams

/// The server, with clients of other projects.
extension WebTests {
  /// How curl speaks each version, with TLS and without.
  static let versions: [(options: [String], scheme: String)] = [
    (["--http1.1"], "http"), (["--http1.1"], "https"), (["--http2-prior-knowledge"], "http"), (["--http2"], "https"),
    // Asks for HTTP/2 in a request of HTTP/1.1, and gets an answer in HTTP/1.1.
    (["--http2"], "http"), (["--http1.0"], "http"),
  ]

  private static func server(_ scheme: String, in bag: DisposeBag) throws -> Server {
    Server(scheme == "https" ? try Certificate.shared.server : nil, in: bag) { request in
      switch request.path {
      case "/": .just(.text("hello\n"))
      case "/echo": .just(HTTPResponse(body: request.body))
      case "/known": .just(HTTPResponse(body: Stream<Bytes>.sequence(["one ", "two"]), count: 7))
      case "/empty": .just(HTTPResponse(204))
      default: .just(.text("\(request.method) \(request.path) \(request.queryItems)", 404))
      }
    }
  }

  @Test(arguments: versions.indices)
  static func `curl's requests are answered in each version`(_ index: Int) async throws {
    try await withLoop { loop, bag in
      let (options, scheme) = versions[index]
      let server = try server(scheme, in: bag)
      let big = "\(Certificate.shared.folder)/big"
      try Self.makeFile(big, count: 3_000_000)
      func curl(_ more: [String]) throws -> Peer {
        let curl = try Peer.curl(options + more)
        try loop.run(until: "curl \(options + more)") { curl.hasEnded }
        #expect(curl.hasSucceeded, "\(options + more): \(curl.errors)")
        return curl
      }
      #expect(try curl([server.url("/", scheme)]).output == "hello\n")
      let head = try curl(["-I", server.url("/", scheme)]).output.lowercased()
      #expect(head.contains(" 200") && head.contains("content-length: 6\r\n") && head.contains("date: "))
      #expect(try curl([server.url("/known", scheme)]).output == "one two")
      #expect(
        try curl(["-w", "%{http_code}", "-X", "DELETE", server.url("/a%20b?c=d+e&f", scheme)]).output
          == #"DELETE /a b [(name: "c", value: "d e"), (name: "f", value: "")]404"#)
      #expect(try curl(["-w", "%{http_code}", server.url("/empty", scheme)]).output == "204")
      // With its length, and without, of which HTTP/1.0 is incapable.
      let sent = try curl(["--data-binary", "@\(big)", server.url("/echo", scheme)])
      #expect(sent.bytes == Self.bytes(3_000_000))
      if options != ["--http1.0"] {
        let streamed = try curl([
          "-X", "POST", "-H", "Transfer-Encoding: chunked", "-T", big, server.url("/echo", scheme),
        ])
        #expect(streamed.bytes == Self.bytes(3_000_000))
      }
      // One connection serves several requests. curl 7.88 fails its second one with prior knowledge, also with nginx.
      if options != ["--http1.0"], options != ["--http2-prior-knowledge"] {
        let twice = try curl(["-w", "%{num_connects}\n", server.url("/", scheme), server.url("/", scheme)])
        #expect(twice.output == "hello\n1\nhello\n0\n")
      }
      #expect(server.failures.isEmpty, "\(server.failures)")
    }
  }

  /// The bytes of a body, which differ at each place.
  static func bytes(_ count: Int) -> Bytes { Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }) }

  static func makeFile(_ path: String, count: Int) throws {
    let file = try #require(fopen(path, "w"))
    bytes(count).withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
    fclose(file)
  }

  @Test(arguments: ["http", "https"])
  static func `h2load's ten thousand requests succeed`(_ scheme: String) async throws {
    try await withLoop { loop, bag in
      let server = try server(scheme, in: bag)
      let load = try Peer(["h2load", "-n", "10000", "-c", "20", "-m", "10", server.url("/", scheme)])
      try loop.run(until: "h2load") { load.hasEnded }
      #expect(load.output.contains("10000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(load.output)")
      let posts = try Peer([
        "h2load", "-n", "200", "-c", "4", "-m", "10", "-d", "\(Certificate.shared.file)", server.url("/echo", scheme),
      ])
      try loop.run(until: "h2load") { posts.hasEnded }
      #expect(posts.output.contains("200 succeeded, 0 failed, 0 errored, 0 timeout"), "\(posts.output)")
      try loop.run(until: "the end of the connections") { server.ends.count == 24 }
      #expect(server.failures.isEmpty, "\(server.failures)")
    }
  }

  @Test(arguments: ["ws", "wss"])
  static func `python's WebSocket client is served, and each end has its code`(_ scheme: String) async throws {
    try await withLoop { loop, bag in
      var codes: [UInt16?] = []
      let server = Server(scheme == "wss" ? try Certificate.shared.server : nil, in: bag) { request in
        .just(
          .webSocket(for: request, protocols: ["echo"]) { socket in
            socket.messages.doOn(next: { if $0 == .text("leave") { socket.close(code: 4000, reason: "as you wish") } })
              .doOn(disposed: { codes.append(socket.closeCode) })
              .pipe(to: socket).toStream(logError: false)
          })
      }
      let client = try Peer([
        "/usr/bin/python3", "-c",
        """
        import asyncio, ssl, sys, websockets
        async def main(url, certificate):
            context = ssl.create_default_context(cafile=certificate) if url.startswith("wss") else None
            def connect(): return websockets.connect(url, ssl=context, max_size=None, subprotocols=["other", "echo"])
            async with connect() as socket:
                for message in ["hello", "", "ü" * 1000, b"", b"x" * 1000000]:
                    await socket.send(message)
                    assert await socket.recv() == message
                for index in range(1000): await socket.send(str(index))
                for index in range(1000): assert await socket.recv() == str(index)
                await (await socket.ping())
                await socket.send(["in ", "three ", "parts"])
                print(socket.subprotocol, await socket.recv())
            print(socket.close_code)
            async with connect() as socket:
                await socket.send("leave")
                try: print(await socket.recv(), await socket.recv())
                except websockets.ConnectionClosed as error: print(error.code, error.reason)
            async with connect() as socket:
                await socket.send(b"x" * 1048577)
                try: await socket.recv()
                except websockets.ConnectionClosed as error: print(error.code)
        asyncio.run(main(sys.argv[1], sys.argv[2]))
        """, server.url("/", scheme), Certificate.shared.file,
      ])
      try loop.run(until: "python") { client.hasEnded }
      #expect(client.output == "echo in three parts\n1000\n4000 as you wish\n1009\n", "\(client.errors)")
      try loop.run(until: "the end of the connections") { server.ends.count == 3 }
      #expect(codes.prefix(2) == [1000, 4000])
    }
  }

  @Test(arguments: versions.indices.dropLast())
  static func `events are sent as they happen`(_ index: Int) async throws {
    try await withLoop { loop, bag in
      let (options, scheme) = versions[index]
      let source = PushStream<ServerSentEvent>()
      let server = Server(scheme == "https" ? try Certificate.shared.server : nil, in: bag) { _ in
        .just(.events(source))
      }
      let curl = try Peer.curl(options + ["-N", server.url("/", scheme)])
      try loop.run(until: "the request") { source.observerCount == 1 }
      source.next("one")
      try loop.run(until: "the first event") { curl.output == "data: one\n\n" }
      source.next(ServerSentEvent("two\nlines", name: "na\nme", id: "7"))
      try loop.run(until: "the second event") {
        curl.output == "data: one\n\nevent: na\nid: 7\ndata: two\ndata: lines\n\n"
      }
      try curl.process.kill(.terminate)
      try loop.run(until: "the source is left") { source.observerCount == 0 && server.ends.count == 1 }
    }
  }
}
