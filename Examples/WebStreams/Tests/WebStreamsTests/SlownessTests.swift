import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import WebStreams

/// Clients that are slow, and clients that only seem to be.
extension WebTests {
  /// Reads up to 64 KiB each time that `interval` has passed.
  private final class SlowReader {
    private(set) var count = 0
    private(set) var hasEnded = false
    private var reading: Subscription?

    init(_ tcp: TCPHandle, _ interval: Duration, in bag: DisposeBag) {
      let reading = tcp.bytes.observe(
        next: { [self] bytes in
          count += bytes.count
          self.reading?.pause()
        }, termination: { [self] _ in hasEnded = true })
      self.reading = reading
      reading.pause()
      reading.dispose(in: bag)
      Stream<Int>.interval(interval, on: tcp.loop.scheduler).observeNext { _ in reading.resume() }.dispose(in: bag)
    }
  }

  private static func connect(
    _ server: Server, _ request: String, in bag: DisposeBag, _ then: @escaping (TCPHandle) -> Void
  ) {
    Operation<TCPHandle, UVError>.connect(to: server.address).observeNext { tcp in
      tcp.write(Bytes(request))
      then(tcp)
    }.dispose(in: bag)
  }

  @Test
  static func `the time limit of a response begins when the client takes nothing`() async throws {
    try await withLoop { loop, bag in
      var limits = HTTPLimits()
      limits.stallTime = .milliseconds(800)
      let part = Bytes([UInt8](repeating: 7, count: 1_000_000))
      let server = Server(limits: limits, in: bag) { _ in
        let body = Stream<Bytes>.sequence([Bytes](repeating: part, count: 40))
        return Stream<HTTPResponse>.just(HTTPResponse(body: body)).delay(for: .milliseconds(700), on: loop.scheduler)
      }
      var reader: SlowReader?
      connect(server, "GET / HTTP/1.0\r\n\r\n", in: bag) { tcp in
        // The time limit since the request is over before the client reads.
        _ = loop.scheduler.schedule(after: .milliseconds(1_000)) {
          reader = SlowReader(tcp, .milliseconds(1), in: bag)
        }
      }
      try loop.run(until: "the body, not only \(reader?.count ?? 0) bytes") { reader?.hasEnded == true }
      #expect(reader?.count ?? 0 > 40_000_000 && server.failures.isEmpty, "\(server.failures)")
    }
  }

  @Test(arguments: ["1.0", "1.1"])
  static func `a large response is sent to a slow client before the connection closes`(_ version: String) async throws {
    try await withLoop { loop, bag in
      var limits = HTTPLimits()
      (limits.idleTime, limits.stallTime) = (.seconds(2), .seconds(2))
      let server = Server(limits: limits, in: bag) { _ in
        .just(HTTPResponse(bytes: Bytes([UInt8](repeating: 7, count: 60_000_000))))
      }
      var reader: SlowReader?
      connect(server, "GET / HTTP/\(version)\r\nHost: a\r\n\r\n", in: bag) { tcp in
        // Longer than the connection waits for the client when it closes.
        reader = SlowReader(tcp, .milliseconds(7), in: bag)
      }
      try loop.run(until: "the body") { reader?.hasEnded == true }
      #expect(reader?.count ?? 0 > 60_000_000 && server.failures.isEmpty, "\(reader?.count ?? 0), \(server.failures)")
    }
  }

  @Test
  static func `HTTP/2: pings do not replace taking a response`() async throws {
    try await withLoop { loop, bag in
      var limits = HTTPLimits()
      limits.stallTime = .milliseconds(300)
      let server = Server(limits: limits, in: bag) { _ in .just(.text("hello")) }
      // The window of each stream is empty.
      let settings: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]
      let get: [UInt8] = [0, 0, 6, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84, 0x41, 0x01, 0x61]
      let client = Raw(server, [HTTP2Session.preface + Bytes(settings + get)], in: bag)
      let ping = Bytes([0, 0, 8, 6, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 8))
      Stream<Int>.interval(.milliseconds(20), on: loop.scheduler).observeNext { _ in client.connection?.write(ping) }
        .dispose(in: bag)
      try loop.run(until: "the end") { server.ends.count == 1 }
      guard case .timedOut? = server.failures.first else {
        Issue.record("\(server.ends)")
        return
      }
    }
  }
}
