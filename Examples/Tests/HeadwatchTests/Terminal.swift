import Foundation
import Testing

/// A pseudo-terminal whose output is read.
final class Terminal {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  /// The file that stands for the terminal.
  let path: String

  init() throws {
    descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN: the functions of the C library for these are hidden from Swift.
    var lock: Int32 = 0
    var number: UInt32 = 0
    try #require(ioctl(descriptor, 0x4004_5431, &lock) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0)
    path = "/dev/pts/\(number)"
  }

  deinit { close(descriptor) }

  /// What has been written to it so far.
  var text: String {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
