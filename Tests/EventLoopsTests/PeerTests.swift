import Foundation
import Streams
import StreamsTesting
import Testing

import struct Streams.Operation

@testable import EventLoops

/// Connections to programs that are not part of Headwater.
@Suite("Byte streams: real peers", .noLiveResources)
struct PeerTests {
  /// Runs `command` with `input` while the loop serves it, and returns its output.
  private static func run(_ command: ProcessCommand, _ input: Bytes, _ loop: Loop) -> ProcessOutput? {
    var command = command
    command.errorOutput = .pipe
    var result: ProcessOutput?
    var hasEnded = false
    let subscription = Operation.output(of: command, input: input).observe(
      next: { result = $0 },
      termination: { end in
        if let failure = end.failure { Issue.record(failure) }
        hasEnded = true
        loop.stop()
      })
    // A command that cannot be started has already failed.
    if !hasEnded { loop.run() }
    subscription.dispose()
    return result
  }

  private static let text = Bytes(String(repeating: "a line of some length\n", count: 20_000))

  @Test func `socat and nc over IPv4, IPv6, a named and an abstract socket: what they send comes back whole`()
    async throws
  {
    let scratch = Scratch()
    try await withLoop { loop, bag in
      let path = scratch("peer")
      let name = "headwater-\(UUID().uuidString)"
      func serve(_ connections: Operation<ByteStreamHandle, UVError>) {
        connections.observeNext { connection in
          connection.bytes.pipe(to: connection).observe { _ in }.dispose(in: bag)
        }.dispose(in: bag)
      }
      let v4 = try TCPListener(on: .loopback(port: 0))
      let v6 = try TCPListener(on: .loopbackIPv6(port: 0))
      serve(v4.connections.map { $0 })
      serve(v6.connections.map { $0 })
      serve(Operation<PipeHandle, UVError>.listen(onPipe: try SocketAddress(path: path)).map { $0 })
      serve(Operation<PipeHandle, UVError>.listen(onPipe: try SocketAddress(abstract: name)).map { $0 })
      for command in [
        ProcessCommand("socat", ["-t30", "-", "TCP4:127.0.0.1:\(v4.address.port)"]),
        ProcessCommand("socat", ["-t30", "-", "TCP6:[::1]:\(v6.address.port)"]),
        ProcessCommand("socat", ["-t30", "-", "UNIX-CONNECT:\(path)"]),
        ProcessCommand("socat", ["-t30", "-", "ABSTRACT-CONNECT:\(name)"]),
        ProcessCommand("nc", ["-N", "127.0.0.1", "\(v4.address.port)"]),
        ProcessCommand("nc", ["-N", "-U", path]),
      ] {
        let result = Self.run(command, Self.text, loop)
        #expect(result?.exit == .exited(0))
        #expect(result?.output == Self.text, "\(command.arguments)")
        #expect(result?.errorOutput == "")
      }
      bag.dispose()
      v4.dispose()
      v6.dispose()
    }
  }

  @Test func `a server that socat runs: connected to, half closed, read to the end`() async throws {
    let count = try await withLoop { loop, bag in
      var command = ProcessCommand("socat", ["-d", "-d", "TCP4-LISTEN:0,bind=127.0.0.1", "EXEC:sort"])
      command.errorOutput = .pipe
      let process = try ProcessHandle(command)
      var count = 0
      var isConnected = false
      process.errorOutput?.bytes.lines().observeNext { line in
        guard !isConnected, let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else { return }
        isConnected = true
        Operation.connect(to: .loopback(port: port)).observeNext { connection in
          for number in (1...1000).reversed() { connection.write(Bytes("\(1000 + number)\n")) }
          connection.finish()
          var previous = ""
          connection.bytes.lines().observeNext { line in
            #expect(previous < line)
            previous = line
            count += 1
          }.dispose(in: bag)
        }.dispose(in: bag)
      }.dispose(in: bag)
      loop.run()
      return count
    }
    #expect(count == 1000)
  }

