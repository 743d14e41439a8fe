import EventLoops
import Glibc
import Streams
import StreamsTesting

/// A small HTTP server over plain sockets on the loop of the test.
///
/// `/size/N` responds with N bytes, and `/echo` with the body of the request and its method in the field `X-Method`. `/moved`
/// redirects to `/size/10`, and `/moved/N/M` with the status N to `/moved/M`, which ends at `/echo`. `/silent` does not respond, and
/// `/short` closes the connection in the middle of the body. `/chunks/TEXT` responds with the text as a chunk, and with fields after
/// it. `/forged` has fields in its head and after its body that begin like a head.
final class HTTPServer {
  /// The port on 127.0.0.1, which the system chooses.
  private(set) var port: UInt16 = 0
  /// The number of bytes that the system has accepted, heads included.
  private(set) var sent = 0
  /// The largest number of simultaneous connections.
  private(set) var peak = 0
  private var connections: [Int32: HTTPConnection] = [:]
  private let descriptor: Int32
  private var listening: Subscription?

  /// Creates a server that listens on the loop of this thread.
  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { address in
        bind(descriptor, address.baseAddress!, length) | listen(descriptor, 256)
          | getsockname(descriptor, address.baseAddress!, &length)
      }
    }
    guard status == 0 else { throw TestError("no server") }
    port = UInt16(bigEndian: address.sin_port)
    listening = Operation<PollEvents, UVError>.poll(descriptor, for: .readable).observeNext { [unowned self] _ in
      accept()
    }
  }

  /// Stops listening and closes all connections. A second call does nothing.
  func close() {
    guard let listening else { return }
    listening.dispose()
    self.listening = nil
    Glibc.close(descriptor)
    for connection in connections.values { connection.close() }
    connections = [:]
  }

  /// The number of open connections.
  var connectionCount: Int { connections.count }

  /// Returns the URL of a path of this server.
  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Returns a range of the bytes that `/size/N` responds with.
  static func bytes(_ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    // The pattern repeats after 65,536 bytes.
    while bytes.count < range.count {
      let start = (range.lowerBound + bytes.count) & 0xffff
      bytes += pattern[start..<min(0x10000, start + range.count - bytes.count)]
    }
    return bytes
  }

  private static let pattern = (0..<0x10000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  private func accept() {
    while case let peer = Glibc.accept(descriptor, nil, nil),
      peer >= 0
    {
      connections[peer] = HTTPConnection(peer) { [unowned self] event in
        switch event {
        case .sent(let count): sent += count
        case .closed: connections[peer] = nil
        }
      }
      peak = max(peak, connections.count)
    }
  }
}

/// A connection that serves one request at a time.
private final class HTTPConnection {
  enum Event {
    case sent(Int)
    case closed
  }

  private let descriptor: Int32
  private let tell: (Event) -> Void
  private var poll: Subscription?
  private var request: [UInt8] = []
  private var answer: [UInt8] = []
  /// The part of the body that has not been generated yet.
  private var body = 0..<0
  private var breaksOff = false

  init(_ descriptor: Int32, _ tell: @escaping (Event) -> Void) {
    self.descriptor = descriptor
    self.tell = tell
    var size: Int32 = 65_536
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    wait(for: .readable)
  }

  private func wait(for events: PollEvents) {
    poll?.dispose()
    poll = Operation<PollEvents, UVError>.poll(descriptor, for: events).observe(
      next: { [unowned self] ready in if ready.contains(.writable) { write() } else { read() } },
      // The client has reset the connection.
      termination: { [unowned self] _ in end() })
  }

  func close() {
    poll?.dispose()
    poll = nil
    Glibc.close(descriptor)
  }

  private func end() {
    close()
    tell(.closed)
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, errno == EAGAIN { return }
    if count <= 0 { return end() }
    request += buffer.prefix(count)
    guard let headCount = Self.headCount(request) else { return }
    let head = String(decoding: request.prefix(headCount), as: UTF8.self)
    let length =
      head.split(whereSeparator: \.isNewline).compactMap { line in
        line.lowercased().hasPrefix("content-length: ") ? Int(line.dropFirst(16)) : nil
      }.first ?? 0
    guard request.count >= headCount + length else { return }
    let received = Array(request[headCount..<headCount + length])
    request = []
    let words = head.split(separator: " ")
    respond(String(words[0]), String(words[1]), received)
  }

  /// Returns the length of a request's head, including the empty line. Returns nil if the empty line has not been received.
  private static func headCount(_ request: [UInt8]) -> Int? {
    let end = Array("\r\n\r\n".utf8)
    guard request.count >= end.count else { return nil }
    return (end.count...request.count).first { request[($0 - end.count)..<$0].elementsEqual(end) }
  }

  private func respond(_ method: String, _ path: String, _ received: [UInt8]) {
    func head(_ status: String, _ length: Int) -> [UInt8] {
      let fields = "Content-Length: \(length)\r\nX-Path: \(path)\r\nX-Method: \(method)\r\n"
      return Array("HTTP/1.1 \(status)\r\n\(fields)\r\n".utf8)
    }
    if path.hasPrefix("/size/"), let size = Int(path.dropFirst(6)) {
      answer = head("200 OK", size)
      body = 0..<size
    } else if path == "/echo" {
      answer = head("200 OK", received.count) + received
    } else if path == "/short" {
      answer = head("200 OK", 1000)
      body = 0..<500
      breaksOff = true
    } else if path == "/moved" {
      answer = Array("HTTP/1.1 302 Found\r\nLocation: /size/10\r\nContent-Length: 0\r\n\r\n".utf8)
    } else if path.hasPrefix("/moved/") {
      let codes = path.split(separator: "/").dropFirst()
      let rest = codes.dropFirst().map { "/\($0)" }.joined()
      let target = rest.isEmpty ? "/echo" : "/moved\(rest)"
      answer = Array("HTTP/1.1 \(codes[1]) Moved\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n".utf8)
    } else if path.hasPrefix("/chunks/") {
      let text = path.dropFirst(8)
      let chunk = text.isEmpty ? "" : "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
      let end = "0\r\nX-Sum: 5\r\nX-B: c\r\n\r\n"
      answer = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\(end)".utf8)
    } else if path == "/forged" {
      let fields = "X-First: 1\r\nHTTP/9 404: x\r\nTransfer-Encoding: chunked\r\n"
      answer = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n1\r\na\r\n0\r\nHTTP/1.1 404: x\r\nX-B: c\r\n\r\n".utf8)
    } else if path == "/silent" {
      return
    } else {
      answer = head("404 Not Found", 0)
    }
    wait(for: .writable)
  }

  private func write() {
    if answer.isEmpty, !body.isEmpty {
      let part = body.prefix(65_536)
      answer = HTTPServer.bytes(part)
      body = part.endIndex..<body.endIndex
    }
    if answer.isEmpty { return breaksOff ? end() : wait(for: .readable) }
    let count = send(descriptor, answer, answer.count, Int32(MSG_NOSIGNAL))
    if count < 0, errno == EAGAIN { return }
    if count < 0 { return end() }
    answer.removeFirst(count)
    tell(.sent(count))
  }
}
