import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import TLSStreams

/// A connection between two ends in this process.
extension TLSTests {
  @Test
  static func `a slow reader stops the writer, and a resumed one receives everything`() async throws {
    try await withLoop { loop, bag in
      let (client, server) = try pair(loop, bag)
      let chunk = Bytes(repeating: 7, count: 100_000)
      var written = 0
      func write() {
        while !client.isFull {
          client.write(chunk)
          written += chunk.count
        }
      }
      let received = server.bytes.record()
      received.pause()
      client.readiness.observeNext { if written < 30_000_000 { write() } else { client.finish() } }.dispose(in: bag)
      write()
      var before = -1
      // The system's buffers fill up, and then nothing is written any more.
      try loop.run(until: "the writer waits") {
        defer { before = written }
        return before == written && client.isFull
      }
      #expect(received.elements.isEmpty)
      #expect(client.queuedBytes < 600_000)
      received.resume()
      try loop.run(until: "the end") { received.termination != nil }
      #expect(received.isCompleted)
      #expect(received.elements.reduce(0) { $0 + $1.count } == written && written >= 30_000_000)
    }
  }

  @Test
  static func `each side finishes by itself, and the other one may still write`() async throws {
    try await withLoop { loop, bag in
      let (client, server) = try pair(loop, bag)
      let (atClient, atServer) = (client.bytes.record(), server.bytes.record())
      let finished = client.finishing().record()
      try loop.run(until: "half of it") { atServer.termination != nil && finished.termination != nil }
      #expect(atServer.isCompleted && finished.isCompleted && atClient.termination == nil)
      let written = server.writing("still here").record()
      try loop.run(until: "the bytes") { atClient.elements.joined().elementsEqual(Bytes("still here")) }
      #expect(written.isCompleted)
      server.finish()
      try loop.run(until: "the end") { atClient.termination != nil && client.isDisposed && server.isDisposed }
      #expect(atClient.isCompleted)
    }
  }

  @Test
  static func `what is written during the handshake arrives after it, in order`() async throws {
    try await withLoop { loop, bag in
      var received: Recorder<Bytes, TLSError>?
      let server = Server(
        try TLSServer(Certificates.shared.identity("localhost")), in: bag,
        { connection in
          received = connection.bytes.record()
          return .never()
        })
      let tls = try TLSClient(trust: .authorityFile(Certificates.shared.authority))
      var ready: Recorder<Void, TLSError>?
      var ended: Recorder<Void, TLSError>?
      Operation.connect(to: server.address).observeNext { tcp in
        let connection = tls.secure(tcp, host: "localhost")
        #expect(connection.session == nil && !connection.isFull)
        ready = connection.readiness.record()
        connection.write(Bytes(repeating: 1, count: 300_000))
        #expect(connection.isFull && connection.queuedBytes >= 300_000)
        ended = connection.writing("end").record()
        connection.finish()
      }.dispose(in: bag)
      try loop.run(until: "the end") { received?.termination != nil && ready?.termination != nil }
      let all = Bytes(joining: received?.elements ?? [])
      #expect(all.count == 300_003 && all.suffix(3) == Bytes("end"))
      #expect(received?.isCompleted == true && ended?.isCompleted == true && ready?.isCompleted == true)
      #expect(ready?.elements.isEmpty == false)
    }
  }

  @Test
  static func `a connection that nothing retains sends a close-notify`() async throws {
    try await withLoop { loop, bag in
      var ends: (client: TLSConnection, server: TLSConnection)? = try pair(loop, bag)
      let received = ends!.server.bytes.record()
      ends = nil
      try loop.run(until: "the end") { received.termination != nil }
      #expect(received.isCompleted)
    }
  }

