import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("TCP", .noLiveResources)
struct TCPTests {
  @Test func `a connection carries bytes both ways, and closes when both sides have finished`() async throws {
    let (received, isClosed) = try await withLoop { loop, bag in
      let listener = try TCPListener(on: .loopback(port: 0))
      var served: TCPHandle?
      listener.connections.observeNext { connection in
        served = connection
        connection.bytes.observe(
          next: { connection.write($0) }, termination: { _ in connection.finish() }
        ).dispose(in: bag)
      }.dispose(in: bag)
      var received: [String] = []
      Operation.connect(to: listener.address).observeNext { connection in
        connection.write("hello")
        connection.finish()
        connection.bytes.observe(
          next: { received.append(String($0)) },
          termination: { end in
            #expect(end == .completed)
            connection.onClosed { loop.stop() }
          }
        ).dispose(in: bag)
      }.dispose(in: bag)
      loop.run()
      // Only the listener and the client keep the loop alive, and the client is about to close.
      bag.dispose()
      listener.dispose()
      loop.run()
      return (received.joined(), served?.isDisposed == true)
    }
    #expect(received == "hello" && isClosed)
  }

  @Test func `IPv6, and addresses of both sides`() async throws {
    try await withLoop { loop, bag in
      let listener = try TCPListener(on: .loopbackIPv6(port: 0))
      #expect(listener.address.port != 0 && listener.address.family == .ipv6)
      listener.connections.observeNext { connection in
        do {
          #expect(try connection.localAddress() == listener.address)
          #expect(try connection.remoteAddress().host == "::1")
          try connection.setNoDelay(false)
          try connection.setKeepAlive(.seconds(30))
          try connection.setKeepAlive(nil)
          try connection.setSendBufferSize(100_000)
          #expect(try connection.sendBufferSize() >= 100_000)
          try connection.setReceiveBufferSize(100_000)
          #expect(try connection.receiveBufferSize() >= 100_000)
          #expect(try connection.descriptor() >= 0)
        } catch { Issue.record(error) }
        connection.dispose()
        connection.dispose()
        #expect(throws: UVError.self) { try connection.setNoDelay(true) }
        listener.dispose()
      }.dispose(in: bag)
      Operation.connect(to: listener.address).observeNext { connection in
        #expect((try? connection.remoteAddress()) == listener.address)
        connection.close()
      }.dispose(in: bag)
      loop.run()
    }
  }

  @Test func `nobody there: one error, with the call and the address`() async throws {
    let events = try await withLoop { loop, bag in
      // The port of a listener that was closed could belong to a listener of another test by now.
      let nobody = try Refusing()
      let address = nobody.address
      var events: [String] = []
      Operation.connect(to: address).observe(
        next: { _ in events.append("connected") },
        termination: { end in
          events.append(end.failure.map { "\($0.call) \($0.name) \($0.path == address.description)" } ?? "-")
        }
      ).dispose(in: bag)
      loop.run()
      withExtendedLifetime(nobody) {}
      return events
    }
    #expect(events == ["uv_tcp_connect ECONNREFUSED true"])
  }

  @Test func `raw reading: a reader is called with what comes, writes back, and is told the end`() async throws {
    final class Echo: ByteReader {
      let connection: TCPHandle
      init(_ connection: TCPHandle) { self.connection = connection }
      override func received(_ bytes: RawSpan) {
        #expect(!connection.hasReadEnd)
        connection.write(copying: bytes)
      }
      override func ended(_ end: Termination<UVError>) {
        #expect(end == .completed && connection.hasReadEnd)
        connection.close()
      }
    }
    let text = try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      near.startReading(Echo(near))
      var text = ""
      far.write("ping")
      far.bytes.observe(
        next: {
          text += String($0)
          if text.count == 4 { far.write(" pong") }
          if text == "ping pong" { far.finish() }
        }, termination: { end in text += end == .completed ? "." : "!" }
      ).dispose(in: bag)
      loop.run()
      return text
    }
    #expect(text == "ping pong.")
  }

  @Test func `what does not go out at once is queued, in order, and full and roomy are told`() async throws {
    let (sent, received, log) = try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      near.watermarks = Watermarks(high: 1_000_000, low: 100_000)
      var log: [String] = []
      near.readiness.observe(
        next: { log.append("room, \(near.isFull)") }, termination: { log.append("\($0)") }
      ).dispose(in: bag)
      var sent = 0
      var number: UInt64 = 0
      while !near.isFull {
        let bytes = Bytes(unsafeUninitializedCapacity: 80_000) { room in
          for index in 0..<10_000 {
            room.storeBytes(of: number, toByteOffset: index * 8, as: UInt64.self)
            number += 1
          }
          return 80_000
        }
        near.write(bytes)
        sent += bytes.count
      }
      #expect(near.queuedBytes >= 1_000_000 && near.queuedBytes < 1_080_000)
      near.finish()
      var received = Bytes()
      var parts: [Bytes] = []
      far.bytes.observe(next: { parts.append($0) }, termination: { _ in far.close() }).dispose(in: bag)
      loop.run()
      received = Bytes(joining: parts)
      received.withUnsafeBytes { bytes in
        let isInOrder = (0..<bytes.count / 8).allSatisfy { bytes.load(fromByteOffset: $0 * 8, as: UInt64.self) == $0 }
        #expect(isInOrder)
      }
      return (sent, received.count, log)
    }
    #expect(sent == received)
    #expect(log == ["room, false", "completed"])
  }
}
