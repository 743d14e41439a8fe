import Foundation
import StreamsTesting
import Testing

/// The example `greeter`, with clients that stay connected while its configuration changes.
@Suite("greeter") struct GreeterTests {
  /// A running greeter with its configuration file.
  private struct Server {
    let folder = try! Folder()
    let child: Child
    let port: UInt16

    init(_ configuration: String) throws {
      folder.write("greeter.conf", configuration)
      child = try Child("greeter", [folder.path("greeter.conf")])
      port = try child.port()
    }

    /// Replaces the configuration file, as an editor does, and waits until the server has printed `count` lines.
    func save(_ configuration: String, lines count: Int) throws {
      folder.write("new", configuration)
      folder.move("new", "greeter.conf")
      try child.wait(for: "\(count) lines") { $0.lines.count >= count }
    }
  }

  private static func greeting(of name: String, _ peer: Peer) throws -> String? {
    peer.send("\(name)\n")
    return try peer.line()
  }

  @Test func `a saved greeting is used for the next reply, and a new port for the next client`() async throws {
    try await onOwnThread {
      let server = try Server("# comment\n\ngreeting good morning\nport 0\n")
      let anna = try Peer(port: server.port)
      #expect(try Self.greeting(of: "anna", anna) == "good morning, anna")
      try server.save("greeting good evening\nport 0\n", lines: 2)
      #expect(try Self.greeting(of: "anna", anna) == "good evening, anna")
      // A port that nothing uses: it was the system's choice a moment ago.
      let free = try PeerListener().port
      try server.save("greeting good night\nport \(free)\n", lines: 4)
      #expect(
        server.child.lines.suffix(2) == ["configuration read", "listening on 127.0.0.1:\(free)"]
          || server.child.lines.suffix(2) == ["listening on 127.0.0.1:\(free)", "configuration read"])
      #expect(try Self.greeting(of: "anna", anna) == "good night, anna")
      let bob = try Peer(port: free)
      #expect(try Self.greeting(of: "bob", bob) == "good night, bob")
      #expect(throws: Peer.CannotConnect.self) { try Peer(port: server.port) }
      // A name whose line is not complete gets no reply.
      anna.send("half")
      #expect(try server.child.end(by: SIGTERM) == 0)
      #expect(try anna.line() == nil)
      #expect(try bob.line() == nil)
      #expect(server.child.errors == "")
    }
  }

  @Test func `an error in the file names its line, and the earlier settings stay`() async throws {
    try await onOwnThread {
      for (text, error) in [
        ("port 70000", "line 1: port needs a number from 0 to 65535"),
        ("\ngreeting ", "line 2: greeting needs a text"),
        ("clients 0", "line 1: clients needs a number above 0"),
        ("idle nan", "line 1: idle needs a number of seconds from 0.001 to 86400"),
        ("colour red", "line 1: \"colour red\" is none of greeting, port, clients, and idle"),
      ] {
        let folder = try Folder()
        folder.write("greeter.conf", text)
        let child = try Child("greeter", [folder.path("greeter.conf")])
        #expect(try child.end() == 1)
        #expect(child.errors == "greeter: \(folder.path("greeter.conf")): \(error)\n")
      }
      #expect(try Child("greeter", ["/nonexistent"]).end() == 1)
      #expect(try Child("greeter").end() == 64)

      let taken = try PeerListener()
      let server = try Server("port 0\n")
      let anna = try Peer(port: server.port)
      server.folder.write("greeter.conf", "port 7000 7001\n")
      server.child.signal(SIGHUP)
      try server.child.wait(forErrors: "line 1: port needs")
      try server.save("port \(taken.port)\n", lines: 2)
      try server.child.wait(forErrors: "still listening on 127.0.0.1:\(server.port)")
      #expect(try Self.greeting(of: "anna", anna) == "hello, anna")
      let bob = try Peer(port: server.port)
      #expect(try Self.greeting(of: "bob", bob) == "hello, bob")
      #expect(try server.child.end(by: SIGINT) == 0)
    }
  }

  @Test func `a port that was taken is tried again when the file is read again`() async throws {
    try await onOwnThread {
      var taken: PeerListener? = try PeerListener()
      let port = try #require(taken?.port)
      let server = try Server("port 0\n")
      try server.save("port \(port)\n", lines: 2)
      try server.child.wait(forErrors: "still listening on 127.0.0.1:\(server.port)")
      taken = nil
      server.child.signal(SIGHUP)
      try server.child.wait(forOutput: "listening on 127.0.0.1:\(port)\n")
      #expect(try Self.greeting(of: "anna", Peer(port: port)) == "hello, anna")
      // Reading the same port again keeps the listener.
      server.child.signal(SIGHUP)
      try server.child.wait(for: "the third reading") { $0.output.components(separatedBy: "read\n").count == 4 }
      #expect(server.child.output.components(separatedBy: "listening on").count == 3)
      #expect(try server.child.end(by: SIGTERM) == 0)
      #expect(server.child.errors.components(separatedBy: "\n").count == 2)
    }
  }

  @Test func `one client too many is told so, and an idle client leaves its place`() async throws {
    try await onOwnThread {
      let server = try Server("port 0\nclients 1\nidle 0.2\n")
      let anna = try Peer(port: server.port)
      #expect(try Self.greeting(of: "anna", anna) == "hello, anna")
      // Anna says nothing more: later clients are refused until she has been disconnected.
      var answer: String?
      repeat {
        let bob = try Peer(port: server.port)
        bob.send("bob\n")
        answer = try bob.line()
        #expect(answer == "busy" || answer == "hello, bob")
      } while answer == "busy"
      #expect(anna.hasEnded())
      #expect(try server.child.end(by: SIGTERM) == 0)
    }
  }
}
