import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output, with the names of files where there are several.
final class Output {
  private let showsNames: Bool
  private var name: String?

  init(showsNames: Bool) { self.showsNames = showsNames }

  /// Prints what comes from a file. Who reads slowly is waited for: nothing is read meanwhile.
  func put(_ bytes: Bytes, from path: String) {
    if showsNames, name != path { write(Bytes("\(name == nil ? "" : "\n")==> \(path) <==\n"), to: STDOUT_FILENO) }
    name = path
    write(bytes, to: STDOUT_FILENO)
  }

  /// Says what is to be known besides on standard error.
  func complain(_ text: String) { write(Bytes("follow: \(text)\n"), to: STDERR_FILENO) }

  private func write(_ bytes: Bytes, to descriptor: Int32) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let count = Self.write(descriptor, bytes.baseAddress! + start, bytes.count - start)
        if count >= 0 {
          start += count
        } else if errno == EAGAIN {
          // Somebody who shares it has made it so that it does not wait.
          var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&polled, 1, -1)
        } else if errno != EINTR {
          // The disk is full, or the terminal has gone.
          exit(1)
        }
      }
    }
  }

  /// The function of the C library, which the method of the same name hides.
  private static func write(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, start, count)
    #else
    Darwin.write(descriptor, start, count)
    #endif
  }
}
