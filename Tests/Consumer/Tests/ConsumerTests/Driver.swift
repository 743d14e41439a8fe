import Foundation
import Testing

/// A script that talks to a serving program and stops it.
struct Driver: Sendable {
  /// Changes the program so that it can run anywhere. By default, a listener takes any free port.
  var prepare: @Sendable (String) -> String = { $0.replacing(/port: \d+/, with: "port: 0") }
  /// Talks to the program until it ends. The program runs in a folder of its own.
  let drive: @Sendable (Child, URL) throws -> Void

  init(_ drive: @escaping @Sendable (Child, URL) throws -> Void) { self.drive = drive }

  static let all: [String: Driver] = [
    // Receives what it sends, and ends the program with a signal.
    "echo": Driver { child, _ in
      let peer = try Peer(port: child.port())
      peer.send("hello\n")
      #expect(try peer.line() == "hello")
      #expect(try child.end(by: SIGTERM) == -SIGTERM)
    },
    // Receives only the end of the connection, and ends the program with a signal.
    "closed": Driver { child, _ in
      let peer = try Peer(port: child.port())
      #expect(try peer.line() == nil)
      #expect(try child.end(by: SIGTERM) == -SIGTERM)
    },
    // Receives a greeting, and ends the program with a signal.
    "greeter": Driver { child, _ in
      let peer = try Peer(port: child.port())
      peer.send("world\n")
      #expect(try peer.line() == "hello, world")
      #expect(try child.end(by: SIGTERM) == -SIGTERM)
    },
    // Writes a configuration, receives its greeting, writes another one, and stops the program while a client is connected.
    "configured greeter": Driver { child, folder in
      func configure(_ text: String) throws {
        // The file is renamed, so that the program never reads half of it.
        let file = folder.deletingLastPathComponent().appendingPathComponent("greeter.conf")
        try (text + "\n").write(to: file, atomically: false, encoding: .utf8)
        #expect(rename(file.path, folder.appendingPathComponent("greeter.conf").path) == 0)
        child.signal(SIGHUP)
      }
      func ask(_ peer: Peer) throws -> String? {
        peer.send("world\n")
        return try peer.line()
      }
      let peer = try Peer(port: child.port())
      // There is no configuration at first.
      try child.wait(forOutput: "greeter.conf: ")
      for greeting in ["good morning", "good night"] {
        try configure(greeting)
        var answer = try ask(peer)
        while let text = answer, text != "\(greeting), world" { answer = try ask(peer) }
        #expect(answer == "\(greeting), world")
      }
      child.signal(SIGTERM)
      #expect(try peer.line() == nil)
      #expect(try child.end() == 0)
    },
    // Changes a watched file, and ends the program with SIGINT, as Ctrl-C does.
    "watch": Driver { child, folder in
      try child.wait(forOutput: "started\n")
      // The file is written elsewhere and then moved, which causes one event.
      let file = folder.deletingLastPathComponent().appendingPathComponent("App.swift")
      try "1".write(to: file, atomically: false, encoding: .utf8)
      try FileManager.default.moveItem(at: file, to: folder.appendingPathComponent("App.swift"))
      try child.wait(forOutput: "changed:")
      #expect(try child.end(by: SIGINT) == 0)
    },
  ]
}
