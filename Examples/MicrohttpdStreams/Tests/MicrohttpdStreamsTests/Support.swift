import EventLoops
import Foundation
import Glibc
import MicrohttpdStreams
import Streams
import StreamsTesting
import Testing

/// All tests of the server. They run one after the other.
@Suite("HTTP server", .serialized, .noLiveResources)
enum ServerTests {}

/// Runs `body` on its own thread, with a loop.
func withLoop<Result: Sendable>(_ body: @escaping @Sendable (Loop) throws -> Result) async throws -> Result {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    return try body(loop)
  }
}

extension Loop {
  /// Runs until `condition` holds; throws after two minutes.
  func run(until what: @autoclosure () -> String, _ condition: @escaping () -> Bool) throws {
    if condition() { return }
    let deadline = ContinuousClock.now + .seconds(120)
    let timer = try TimerHandle()
    defer { timer.dispose() }
    timer.start(after: .milliseconds(1), every: .milliseconds(1)) {
      if condition() || ContinuousClock.now > deadline { Loop.current.stop() }
    }
    run()
    if !condition() { throw TestError("not in time: \(what())") }
  }
}

/// A client on its own thread, which sends `text` and reads until the server closes the connection.
final class Client: Sendable {
  private let received = Lock<String?>(nil)
  private let ended = Lock(false)

  /// - Parameters:
  ///   - leavesAfterSending: Closes the connection after `text`, and reads nothing.
  ///   - endsAfterSending: Ends its side of the connection after `text`, and reads the answer.
  init(_ port: UInt16, _ text: String, leavesAfterSending: Bool = false, endsAfterSending: Bool = false) {
    Thread.detachNewThread { [self] in
      let answer = exchange(port, Array(text.utf8), leavesAfterSending, endsAfterSending)
      received.withLock { $0 = answer }
    }
  }

  /// A request without a body.
  static func get(_ port: UInt16, _ path: String) -> Client {
    Client(port, "GET \(path) HTTP/1.1\r\nHost: localhost\r\nX-Test: yes\r\nConnection: close\r\n\r\n")
  }

  /// A request with a body.
  static func post(_ port: UInt16, _ body: String) -> Client {
    Client(
      port,
      "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// All text that the server has sent; nil until the connection is closed.
  var answer: String? { received.withLock { $0 } }

  /// True if the client has ended its side of the connection.
  var hasEnded: Bool { ended.withLock { $0 } }

  /// The status of the response; zero if there is none, nil until the connection is closed.
  var status: Int? { answer.map { Int($0.dropFirst(9).prefix(3)) ?? 0 } }

  /// The text after the header.
  var body: Substring? { answer.flatMap { text in text.firstRange(of: "\r\n\r\n").map { text[$0.upperBound...] } } }

  private func exchange(_ port: UInt16, _ bytes: [UInt8], _ leaves: Bool, _ ends: Bool) -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if !isConnected { return "" }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count <= 0 { break }
      rest = rest.dropFirst(count)
    }
    if leaves { return "" }
    if ends {
      shutdown(descriptor, Int32(SHUT_WR))
      ended.withLock { $0 = true }
    }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { received += buffer.prefix(count) }
    return String(decoding: received, as: UTF8.self)
  }
}
