import Foundation
import StreamsTesting
import Testing

/// The example `port-forward`, between real peers, over TCP and local sockets.
@Suite("port-forward") struct PortForwardTests {
  @Test func `both directions are passed on, and each ends by itself`() async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "127.0.0.1:\(target.port)"])
      let near = try Peer(port: try forwarder.port())
      let far = try target.accept()
      near.send("question")
      near.finish()
      #expect(try far.rest() == Array("question".utf8))
      // The other direction is still open.
      far.send("answer")
      #expect(try near.bytes(6) == Array("answer".utf8))
      far.send("more")
      far.finish()
      #expect(try near.rest() == Array("more".utf8))
      try forwarder.wait(forOutput: ": 8 bytes there, 10 back\n")
      #expect(try forwarder.end(by: SIGTERM) == 0)
    }
  }

  @Test func `the far side may end first`() async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "localhost:\(target.port)"])
      let near = try Peer(port: try forwarder.port())
      let far = try target.accept()
      far.send("greeting")
      far.finish()
      #expect(try near.rest() == Array("greeting".utf8))
      near.send("bye")
      near.finish()
      #expect(try far.rest() == Array("bye".utf8))
      #expect(try forwarder.end(by: SIGINT) == 0)
    }
  }

  @Test func `an answer may take longer than the patience with which it stops`() async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["--grace", "0", "127.0.0.1:0", "127.0.0.1:\(target.port)"])
      let port = try forwarder.port()
      let near = try Peer(port: port)
      let far = try target.accept()
      near.send("question")
      near.finish()
      #expect(try far.rest() == Array("question".utf8))
      // When another connection has been made and used, the forwarder has handled the end of the question.
      let other = try Peer(port: port)
      let farOther = try target.accept()
      for _ in 0..<10 {
        other.send("there")
        #expect(try farOther.bytes(5) == Array("there".utf8))
        farOther.send("back")
        #expect(try other.bytes(4) == Array("back".utf8))
      }
      far.send("answer")
      far.finish()
      #expect(try near.rest() == Array("answer".utf8))
      try forwarder.wait(forOutput: ": 8 bytes there, 6 back\n")
      #expect(try forwarder.end(by: SIGTERM) == 0)
    }
  }

  @Test func `who does not read makes the other side wait, and memory stays flat`() async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "127.0.0.1:\(target.port)"])
      let near = try Peer(port: try forwarder.port())
      let far = try target.accept()
      let sent = someBytes(100_000_000)
      let before = try forwarder.memory()
      // The buffers of the system hold the first bytes. The rest is sent when the peer reads.
      let first = near.sendWhatGoes(sent)
      #expect(first < sent.count)
      near.sendBehind(Array(sent[first...]))
      #expect(try far.rest() == sent)
      if !Child.isSanitized { #expect(try forwarder.memory() - before <= 8 << 20) }
      far.finish()
      try forwarder.wait(forOutput: ": 100000000 bytes there, 0 back\n")
    }
  }

  @Test func `a connection that breaks on one side breaks on the other`() async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "127.0.0.1:\(target.port)"])
      let port = try forwarder.port()
      for isNear in [true, false] {
        let near = try Peer(port: port)
        let far = try target.accept()
        let (broken, other) = isNear ? (near, far) : (far, near)
        other.send("some")
        #expect(try broken.bytes(4) == Array("some".utf8))
        broken.reset()
        #expect(other.isReset())
      }
      try forwarder.wait(for: "both complaints") {
        $0.errors.split(separator: "\n").filter { $0.hasSuffix("connection reset by peer (ECONNRESET)") }.count == 2
      }
      #expect(try forwarder.end(by: SIGTERM) == 0)
    }
  }

  @Test(arguments: [true, false])
  func `a connection that breaks while much is under way to it breaks on the other`(_ isNear: Bool) async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "127.0.0.1:\(target.port)"])
      let port = try forwarder.port()
      for finishes in [true, false] {
        let near = try Peer(port: port)
        let far = try target.accept()
        let (broken, other) = isNear ? (near, far) : (far, near)
        try Self.fill(other, port, target)
        if finishes { other.finish() }
        broken.reset()
        #expect(other.isReset())
      }
      #expect(try forwarder.end(by: SIGTERM) == 0)
    }
  }

  @Test(arguments: [true, false])
  func `a connection that breaks on one side breaks on the other, although neither reads`(_ isNear: Bool) async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["--grace", "0.01", "127.0.0.1:0", "127.0.0.1:\(target.port)"])
      let port = try forwarder.port()
      for finishes in [true, false] {
        let near = try Peer(port: port)
        let far = try target.accept()
        let (broken, other) = isNear ? (near, far) : (far, near)
        try Self.fill(near, port, target)
        try Self.fill(far, port, target)
        if finishes { broken.finish() }
        broken.reset()
        #expect(other.breaks())
      }
      #expect(try forwarder.end(by: SIGTERM) == 0)
    }
  }

  /// Sends until the forwarder has stopped reading. It has when it passes on what another connection sends, and makes no
  /// room for more.
  private static func fill(_ peer: Peer, _ port: UInt16, _ target: PeerListener) throws {
    let other = try Peer(port: port)
    let farOther = try target.accept()
    var full = 0
    while full < 10 {
      full = peer.sendWhatGoes([UInt8](repeating: 7, count: 100_000)) == 0 ? full + 1 : 0
      other.send("there")
      #expect(try farOther.bytes(5) == Array("there".utf8))
    }
  }

  @Test func `an answer arrives also where the question has not been read`() async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "127.0.0.1:\(target.port)"])
      let near = try Peer(port: try forwarder.port())
      let far = try target.accept()
      // This is far more than the buffers hold.
      near.sendBehind(someBytes(30_000_000))
      #expect(try far.bytes(10).count == 10)
      let answer = someBytes(300_000)
      far.send(answer)
      far.finish()
      #expect(try near.bytes(answer.count) == answer)
      // The far side closes with the question unread, which fails. The answer has been delivered already.
      far.hangUp()
      try forwarder.wait(forErrors: " (E")
      #expect(try forwarder.end(by: SIGTERM) == 0)
    }
  }

  @Test func `a target that is not there ends the connection with it`() async throws {
    try await onOwnThread {
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "nosuch.invalid:80"])
      #expect(try Peer(port: try forwarder.port()).isReset())
      try forwarder.wait(forErrors: "nosuch.invalid: ")
      #expect(try forwarder.end(by: SIGTERM) == 0)
      let other = try Child("port-forward", ["127.0.0.1:0", "/nonexistent/socket"])
      #expect(try Peer(port: try other.port()).isReset())
      try other.wait(forErrors: "uv_pipe_connect /nonexistent/socket: no such file or directory (ENOENT)\n")
      #expect(try other.end(by: SIGTERM) == 0)
    }
  }

  @Test(.enabled(if: Tool.curl.isExpected && Tool.socat.isExpected))
  func `curl reaches a server behind two local sockets`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      let page = String(repeating: "x", count: 200_000)
      folder.write("answer", "HTTP/1.0 200 OK\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)")
      // The server reads the request to its empty line, because closing with unread bytes breaks the connection.
      folder.write("serve", "sed '/^.$/q' >/dev/null; cat '\(folder.path("answer"))'\n")
      let served = folder.path("served.sock")
      let server = try Child(.socat, ["UNIX-LISTEN:\(served),fork", "SYSTEM:sh \(folder.path("serve"))"])
      try server.wait(for: "the socket") { _ in access(served, F_OK) == 0 }
      let inner = try Child("port-forward", [folder.path("near.sock"), served])
      try inner.wait(forOutput: "listening on \(folder.path("near.sock"))\n")
      let outer = try Child("port-forward", ["127.0.0.1:0", folder.path("near.sock")])
      let port = try outer.port()
      for arguments in [
        ["http://127.0.0.1:\(port)/"], ["--unix-socket", folder.path("near.sock"), "http://localhost/"],
      ] {
        let curl = try Child(.curl, ["--silent", "--show-error", "--max-time", "60"] + arguments)
        #expect(try curl.end() == 0)
        #expect(curl.output == page)
      }
      #expect(try outer.end(by: SIGTERM) == 0)
      #expect(try inner.end(by: SIGTERM) == 0)
      // The path of the socket is removed with the listener.
      #expect(access(folder.path("near.sock"), F_OK) != 0)
      server.signal(SIGTERM)
    }
  }

  @Test func `what goes on when it stops may end`() async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "127.0.0.1:\(target.port)", "--grace", "1000"])
      let port = try forwarder.port()
      let near = try Peer(port: port)
      let far = try target.accept()
      forwarder.signal(SIGTERM)
      try forwarder.wait(forOutput: "stopping")
      #expect(throws: Peer.CannotConnect.self) { try Peer(port: port) }
      near.send("late")
      #expect(try far.bytes(4) == Array("late".utf8))
      near.finish()
      far.finish()
      #expect(try forwarder.end() == 0)
    }
  }

  @Test func `what takes too long is broken off`() async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "127.0.0.1:\(target.port)", "--grace", "0.01"])
      let near = try Peer(port: try forwarder.port())
      let far = try target.accept()
      #expect(try forwarder.end(by: SIGTERM) == 0)
      #expect(near.isReset())
      #expect(far.isReset())
    }
  }

  @Test func `a second signal ends it at once`() async throws {
    try await onOwnThread {
      let target = try PeerListener()
      let forwarder = try Child("port-forward", ["127.0.0.1:0", "127.0.0.1:\(target.port)", "--grace", "1000"])
      let near = try Peer(port: try forwarder.port())
      let far = try target.accept()
      forwarder.signal(SIGINT)
      try forwarder.wait(forOutput: "stopping")
      #expect(try forwarder.end(by: SIGTERM) == 143)
      withExtendedLifetime((near, far)) {}
    }
  }

  @Test func `what cannot be listened on is said`() async throws {
    try await onOwnThread {
      let forwarder = try Child("port-forward", ["/nonexistent/socket", "80"])
      #expect(try forwarder.end() == 1)
      #expect(forwarder.errors == "port-forward: bind /nonexistent/socket: no such file or directory (ENOENT)\n")
      for arguments in [["localhost:80", "80"], ["80"], ["80", "x"], ["80", "a:b:c"], ["80", ":80"]] {
        #expect(try Child("port-forward", arguments).end() == 64)
      }
    }
  }
}
