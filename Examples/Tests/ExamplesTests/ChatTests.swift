import Foundation
import StreamsTesting
import Testing

/// The example `chat`, with guests that talk, write too much, or do not read.
@Suite("chat") struct ChatTests {
  /// Connects a guest and enters its name.
  private static func guest(_ name: String, _ port: UInt16, smallWindow: Bool = false) throws -> Peer {
    let peer = try Peer(port: port, smallWindow: smallWindow)
    #expect(try peer.line() == "* Who are you?")
    peer.send("\(name)\n")
    #expect(try peer.line() == "* Welcome, \(name). There are /who and /quit.")
    return peer
  }

  @Test func `everybody reads what the others write`() async throws {
    try await onOwnThread {
      let server = try Child("chat", ["127.0.0.1:0"])
      let port = try server.port()
      let anna = try Self.guest("anna", port)
      let bob = try Self.guest("bob", port)
      #expect(try anna.line() == "* bob has joined")
      // Telnet ends lines with CR LF. A line may be delivered in pieces.
      anna.send("hel")
      anna.send("lo\r\nsecond\n\n")
      #expect(try bob.line() == "anna: hello")
      #expect(try bob.line() == "anna: second")
      bob.send("/who\n")
      #expect(try bob.line() == "* Here are: anna, bob")
      // Characters that would control the terminals of others are removed.
      bob.send("\u{1b}[2Jtricky\u{202e}\u{7}\n")
      #expect(try anna.line() == "bob: [2Jtricky")
      bob.send("/quit\n")
      #expect(try bob.line() == "* Bye.")
      #expect(try bob.line() == nil)
      bob.finish()
      #expect(try anna.line() == "* bob has left")
      anna.send("last words without an end")
      anna.finish()
      #expect(try anna.line() == nil)
      #expect(try server.end(by: SIGTERM) == 0)
      #expect(server.errors == "")
    }
  }

  @Test func `a name is one, and nobody else's`() async throws {
    try await onOwnThread {
      let server = try Child("chat", ["127.0.0.1:0"])
      let port = try server.port()
      let anna = try Self.guest("anna", port)
      let other = try Peer(port: port)
      #expect(try other.line() == "* Who are you?")
      for name in ["", "two words", String(repeating: "x", count: 21), "a:b"] {
        other.send("\(name)\n")
        #expect(try other.line() == "* A name has 1 to 20 letters, digits, - and _. Who are you?")
      }
      other.send("Anna\n")
      #expect(try other.line() == "* Anna is here already. Who are you?")
      other.send("/quit\n")
      #expect(try other.line() == "* Bye.")
      // The guest without a name has not been announced.
      let bob = try Self.guest("bob", port)
      #expect(try anna.line() == "* bob has joined")
      bob.reset()
      #expect(try anna.line() == "* bob has been cut off")
      // The name is free.
      let next = try Self.guest("bob", port)
      #expect(try anna.line() == "* bob has joined")
      withExtendedLifetime(next) {}
    }
  }

  @Test func `a line that is too long ends its writer alone, with a word`() async throws {
    try await onOwnThread {
      let server = try Child("chat", ["127.0.0.1:0", "--limit", "100"])
      let port = try server.port()
      let anna = try Self.guest("anna", port)
      let bob = try Self.guest("bob", port)
      #expect(try anna.line() == "* bob has joined")
      bob.send(String(repeating: "x", count: 100) + "\n")
      #expect(try anna.line() == "bob: " + String(repeating: "x", count: 100))
      // This is far more than the server reads before it removes the guest. The reason is delivered nevertheless.
      bob.send([UInt8](repeating: UInt8(ascii: "y"), count: 1_000_000))
      #expect(try bob.line() == "* A line has at most 100 bytes. Bye.")
      #expect(try bob.line() == nil)
      #expect(try anna.line() == "* bob talked too long")
      anna.send("/who\n")
      #expect(try anna.line() == "* Here are: anna")
      bob.finish()
      anna.finish()
      #expect(try server.end(by: SIGTERM) == 0)
    }
  }

