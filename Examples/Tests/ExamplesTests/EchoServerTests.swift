import Foundation
import StreamsTesting
import Testing

/// The example `echo-server`, with real clients and signals.
@Suite("echo-server") struct EchoServerTests {
  @Test(.enabled(if: Tool.nc.isExpected)) func `nc gets back what it sends`() async throws {
    try await onOwnThread {
      let server = try Child("echo-server", ["127.0.0.1:0"])
      let port = try server.port()
      let client = try Child(.nc, ["-N", "127.0.0.1", "\(port)"])
      client.write("hello\nworld\n")
      try client.wait(forOutput: "world\n")
      client.closeInput()
      #expect(try client.end() == 0)
      #expect(client.output == "hello\nworld\n")
      try server.wait(forOutput: ": 12 bytes\n")
      #expect(try server.end(by: SIGTERM) == 0)
      #expect(server.errors == "")
    }
  }

  @Test func `a client that sends much before it reads gets all of it back`() async throws {
    try await onOwnThread {
      let server = try Child("echo-server", ["127.0.0.1:0"])
      let peer = try Peer(port: try server.port(), smallWindow: true)
      let sent = someBytes(30_000_000)
      // The server pauses a client that does not read, so the client can send only what the buffers hold.
      let first = peer.sendWhatGoes(sent)
      #expect(first < sent.count)
      peer.sendBehind(Array(sent[first...]))
      #expect(try peer.rest() == sent)
      #expect(try server.end(by: SIGINT) == 0)
      #expect(server.output.contains(": 30000000 bytes\n"))
    }
  }

  @Test func `a client that hangs up rudely ends alone`() async throws {
    try await onOwnThread {
      let server = try Child("echo-server", ["127.0.0.1:0"])
      let port = try server.port()
      let good = try Peer(port: port)
      for _ in 0..<20 {
        let rude = try Peer(port: port)
        rude.send(someBytes(100_000))
        rude.hangUp()
      }
      good.send("still here")
      good.finish()
      #expect(try good.rest() == Array("still here".utf8))
      #expect(try server.end(by: SIGTERM) == 0)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM], ["1", "2"])
  func `what is on its way is sent back when it stops`(_ signal: Int32, loops: String) async throws {
    try await onOwnThread {
      let server = try Child("echo-server", ["127.0.0.1:0", "--grace", "100", "--loops", loops])
      let port = try server.port()
      let idle = try Peer(port: port)
      let busy = try Peer(port: port, smallWindow: true)
      let sent = someBytes(2_000_000)
      let count = busy.sendWhatGoes(sent)
      // A busy machine may not have read anything yet.
      try busy.waitUntilAnswered()
      server.signal(signal)
      try server.wait(forOutput: "stopping; once more to stop at once\n")
      // The server accepts no more connections, and has closed the idle one.
      #expect(throws: Peer.CannotConnect.self) { try Peer(port: port) }
      #expect(try idle.rest() == [])
      // The server returns every byte that it has read. It does not reset the connection, although the client has sent more.
      let echoed = try busy.rest()
      #expect(echoed.count > 0 && echoed.count <= count)
      #expect(echoed.elementsEqual(sent.prefix(echoed.count)))
      busy.finish()
      idle.finish()
      #expect(try server.end() == 0)
      #expect(server.output.contains(": \(echoed.count) bytes\n"))
    }
  }

  @Test func `twenty clients of three loops get back what each one sends`() async throws {
    try await onOwnThread {
      let server = try Child("echo-server", ["127.0.0.1:0", "--loops", "3"])
      let port = try server.port()
      let peers = try (0..<20).map { _ in try Peer(port: port) }
      for (number, peer) in peers.enumerated() { peer.send("I am client \(number)") }
      for peer in peers { peer.finish() }
      for (number, peer) in peers.enumerated() {
        #expect(try peer.rest() == Array("I am client \(number)".utf8))
      }
      #expect(try server.end(by: SIGTERM) == 0)
      #expect(server.errors == "")
    }
  }

  @Test(arguments: ["1", "2"])
  func `a client that takes too long is left behind`(loops: String) async throws {
    try await onOwnThread {
      let server = try Child("echo-server", ["127.0.0.1:0", "--grace", "0.01", "--loops", loops])
      let peer = try Peer(port: try server.port(), smallWindow: true)
      _ = peer.sendWhatGoes(someBytes(8_000_000))
      #expect(try server.end(by: SIGTERM) == 0)
      withExtendedLifetime(peer) {}
    }
  }

  @Test func `a second signal ends it at once`() async throws {
    try await onOwnThread {
      let server = try Child("echo-server", ["127.0.0.1:0", "--grace", "1000"])
      let peer = try Peer(port: try server.port())
      server.signal(SIGTERM)
      // The server waits for the client, which does not disconnect.
      #expect(try peer.rest() == [])
      #expect(try server.end(by: SIGINT) == 130)
      withExtendedLifetime(peer) {}
    }
  }

  @Test func `a port that is taken is said to be`() async throws {
    try await onOwnThread {
      let server = try Child("echo-server", ["127.0.0.1:0"])
      let port = try server.port()
      let second = try Child("echo-server", ["127.0.0.1:\(port)"])
      #expect(try second.end() == 1)
      #expect(second.errors == "echo-server: bind 127.0.0.1:\(port): address already in use (EADDRINUSE)\n")
      #expect(try server.end(by: SIGTERM) == 0)
    }
  }

  @Test(arguments: [["localhost"], ["127.0.0.1"], ["127.0.0.1:70000"], ["--grace=-1"], ["--loops=0"]])
  func `a wrong argument is said to be one`(_ arguments: [String]) async throws {
    try await onOwnThread {
      let server = try Child("echo-server", arguments)
      #expect(try server.end() == 64)
      #expect(server.errors.contains("Usage: echo-server"))
    }
  }
}
