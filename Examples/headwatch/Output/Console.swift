import EventLoops
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Messages for the user on standard error, and a status line below them.
///
/// A message is a line. The status line is the last line of the terminal, and it is erased before anything else is
/// printed.
final class Console {
  private let showsStatus: Bool
  private let isColoured: Bool
  /// The status to show, or nil while a command uses the terminal.
  private var status: StatusLine?
  private var isDrawn = false
  private var lastProgress: ContinuousClock.Instant?
  private var terminal: TTYHandle?

  /// Creates a console. Status is shown on a terminal only, and not if `isQuiet` is true.
  init(isQuiet: Bool, color: ColorChoice) {
    showsStatus = !isQuiet && isatty(STDERR_FILENO) != 0
    isColoured = color.isColoured(on: STDERR_FILENO)
    if showsStatus { terminal = try? TTYHandle(descriptor: STDERR_FILENO) }
  }

  /// Prints a status message such as `[headwatch] running: make`, in red if it reports a failure. Prints nothing if
  /// status is not shown.
  func tell(_ text: String, isFailure: Bool = false) {
    guard showsStatus else { return }
    let text = terminal == nil ? text : StatusLine.cut(text, to: columns - "[headwatch] ".count)
    say(isColoured ? "\u{1b}[\(isFailure ? "31" : "2")m[headwatch] \(text)\u{1b}[0m\n" : "[headwatch] \(text)\n")
  }

  /// Ends the line in which the terminal has echoed a key, so that the next message begins a new line.
  func breakLine() { if showsStatus { say("\n") } }

  /// Prints a line without a prefix, even if standard error is not a terminal.
  func note(_ text: String) { say("\(text)\n") }

  /// Prints a warning or an error, even if standard error is not a terminal.
  func complain(_ text: String) { say("headwatch: \(text)\n") }

  /// Clears the screen and the scrollback buffer, if standard output is a terminal.
  func clear() {
    guard isatty(STDOUT_FILENO) != 0 else { return }
    erase()
    write("\u{1b}[H\u{1b}[2J\u{1b}[3J", to: STDOUT_FILENO)
  }

  // MARK: The status line

  /// Shows `status` in the last line, or removes the status line if `status` is nil.
  func show(_ status: StatusLine?) {
    erase()
    self.status = status
    draw()
  }

  /// Shows the progress of the scan, at most ten times a second.
  func showProgress(_ status: StatusLine) {
    let now = ContinuousClock.now
    guard lastProgress.map({ now - $0 >= .milliseconds(100) }) ?? true else { return }
    lastProgress = now
    show(status)
  }

  /// Erases the status line, calls `body`, which writes to the terminal, and draws the status line again.
  func withoutStatusLine(_ body: () -> Void) {
    erase()
    body()
    draw()
  }

  /// Erases the status line, so that something else can be printed.
  private func erase() {
    guard isDrawn else { return }
    isDrawn = false
    write("\r\u{1b}[K", to: STDERR_FILENO)
  }

  private func draw() {
    guard terminal != nil, let status else { return }
    isDrawn = true
    // Leaves one column free, because some terminals wrap after the last column.
    write(status.text(columns: columns - 1, isColoured: isColoured), to: STDERR_FILENO)
  }

  private var columns: Int {
    let size = try? terminal?.windowSize()
    return size.map { $0.columns > 0 ? $0.columns : 80 } ?? 80
  }

  /// Draws the status line again when the size of the terminal changes, until `bag` is disposed.
  func followSize(in bag: DisposeBag) {
    terminal?.sizes.observe(next: { [unowned self] _ in withoutStatusLine {} }, termination: { _ in }).dispose(in: bag)
  }

  /// Removes the status line and releases the terminal.
  func close() {
    show(nil)
    terminal?.dispose()
    terminal = nil
  }

  private func say(_ text: String) { withoutStatusLine { write(text, to: STDERR_FILENO) } }

  private func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { _ = Self.write(descriptor, $0) }
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #else
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}

/// The use of colors, as `--color` selects it.
nonisolated enum ColorChoice: String, CaseIterable {
  /// Colors on a terminal that supports them, unless `NO_COLOR` has a value.
  case auto
  case always
  case never

  func isColoured(on descriptor: Int32) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      guard isatty(descriptor) != 0 else { return false }
      if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
      return getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
    }
  }
}
