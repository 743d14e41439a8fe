import EventLoops
import Glibc
import Streams
import StreamsTesting
import TLSStreams
import Testing

@testable import WebStreams

/// Servers that do not do what they should, and what the client receives.
extension WebTests {
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
}