  @Test
  static func `closing ends the bytes, disposing and resetting fail them`() async throws {
    try await withLoop { loop, bag in
      let canceled = TLSError.connection(UVError(code: .canceled, call: "read"))
      let (first, peer) = try pair(loop, bag)
      let closed = first.bytes.record()
      first.close()
      #expect(closed.isCompleted && !first.isDisposed)
      // The connection waits for the peer's end.
      peer.bytes.pipe(to: peer).observe { _ in }.dispose(in: bag)
      try loop.run(until: "the end") { first.isDisposed }
      #expect(closed.isCompleted)
      let (second, atServer) = try pair(loop, bag)
      let disposed = second.bytes.record()
      let cut = atServer.bytes.record()
      atServer.write("x")
      try loop.run(until: "a byte") { disposed.elements == ["x"] }
      second.dispose()
      #expect(disposed.failure == canceled && second.isFull)
      try loop.run(until: "the end") { cut.termination != nil }
      // The client has read the server's tickets, so its system does not reset the connection.
      #expect(cut.failure == .truncated)
      let (third, reset) = try pair(loop, bag)
      let (here, there) = (third.bytes.record(), reset.bytes.record())
      third.reset()
      try loop.run(until: "the end") { there.termination != nil }
      #expect(here.failure == canceled)
      if case .connection(let error)? = there.failure {
        #expect(error.code == .connectionReset)
      } else {
        Issue.record()
      }
      #expect(second.bytes.record().failure == canceled)
      #expect(second.readiness.record().failure == canceled)
    }
  }

  @Test
  static func `a second reader fails, and the first one goes on`() async throws {
    try await withLoop { loop, bag in
      let (client, server) = try pair(loop, bag)
      let first = client.bytes.record()
      #expect(client.bytes.record().failure == .connection(UVError(code: .busy, call: "read")))
      server.write("x")
      try loop.run(until: "the byte") { first.elements == ["x"] }
      first.dispose()
      server.write("y")
      let next = client.bytes.record()
      try loop.run(until: "the next byte") { next.elements == ["y"] }
    }
  }

  @Test
  static func `a shutdown serves encrypted connections to their end, and cuts off the others`() async throws {
    try await withLoop { loop, bag in
      let tls = try TLSServer(Certificates.shared.identity("localhost"))
      let shutdown = try GracefulShutdown(on: [], grace: .milliseconds(100))
      var address = SocketAddress.loopback(port: 0)
      var served: [TLSConnection] = []
      let serving = Operation.listen(on: .loopback(port: 0), bound: { address = $0 })
        .map { tls.secure($0) }
        .serving(until: shutdown) { connection -> Stream<Int> in
          served.append(connection)
          return connection.bytes.pipe(to: connection).toStream(logError: false)
        }
        .record()
      let client = try TLSClient(trust: .authorityFile(Certificates.shared.authority))
      let connected = client.connect(host: "localhost", port: address.port).record()
      try loop.run(until: "the handshake") { connected.termination != nil }
      let received = try #require(connected.elements.first).bytes.record()
      shutdown.begin()
      try loop.run(until: "the end") { serving.termination != nil && received.termination != nil }
      #expect(serving.isCompleted && served.allSatisfy(\.isDisposed))
    }
  }

  @Test
  static func `TLS is ended for a server that speaks none, in both directions`() async throws {
    try await withLoop { loop, bag in
      var plain = SocketAddress.loopback(port: 0)
      Operation.listen(on: .loopback(port: 0), bound: { plain = $0 })
        .flatMap(.merge) { tcp in tcp.bytes.pipe(to: tcp).toStream(logError: false) }
        .observeFailed { Issue.record("\($0)") }
        .dispose(in: bag)
      let server = Server(
        try TLSServer(Certificates.shared.identity("localhost")), in: bag,
        { connection in
          Operation.connect(to: plain).mapError { TLSError($0) }.flatMap(.merge) { tcp in
            Operation.merge([connection.bytes.pipe(to: tcp), tcp.bytes.pipe(to: connection)])
          }
        })
      let client = try Peer.client(server.port, ["-quiet"], input: "through\n")
      try loop.run(until: "the echo") { client.output.contains("through\n") }
      server.connections.first?.close()
      try loop.run(until: "the end") { client.hasEnded }
    }
  }
}
