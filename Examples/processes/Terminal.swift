#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output, and what it is when it is a terminal.
enum Terminal {
  static var isThere: Bool { isatty(STDOUT_FILENO) != 0 }

  /// The size of the terminal, 24 by 80 where it does not know.
  static var size: Screen.Size {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return Screen.Size(rows: 24, columns: 80)
    }
    return Screen.Size(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }

  /// Another screen, without a cursor.
  static let enter = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J"
  /// The screen as it was before.
  static let leave = "\u{1b}[?25h\u{1b}[?1049l"

  static func write(_ text: String) {
    print(text, terminator: "")
    fflush(nil)
  }
}
