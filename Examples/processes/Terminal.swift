#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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
    print(text, terminator: "")
    if fflush(nil) == 0 { return }
    // A reader that has closed the pipe has seen enough.
    if errno != EPIPE { perror("processes: cannot write") }
    exit(1)
  }
}
