import EventLoops
import Foundation
import Testing

extension WebTests {
  @Test(arguments: [false, true])
  static func `the program serves, and ends gracefully`(_ isSecure: Bool) async throws {
    try await withLoop { loop, _ in
      let certificate = Certificate.shared
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
      // The program's globals live until it exits, and the leak checker would report some of them.
      let closed = certificate.folder + "/closed.txt"
      try Data("closed".utf8).write(to: URL(fileURLWithPath: closed))
      chmod(closed, 0)
      // Root can read every file, unless these capabilities are taken away.
      let user = geteuid() == 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : []
      let program = try Peer(
        user + ["env", "ASAN_OPTIONS=detect_leaks=0", "\(folder)/https-server", "127.0.0.1:0", "--loops", "2"]
          + ["--files", certificate.folder]
          + (isSecure ? ["--certificate", certificate.file, "--key", certificate.key] : []))
      try loop.run(until: "the program listens") { program.output.contains("\n") || program.hasEnded }
      let port = try #require(
        program.output.split(separator: "\n").first?.split(separator: ":").last.flatMap { UInt16($0) },
        "\(program.errors)")
      let url = "\(isSecure ? "https" : "http")://localhost:\(port)"
      let hello = try Peer.curl([
        "\(url)/", "-d", "sent", "\(url)/echo", "--next", "-sS", "-k", "\(url)/files/cert.pem",
      ])
      try loop.run(until: "the responses") { hello.hasEnded }
      #expect(hello.hasSucceeded, "\(hello.errors)")
      #expect(hello.output.contains("BEGIN CERTIFICATE"))
      let refused = try Peer.curl(["-i", "--http1.1", "\(url)/files/closed.txt"])
      try loop.run(until: "a file that cannot be read") { refused.hasEnded }
      #expect(refused.output.hasPrefix("HTTP/1.1 403 "), "\(refused.output)")
      let load = try Peer(["h2load", "-n", "2000", "-c", "10", "-m", "10", "\(url)/"])
      try loop.run(until: "h2load") { load.hasEnded }
      #expect(load.output.contains("2000 succeeded, 0 failed"), "\(load.output)")
      let events = try Peer.curl(["-N", "\(url)/events"])
      try loop.run(until: "events") { events.output.contains("data: 1\n") }
      #expect(events.output.hasPrefix("data: 0\n\ndata: 1\n"))
      // An endless response would be cut off after the grace.
      try events.process.kill(.terminate)
      try loop.run(until: "the end of the events") { events.hasEnded }
      // A property of the server: its value, and then each change.
      let count = try Peer([
        "/usr/bin/python3", "-c",
        """
        import asyncio, ssl, sys, websockets
        async def main(url):
            context = ssl._create_unverified_context() if url.startswith("wss") else None
            async with websockets.connect(url, ssl=context) as socket:
                print(await socket.recv())
                await socket.send("add")
                while int(await socket.recv()) < 10: pass
        asyncio.run(main(sys.argv[1]))
        """, "\(isSecure ? "wss" : "ws")://localhost:\(port)/count",
      ])
      try loop.run(until: "the property") { count.hasEnded }
      #expect(count.output == "0\n" && count.hasSucceeded, "\(count.errors)")
      try program.process.kill(.terminate)
      try loop.run(until: "the end") { program.hasEnded }
      #expect(program.process.status == .exited(0) && program.errors.isEmpty, "\(program.errors)")
    }
  }

  @Test
  static func `the program says what is wrong with its command line`() async throws {
    try await withLoop { loop, _ in
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
      for (arguments, expected, code): ([String], String, Int32) in [
        ([], "the address is missing", 64), (["nonsense"], "'nonsense' is no option and no address", 64),
        (["127.0.0.1:0", "--key", "x"], "--certificate and --key belong together", 64),
        (["127.0.0.1:0", "--loops", "x"], "--loops needs a number from 1 on", 64),
        (["127.0.0.1:0", "--certificate", "/none", "--key", "/none"], "/none", 1),
      ] {
        let program = try Peer(["env", "ASAN_OPTIONS=detect_leaks=0", "\(folder)/https-server"] + arguments)
        try loop.run(until: "the end") { program.hasEnded }
        #expect(program.errors.contains(expected) && program.process.status == .exited(code), "\(program.errors)")
      }
    }
  }
}
