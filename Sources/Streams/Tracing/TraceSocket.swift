#if Tracing
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A local socket on which a reader receives events as they happen, one line of JSON each.
///
/// The program does not wait for its reader: up to 1 MB waits, then lines are dropped. A reader learns how many from the next line that
/// has room.
final class TraceSocket: TraceTarget {
  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var sent = 0
  private var dropped = 0
  private var isClosed = false

  init(_ path: String) throws(TracingError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw TracingError("The path of a socket has 1 to 107 bytes; '\(path)' has \(bytes.count).")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_UNIX, kind, 0)
    // Before it connects, because a reader that accepts nobody would make the program wait.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard descriptor >= 0, status == 0 else {
      let reason = String(cString: strerror(errno))
      closeSocket()
      throw TracingError("No reader listens at '\(path)': \(reason). Start it first, for example stream-top.")
    }
  }

  func write(_ line: String, keeping open: Trace.OpenRecords) -> String? {
    if isClosed { return nil }
    if pending.count > 1 << 20 {
      dropped += 1
    } else {
      noteDropped()
      // Without the comma, each line is a value.
      pending += line.utf8.dropLast(2)
      pending.append(UInt8(ascii: "\n"))
    }
    flush()
    return nil
  }

  private func noteDropped() {
    if dropped == 0 { return }
    pending += "{\"ph\":\"i\",\"cat\":\"dropped\",\"name\":\"dropped\",\"args\":{\"count\":\(dropped)}}\n".utf8
    dropped = 0
  }

  private func flush() {
    while sent < pending.count {
      let count = pending.withUnsafeBytes { bytes in
        #if canImport(Glibc)
        send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        #else
        send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, 0)
        #endif
      }
      if count <= 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { isClosed = true }
        break
      }
      sent += count
    }
    if sent == pending.count || sent > 1 << 18 {
      pending.removeFirst(sent)
      sent = 0
    }
  }

  func close() {
    noteDropped()
    flush()
    closeSocket()
  }

  private func closeSocket() {
    #if canImport(Glibc)
    _ = Glibc.close(descriptor)
    #else
    _ = Darwin.close(descriptor)
    #endif
  }
}
#endif
