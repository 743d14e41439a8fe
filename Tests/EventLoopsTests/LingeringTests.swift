import CUV
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// Closing a connection while its peer still sends.
@Suite(.noLiveResources) struct LingeringTests {
  /// The last bytes that a peer reads after it has sent much, and then the error of its socket: not 0 if it has been reset.
  private static func lastWords(
    isReset: Bool = false, _ end: @escaping @Sendable (TCPHandle) -> Void
  ) async throws -> (String, Int32) {
    try await withLoop { loop, bag in
      var connection: TCPHandle?
      let peer = try plainPeer({ connection = $0 }, on: loop)
      defer { Glibc.close(peer) }
      let noise = [UInt8](repeating: 7, count: 200_000)
      var sent = 0
      let subscription = try #require(connection).bytes.observe { _ in }
      // Some bytes have been read, but most have not.
      subscription.pause()
      while true {
        let count = send(peer, noise, noise.count, Int32(MSG_DONTWAIT))
        if count <= 0 { break }
        sent += count
      }
      subscription.dispose()
      #expect(sent > 0)
      try #require(connection).onClosed { loop.stop() }
      end(try #require(connection))
      shutdown(peer, Int32(SHUT_WR))
      loop.run()
      // On a busy machine, the reset arrives a little later. With edge triggering, the end of both directions is reported once,
      // and the next event is the reset.
      let epoll = epoll_create1(0)
      defer { Glibc.close(epoll) }
      var event = epoll_event()
      event.events = EPOLLET.rawValue
      epoll_ctl(epoll, EPOLL_CTL_ADD, peer, &event)
      event.events = 0
      while isReset, event.events & EPOLLERR.rawValue == 0, epoll_wait(epoll, &event, 1, 60_000) > 0 {}
      var words: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 1000)
      while true {
        let count = recv(peer, &chunk, chunk.count, 0)
        // A reset during this call is the error of the call, and no longer that of the socket.
        if count < 0 { return (String(decoding: words, as: UTF8.self), errno) }
        if count == 0 { break }
        words += chunk[..<count]
      }
      var error: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(peer, SOL_SOCKET, SO_ERROR, &error, &size)
      return (String(decoding: words, as: UTF8.self), error)
    }
  }

  @Test(arguments: [(ETIMEDOUT, "ETIMEDOUT"), (EHOSTUNREACH, "EHOSTUNREACH"), (EPIPE, "completed")])
  func `a write that shows that the connection is broken fails reading, which libuv ends`(_ error: Int32, _ end: String)
    async throws
  {
    let ends = try await withLoop { loop, bag in
      var ends: [String] = []
      let (near, far) = try connectedPair(loop)
      near.bytes.observe(
        next: { _ in }, termination: { ends.append($0.failure?.name ?? "completed") }
      ).dispose(in: bag)
      // The system takes minutes to give such a connection up.
      near.failWriting(-error, "write")
      far.dispose()
      loop.run()
      return ends
    }
    #expect(ends == [end])
  }

  @Test func `a reset that a write meets first fails the reading, too`() async throws {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      var near: TCPHandle?
      let peer = try plainPeer({ near = $0 }, on: loop)
      let connection = try #require(near)
      connection.bytes.observe { log.append("\($0.error?.name ?? "\($0)")") }.dispose(in: bag)
      closeWithReset(peer)
      // Waits until the system knows of the reset.
      var state = pollfd(fd: try connection.descriptor(), events: 0, revents: 0)
      #expect(poll(&state, 1, -1) == 1)
      connection.write("x")
      loop.run()
      return log
    }
    #expect(log == ["ECONNRESET"])
  }

  @Test func `last words reach a peer that still sends`() async throws {
    let result = try await Self.lastWords {
      $0.write("bye\n")
      $0.close(within: .seconds(60))
    }
    #expect(result == ("bye\n", 0))
  }

  @Test func `closing a connection of a loop that has been shut down does nothing`() async throws {
    try await onOwnThread {
      let loop = Loop()
      var connection: TCPHandle?
      let peer = try plainPeer({ connection = $0 }, on: loop)
      loop.shutdown()
      connection?.close(within: .seconds(5))
      #expect(connection?.isDisposed == true)
      Glibc.close(peer)
    }
  }

  @Test func `closing without reading resets the connection`() async throws {
    let result = try await Self.lastWords(isReset: true) {
      $0.write("bye\n")
      $0.close()
    }
    // On the loopback interface, the written bytes arrive before the reset. On a slow network, they may not.
    #expect(result.1 == EPIPE || result.1 == ECONNRESET)
  }

  @Test func `a peer that does not finish is left after a while`() async throws {
    try await withLoop { loop, _ in
      var connection: TCPHandle?
      let peer = try plainPeer({ connection = $0 }, on: loop)
      defer { Glibc.close(peer) }
      try #require(connection).onClosed { loop.stop() }
      connection?.write("bye\n")
      connection?.close(within: .milliseconds(5))
      #expect(connection?.isDisposed == false)
      loop.run()
      #expect(connection?.isDisposed == true)
      #expect(loop.now >= .milliseconds(5))
    }
  }

  @Test func `who reads goes on reading`() async throws {
    try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      let heard = near.bytes.record()
      near.close(within: .seconds(60))
      far.bytes.observe(
        next: { _ in },
        termination: { _ in
          far.write("and this")
          far.close()
        }
      ).dispose(in: bag)
      near.onClosed { loop.stop() }
      loop.run()
      #expect(heard.elements == ["and this"])
      #expect(heard.isCompleted)
    }
  }

  @Test func `what nobody reads any more is dropped`() async throws {
    try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      let reading = near.bytes.observe { _ in }
      reading.pause()
      near.close(within: .seconds(60))
      far.write(Bytes(repeating: 1, count: 10_000_000))
      far.finish()
      far.bytes.observe(next: { _ in }, termination: { _ in reading.dispose() }).dispose(in: bag)
      near.onClosed { loop.stop() }
      loop.run()
      #expect(far.queuedBytes == 0)
    }
  }

  @Test func `it closes at once where writing has failed, and does nothing after the end`() async throws {
    try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      far.reset()
      near.readiness.observe(next: { _ in }, termination: { _ in loop.stop() }).dispose(in: bag)
      // Reading notices the reset.
      near.bytes.observe { _ in }.dispose(in: bag)
      loop.run()
      near.close(within: .seconds(60))
      #expect(near.isDisposed)
      near.close(within: .seconds(60))
    }
  }
}