  @Test func `a guest who does not read is sent away, and holds up nobody`() async throws {
    try await onOwnThread {
      let server = try Child("chat", ["127.0.0.1:0", "--queue", "5000"])
      let port = try server.port()
      let anna = try Self.guest("anna", port)
      let bob = try Self.guest("bob", port)
      #expect(try anna.line() == "* bob has joined")
      let sleeper = try Self.guest("sleeper", port, smallWindow: true)
      #expect(try anna.line() == "* sleeper has joined")
      #expect(try bob.line() == "* sleeper has joined")
      // Fills the queue of the sleeper. Bob reads each line before the next one is written.
      let text = String(repeating: "z", count: 900)
      var lines = 0
      var hasGone = false
      while !hasGone {
        lines += 1
        anna.send("\(lines) \(text)\n")
        let line = try #require(try bob.line())
        if line == "* sleeper reads too slowly" { hasGone = true } else { #expect(line == "anna: \(lines) \(text)") }
        try #require(lines < 100_000)
      }
      #expect(try anna.line() == "* sleeper reads too slowly")
      anna.send("/who\n")
      #expect(try anna.line() == "* Here are: anna, bob")
      // The sleeper then receives the queued lines in order, and the reason.
      #expect(try sleeper.line() == "anna: 1 \(text)")
      var last: String?
      var count = 1
      while let line = try sleeper.line() {
        count += 1
        last = line
      }
      #expect(last == "* You read too slowly. Bye.")
      #expect(count <= lines + 1)
      sleeper.finish()
    }
  }

  @Test(arguments: [true, false])
  func `a guest who writes and does not read its answers is sent away`(_ isNamed: Bool) async throws {
    try await onOwnThread {
      let server = try Child("chat", ["127.0.0.1:0", "--queue", "5000"])
      let port = try server.port()
      let anna = try Self.guest("anna", port)
      let flood: Peer
      if isNamed {
        flood = try Self.guest("flood", port, smallWindow: true)
        #expect(try anna.line() == "* flood has joined")
      } else {
        flood = try Peer(port: port, smallWindow: true)
        #expect(try flood.line() == "* Who are you?")
      }
      // The answers are 20 MB, far more than the buffers of the system hold.
      let (line, answer) =
        isNamed
        ? ("/who\n", "* Here are: anna, flood") : ("?\n", "* A name has 1 to 20 letters, digits, - and _. Who are you?")
      #expect(flood.send(Array(String(repeating: line, count: 20_000_000 / answer.utf8.count).utf8)))
      // The flood reads only when the server has read all commands. It has when it answers another guest twice.
      try flood.waitUntilDelivered()
      if isNamed { #expect(try anna.line() == "* flood reads too slowly") }
      for _ in 0..<2 {
        anna.send("/who\n")
        #expect(try anna.line() == "* Here are: anna")
      }
      var last: String?
      while let line = try flood.line() {
        if let last { #expect(last == answer) }
        last = line
      }
      #expect(last == "* You read too slowly. Bye.")
      flood.finish()
    }
  }

  @Test func `the room is closed with a word`() async throws {
    try await onOwnThread {
      let server = try Child("chat", ["127.0.0.1:0"])
      let port = try server.port()
      let anna = try Self.guest("anna", port)
      let nameless = try Peer(port: port)
      #expect(try nameless.line() == "* Who are you?")
      server.signal(SIGINT)
      for peer in [anna, nameless] {
        #expect(try peer.line() == "* The room is closed.")
        #expect(try peer.line() == nil)
        peer.finish()
      }
      #expect(try server.end() == 0)
    }
  }

  @Test func `a second signal ends it at once, and wrong arguments are said to be`() async throws {
    try await onOwnThread {
      let server = try Child("chat", ["127.0.0.1:0"])
      let anna = try Self.guest("anna", try server.port())
      server.signal(SIGTERM)
      #expect(try anna.line() == "* The room is closed.")
      #expect(try server.end(by: SIGTERM) == 143)
      withExtendedLifetime(anna) {}
      for arguments in [["here"], ["--limit", "0"], ["--queue", "0"]] {
        #expect(try Child("chat", arguments).end() == 64)
      }
    }
  }
}
