#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A local socket that reads what one client sends.
struct LocalListener {
  struct Failure: Error {
    let code: Int32
  }

  private let descriptor: Int32

  /// - Parameter isFull: Whether clients already wait to be accepted, as many as may.
  init(_ path: String, isFull: Bool = false) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    #if canImport(Glibc)
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
    descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if status != 0 || listen(descriptor, isFull ? 0 : 1) != 0 { throw Failure(code: errno) }
    if isFull { try Self.fill(address) }
  }

  private static func fill(_ address: sockaddr_un) throws {
    var address = address
    for _ in 0..<10 {
      #if canImport(Glibc)
      let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      #else
      let client = socket(AF_UNIX, SOCK_STREAM, 0)
      #endif
      _ = fcntl(client, F_SETFL, O_NONBLOCK)
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      if status != 0 { return }
    }
    throw Failure(code: 0)
  }

  /// Waits for a client and returns what it sends until it closes the connection, line by line.
  func linesOfOneClient() throws -> [String] {
    let client = accept(descriptor, nil, nil)
    if client < 0 { throw Failure(code: errno) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(client, &part, part.count)
      if count <= 0 { break }
      bytes += part[..<count]
    }
    close(client)
    close(descriptor)
    return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}
