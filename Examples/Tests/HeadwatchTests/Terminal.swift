import Foundation
import Testing

/// A pseudo-terminal that the test reads and types into.
final class Terminal {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  /// The path of the terminal's device.
  let path: String

  init() throws {
    descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN, because Swift does not import the C library's functions for these.
    var lock: Int32 = 0
    var number: UInt32 = 0
    try #require(ioctl(descriptor, 0x4004_5431, &lock) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0)
    path = "/dev/pts/\(number)"
  }

  deinit { close(descriptor) }

  /// Whether the terminal echoes what is typed.
  var isEchoing: Bool {
    var mode = termios()
    return tcgetattr(descriptor, &mode) == 0 && mode.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Types `text`.
  func type(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
  }

  /// Sets the width in characters.
  func resize(columns: UInt16) {
    // TIOCSWINSZ takes rows, columns, and two sizes in pixels.
    var size: [UInt16] = [24, columns, 0, 0]
    _ = ioctl(descriptor, 0x5414, &size)
  }

  /// The output so far.
  var text: String {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
