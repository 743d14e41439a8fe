import EventLoops
import Foundation
import Testing

extension TLSTests {
  @Test
  static func `the program serves, reads its certificate again, and ends gracefully`() async throws {
    try await withLoop { loop, _ in
      let certificates = Certificates.shared
      let (certificate, key) = (certificates.path("program.pem"), certificates.path("program.key"))
      func install(_ name: String) throws {
        for (source, target) in [("\(name).pem", certificate), ("\(name).key", key)] {
          try String(contentsOfFile: certificates.path(source), encoding: .utf8)
            .write(toFile: target, atomically: true, encoding: .utf8)
        }
      }
      try install("localhost")
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
      // The program's globals live until it exits, and the leak checker would report some of them.
      let program = try Peer([
        "env", "ASAN_OPTIONS=detect_leaks=0", "\(folder)/tls-echo", "127.0.0.1:0", certificate, key,
      ])
      try loop.run(until: "the program listens") { program.output.contains("\n") }
      let port = try #require(
        program.output.split(separator: "\n").first?.split(separator: ":").last.flatMap { UInt16($0) })
      let first = try Peer.client(port, input: "one\n")
      try loop.run(until: "the first echo") { first.hasPrinted("one") }
      try install("renewed")
      try program.process.kill(.hangup)
      try loop.run(until: "the certificate is read") { program.output.contains("read the certificate again") }
      let second = try Peer.client(port, input: "two\n")
      try loop.run(until: "the second echo") { second.hasPrinted("two") }
      #expect(second.output.contains("subject=CN = renewed\n"))
      // What has been sent is echoed, and then the clients receive the end.
      first.send("three\n")
      try loop.run(until: "the third echo") { first.hasPrinted("three") }
      try program.process.kill(.terminate)
      try loop.run(until: "the end") { program.hasEnded && first.hasEnded && second.hasEnded }
      #expect(program.process.status == .exited(0))
      #expect(first.process.status == .exited(0) && second.process.status == .exited(0))
    }
  }
}