  @Test func `curl gets a page, sends a body, and several at once`() async throws {
    try await withLoop { loop, bag in
      let listener = try TCPListener(on: .loopback(port: 0))
      listener.connections.observeNext { connection in
        var lines: [String] = []
        var length = 0
        // Only the head is read: the length of the body is in it.
        connection.bytes.split(on: "\r\n\r\n", limit: 10_000).take(1).observeNext { head in
          lines = String(head).components(separatedBy: "\r\n")
          length =
            lines.compactMap { line in
              line.lowercased().hasPrefix("content-length: ") ? Int(line.dropFirst(16)) : nil
            }.first ?? 0
          let page = Bytes("you asked for \(lines[0]), \(length)\n")
          connection.write(
            Bytes("HTTP/1.1 200 OK\r\nContent-Length: \(page.count)\r\nConnection: close\r\n\r\n") + page)
          connection.close(within: .seconds(30))
        }.dispose(in: bag)
      }.dispose(in: bag)
      let url = "http://127.0.0.1:\(listener.address.port)"
      let page = Self.run(ProcessCommand("curl", ["-sS", "--noproxy", "*", "\(url)/page"]), "", loop)
      #expect(page?.output == "you asked for GET /page HTTP/1.1, 0\n", "\(page?.errorOutput ?? "")")
      let several = Self.run(
        ProcessCommand("curl", ["-sS", "--noproxy", "*", "--parallel", "\(url)/{1,2,3,4,5,6,7,8}"]), "", loop)
      #expect(several?.output.split(separator: 10).count == 8)
      let sent = Self.run(
        ProcessCommand("curl", ["-sS", "--noproxy", "*", "-H", "Expect:", "-d", "0123456789", "\(url)/form"]), "", loop)
      #expect(sent?.output == "you asked for POST /form HTTP/1.1, 10\n")
      bag.dispose()
      listener.dispose()
    }
  }

  @Test func `the first of several addresses that answers wins; all refused is one error with the name`() async throws {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      let listener = try TCPListener(on: .loopback(port: 0))
      listener.connections.observeNext { $0.close() }.dispose(in: bag)
      // The socket is bound but does not listen: it refuses connections, and no other process gets its port.
      let gone = try Refusing()
      // The first address does not answer, at least not in time, and the second one refuses.
      let addresses = [try SocketAddress("192.0.2.1:9"), gone.address, listener.address]
      Operation.connect(toFirstOf: addresses).observe { event in
        if let connection = event.element {
          log.append("\((try? connection.remoteAddress()) == listener.address)")
          connection.close()
          listener.dispose()
        }
        if event.isTermination { log.append("end \(event.error?.name ?? "-")") }
      }.dispose(in: bag)
      loop.run()
      Operation.connect(toFirstOf: [gone.address, gone.address], name: "example").observe { event in
        log.append("\(event.error?.name ?? "-") \(event.error?.path ?? "-")")
      }.dispose(in: bag)
      Operation.connect(toFirstOf: []).observe { log.append($0.error?.name ?? "-") }.dispose(in: bag)
      loop.run()
      log.append("\(gone.address)")
      return log
    }
    #expect(log.count == 5)
    let address = log.last ?? ""
    #expect(log.dropLast() == ["true", "end -", "EADDRNOTAVAIL", "ECONNREFUSED example at \(address)"])
  }

  @Test func `localhost by both families, a numeric address, and a name that does not exist`() async throws {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      // Not every machine has ::1 under this name.
      var families: Set<SocketAddress.Family> = []
      Operation<[SocketAddress], UVError>.addresses(of: "localhost", port: 1).observe(
        next: { for address in $0 { families.insert(address.family) } }, termination: { _ in loop.stop() }
      ).dispose(in: bag)
      loop.run()
      #expect(!families.isEmpty)
      for family in [SocketAddress.Family.ipv4, .ipv6] {
        let listener = try TCPListener(on: family == .ipv4 ? .loopback(port: 0) : .loopbackIPv6(port: 0))
        listener.connections.observeNext { $0.close() }.dispose(in: bag)
        // By name for any family and for this family alone, and by the numeric address.
        let name = families.contains(family) ? "localhost" : listener.address.host
        for (host, wanted) in [(name, nil), (name, family), (listener.address.host, nil)] {
          Operation.connect(host: host, port: listener.address.port, family: wanted).observe(
            next: { connection in
              log.append((try? connection.remoteAddress()) == listener.address ? "connected" : "elsewhere")
              connection.close()
            },
            termination: { end in
              if let failure = end.failure { log.append("\(failure)") }
              loop.stop()
            }
          ).dispose(in: bag)
          loop.run()
        }
        listener.dispose()
      }
      Operation.connect(host: "no-such-host.invalid", port: 1).observeFailed {
        log.append("\($0.path ?? "-")")
        loop.stop()
      }.dispose(in: bag)
      loop.run()
      // Disposed while the name is being resolved.
      Operation.connect(host: "another.invalid", port: 1).observe { _ in Issue.record("told something") }.dispose()
      bag.dispose()
      loop.run()
      return log
    }
    #expect(log == Array(repeating: "connected", count: 6) + ["no-such-host.invalid"])
  }
}

/// A local address that refuses connections.
final class Refusing {
  let address: SocketAddress
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_addr = in6addr_loopback
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let status = withUnsafeMutablePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(descriptor, name, length) == 0 ? getsockname(descriptor, name, &length) : -1
      }
    }
    try #require(status == 0)
    address = .loopbackIPv6(port: UInt16(bigEndian: name.sin6_port))
  }

  deinit { close(descriptor) }
}
