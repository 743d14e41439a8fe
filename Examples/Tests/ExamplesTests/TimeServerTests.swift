import Foundation
import Headwater
import StreamsTesting
import Testing

@testable import time_server

/// The example `time-server`, queried by itself and by socat.
@Suite("time-server") struct TimeServerTests {
  @Test func `a query prints the time that the server tells`() async throws {
    try await onOwnThread {
      let server = try Child("time-server", ["127.0.0.1:0"])
      let port = try server.port()
      for host in ["127.0.0.1", "localhost"] {
        let before = Int(Date().timeIntervalSince1970)
        let query = try Child("time-server", ["--query", "\(host):\(port)", "--timeout", "100"])
        #expect(try query.end() == 0)
        let words = query.output.split(separator: ",")
        #expect(words.count == 2 && query.output.hasSuffix("\n"))
        let formatter = ISO8601DateFormatter()
        let time = try #require(formatter.date(from: String(words[0])).map { Int($0.timeIntervalSince1970) })
        #expect(time >= before && time <= Int(Date().timeIntervalSince1970))
      }
      #expect(try server.end(by: SIGTERM) == 0)
      #expect(server.errors == "")
    }
  }

  @Test(.enabled(if: Tool.socat.isExpected)) func `an empty datagram is answered with four bytes, others are not`()
    async throws
  {
    try await onOwnThread {
      let server = try Child("time-server", ["127.0.0.1:0"])
      let port = try server.port()
      // The first datagram is not a query and gets no answer. The second one, which is empty, gets the only answer.
      let socat = try Child(.socat, ["-t", "100", "-", "UDP:127.0.0.1:\(port),shut-null"])
      socat.write("time?")
      socat.closeInput()
      try socat.wait(for: "the answer") { $0.bytes.count >= 4 }
      #expect(socat.bytes.count == 4)
      let count = socat.bytes.reduce(0) { $0 << 8 | Int($1) }
      #expect(abs(count - 2_208_988_800 - Int(Date().timeIntervalSince1970)) < 100)
      socat.signal(SIGTERM)
      #expect(try server.end(by: SIGINT) == 0)
    }
  }

  @Test func `no answer is an error, after so many tries`() async throws {
    try await onOwnThread {
      let silent = try SilentPort()
      let query = try Child(
        "time-server", ["--query", "127.0.0.1:\(silent.port)", "--timeout", "0.01", "--tries", "3"])
      #expect(try query.end() == 1)
      #expect(query.errors == "time-server: query 127.0.0.1:\(silent.port): connection timed out (ETIMEDOUT)\n")
      #expect(silent.received() == [0, 0, 0])
    }
  }

  @Test func `what is wrong is said`() async throws {
    try await onOwnThread {
      let unknown = try Child("time-server", ["--query", "nosuch.invalid"])
      #expect(try unknown.end() == 1)
      #expect(unknown.errors.hasPrefix("time-server: uv_getaddrinfo nosuch.invalid: "))
      let taken = try SilentPort()
      let server = try Child("time-server", ["127.0.0.1:\(taken.port)"])
      #expect(try server.end() == 1)
      #expect(
        server.errors == "time-server: uv_udp_bind 127.0.0.1:\(taken.port): address already in use (EADDRINUSE)\n")
      for arguments in [["here"], ["--tries", "0"], ["--timeout", "0"], ["--query", ""], ["--query", ":5"]] {
        #expect(try Child("time-server", arguments).end() == 64)
      }
    }
  }

  @Test func `times are read as they are written, also after 2036`() {
    #expect(Time(seconds: 0).bytes == [0x83, 0xAA, 0x7E, 0x80])
    #expect(Time(seconds: 0).description == "1970-01-01T00:00:00Z")
    for seconds in [0, 1_700_000_000, 2_085_978_495, 2_085_978_496, 4_000_000_000] {
      #expect(Time(Time(seconds: seconds).bytes)?.seconds == seconds)
    }
    #expect(Time(seconds: 2_085_978_496).bytes == [0, 0, 0, 0])
    #expect(Time([]) == nil)
    #expect(Time([1, 2, 3, 4, 5]) == nil)
  }
}

/// A UDP port that receives datagrams and does not answer.
private final class SilentPort {
  private let descriptor: Int32
  let port: UInt16

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var address = loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) {
        bind(descriptor, $0.baseAddress!, size) | getsockname(descriptor, $0.baseAddress!, &size)
      }
    }
    try #require(status == 0)
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  /// Returns the sizes of the received datagrams.
  func received() -> [Int] {
    var sizes: [Int] = []
    var chunk = [UInt8](repeating: 0, count: 1000)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      if count < 0 { return sizes }
      sizes.append(count)
    }
  }
}
