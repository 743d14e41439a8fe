import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output and standard error. Prints the names of the files if there are several.
final class Output {
  private let showsNames: Bool
  private var name: String?

  init(showsNames: Bool) { self.showsNames = showsNames }

  /// Prints bytes of the file at `path`. Blocks while the reader is slow, so nothing is read from files meanwhile.
  func put(_ bytes: Bytes, from path: String) {
    if showsNames, name != path { write(Bytes("\(name == nil ? "" : "\n")==> \(path) <==\n"), to: STDOUT_FILENO) }
    name = path
    write(bytes, to: STDOUT_FILENO)
  }

  /// Writes a message to standard error.
  func complain(_ text: String) { write(Bytes("follow: \(text)\n"), to: STDERR_FILENO) }

  private func write(_ bytes: Bytes, to descriptor: Int32) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let count = Self.write(descriptor, bytes.baseAddress! + start, bytes.count - start)
        if count >= 0 {
          start += count
        } else if errno == EAGAIN {
          // Another process that shares the descriptor has made it nonblocking.
          var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&polled, 1, -1)
        } else if errno != EINTR {
          // For example, the disk is full. A reader that has closed the pipe has seen enough.
          if descriptor == STDOUT_FILENO, errno != EPIPE { perror("follow: cannot write") }
          exit(1)
        }
      }
    }
  }

  /// Calls the function of the C library, which the method of the same name hides.
  private static func write(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, start, count)
    #else
    Darwin.write(descriptor, start, count)
    #endif
  }
}
