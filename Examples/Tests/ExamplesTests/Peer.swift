import Foundation
import Testing

/// A connection that the test itself reads and writes. Its methods block, so use it on its own thread.
final class Peer {
  private var descriptor: Int32
  private var received: [UInt8] = []

  /// Connects to a port of this machine. If `smallWindow`, the system buffers only a few received bytes.
  init(port: UInt16, smallWindow: Bool = false) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if smallWindow {
      var size: Int32 = 4096
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    try connect(loopback(port))
  }

  /// Takes over an open connection.
  init(descriptor: Int32) throws {
    self.descriptor = descriptor
    setPatience()
  }

  /// Connects to a local socket.
  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try connect(address)
  }

  private func setPatience() {
    var patience = timeval(tv_sec: Int(Child.patience / .seconds(1)), tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  private func connect<Address>(_ address: Address) throws {
    setPatience()
    let status = withUnsafeBytes(of: address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) {
        Foundation.connect(descriptor, $0.baseAddress!, socklen_t(bytes.count))
      }
    }
    if status != 0 { throw CannotConnect(reason: String(cString: strerror(errno))) }
  }

  /// A failure to connect, for example because there is no listener.
  struct CannotConnect: Error {
    let reason: String
  }

  deinit { hangUp() }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends all bytes. Returns false if the peer does not accept them.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool { Self.send(bytes, descriptor) }

  /// Sends all bytes on a new thread, then closes the sending side.
  func sendBehind(_ bytes: [UInt8]) {
    let copy = dup(descriptor)
    Thread.detachNewThread {
      _ = Self.send(bytes, copy)
      shutdown(copy, Int32(SHUT_WR))
      close(copy)
    }
  }

  private static func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Self.quietly) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static let quietly = Int32(MSG_NOSIGNAL)

  /// Sends as many bytes as possible without waiting. Returns their number.
  func sendWhatGoes(_ bytes: [UInt8]) -> Int {
    var total = 0
    while total < bytes.count {
      let count = bytes[total...].withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Self.quietly | Int32(MSG_DONTWAIT))
      }
      guard count > 0 else { break }
      total += count
    }
    return total
  }

  /// Waits until the system of the peer has received all bytes that were sent.
  func waitUntilDelivered() throws {
    let end = ContinuousClock.now + Child.patience
    var count: Int32 = 1
    while count > 0 {
      try #require(ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 && ContinuousClock.now < end)
      usleep(1000)
    }
  }

  /// Waits until the peer has sent something.
  func waitUntilAnswered() throws {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    try #require(poll(&waiting, 1, 30_000) == 1)
  }

  /// Closes the sending side.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Resets the connection. Bytes that were sent may be lost, and the peer receives an error.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    hangUp()
  }

  /// Closes the connection. Idempotent.
  func hangUp() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Reads to the end. Returns whether the end is a reset of the connection.
  func isReset() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count <= 0 { return count < 0 && errno == ECONNRESET }
    }
  }

  /// Waits for a reset of the connection, without reading. Returns false if there is none.
  func breaks() -> Bool {
    // The system reports errors even if no event is asked for.
    var polled = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&polled, 1, Int32(Child.patience / .milliseconds(1))) > 0 && polled.revents & Int16(POLLERR) != 0
  }

  /// Whether the server has closed or reset the connection. Waits for that.
  func hasEnded() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count <= 0 { return count == 0 || errno == ECONNRESET }
    }
  }

  /// The next line, without its end; nil at the end.
  func line() throws -> String? {
    while true {
      if let end = received.firstIndex(of: 0x0A) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        return line
      }
      if try !receive() { return nil }
    }
  }

  /// Returns the next `count` bytes.
  func bytes(_ count: Int) throws -> [UInt8] {
    while received.count < count { try #require(try receive(), "the connection has ended") }
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }

  /// Returns all bytes until the peer has finished. Throws if the connection fails instead.
  func rest() throws -> [UInt8] {
    while try receive() {}
    defer { received = [] }
    return received
  }

  private func receive() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    try #require(count >= 0, "reading failed: \(String(cString: strerror(errno)))")
    received += chunk[..<count]
    return count > 0
  }
}

/// A listener on a port of this machine, whose connections the test itself accepts.
final class PeerListener {
  private let descriptor: Int32
  let port: UInt16

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) {
        bind(descriptor, $0.baseAddress!, size) | listen(descriptor, 10)
          | getsockname(descriptor, $0.baseAddress!, &size)
      }
    }
    try #require(status == 0)
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  /// Waits for the next connection.
  func accept() throws -> Peer {
    let accepted = Foundation.accept(descriptor, nil, nil)
    try #require(accepted >= 0)
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    return try Peer(descriptor: accepted)
  }
}

func loopback(_ port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  return address
}

/// Returns `count` bytes in a pattern that makes misplaced parts easy to detect.
func someBytes(_ count: Int) -> [UInt8] {
  var block = (0..<min(count, 99_991)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  while block.count < count { block += block.prefix(count - block.count) }
  return block
}

/// A program with which tests talk to an example. If it is missing, the tests that need it are skipped, except in CI.
/// `Scripts/test-examples` installs the packages in `Tests/packages`.
enum Tool: String {
  case nc
  case socat
  case curl

  /// The path of the program, or a path that does not exist.
  var path: String {
    ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(rawValue)" }
      .first { access($0, X_OK) == 0 } ?? "/nonexistent/\(rawValue)"
  }

  /// Whether the tests that need the program run.
  var isExpected: Bool { access(path, X_OK) == 0 || ProcessInfo.processInfo.environment["CI"] != nil }
}

extension Child {
  convenience init(_ tool: Tool, _ arguments: [String]) throws { try self.init(path: tool.path, arguments) }

  /// Returns the port on which the program reports to listen: the number at the end of the first line.
  func port() throws -> UInt16 {
    try wait(for: "the address") { $0.output.contains("\n") }
    return try #require(lines[0].split(separator: ":").last.flatMap { UInt16($0) })
  }
}
