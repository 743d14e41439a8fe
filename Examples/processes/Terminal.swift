#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The function of the C library, which the method of the same name would hide.
private let systemWrite = write(_:_:_:)

/// Standard output, which may be a terminal.
enum Terminal {
  static var isThere: Bool { isatty(STDOUT_FILENO) != 0 }

  /// The size of the terminal. 24 rows and 80 columns if it is unknown.
  static var size: Screen.Size {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return Screen.Size(rows: 24, columns: 80)
    }
    return Screen.Size(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }

  /// Switches to the alternate screen, hides the cursor, and clears the screen.
  static let enter = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J"
  /// Shows the cursor, and returns to the original screen.
  static let leave = "\u{1b}[?25h\u{1b}[?1049l"

  /// Writes to standard output. Ends the program if that fails, for example because the disk is full.
  static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        // A reader that has closed the pipe has seen enough.
        if errno != EPIPE { perror("processes: cannot write") }
        _exit(1)
      }
    }
  }
}
