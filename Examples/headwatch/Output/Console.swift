import EventLoops
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What is said to the person at the terminal, beside the output itself, on standard error: what happens and complaints are
/// lines, and the last line says how things are until something is printed again.
final class Console {
  private let showsStatus: Bool
  private let isColoured: Bool
  /// The status as it is to be shown now; nil while a command has the terminal.
  private var status: StatusLine?
  private var isDrawn = false
  private var lastProgress: ContinuousClock.Instant?
  private var terminal: TTYHandle?

  /// Makes a console. What happens is told on a terminal only.
  init(isQuiet: Bool, color: ColorChoice) {
    showsStatus = !isQuiet && isatty(STDERR_FILENO) != 0
    isColoured = color.isColoured(on: STDERR_FILENO)
    if showsStatus { terminal = try? TTYHandle(descriptor: STDERR_FILENO) }
  }

  /// A line about what goes on, such as `[headwatch] running: make`; red where it is a failure.
  func tell(_ text: String, isFailure: Bool = false) {
    guard showsStatus else { return }
    let text = terminal == nil ? text : StatusLine.cut(text, to: columns - "[headwatch] ".count)
    say(isColoured ? "\u{1b}[\(isFailure ? "31" : "2")m[headwatch] \(text)\u{1b}[0m\n" : "[headwatch] \(text)\n")
  }

  /// Ends the line in which the terminal has shown a key, so that the next begins a new one.
  func breakLine() { if showsStatus { say("\n") } }

  /// A line as it is, on any kind of standard error.
  func note(_ text: String) { say("\(text)\n") }

  /// A line about what went wrong.
  func complain(_ text: String) { say("headwatch: \(text)\n") }

  /// Clears the screen and what has scrolled out of it, where standard output is a terminal.
  func clear() {
    guard isatty(STDOUT_FILENO) != 0 else { return }
    erase()
    write("\u{1b}[H\u{1b}[2J\u{1b}[3J", to: STDOUT_FILENO)
  }

  // MARK: The status line

  /// Shows how things are in the last line, or nothing.
  func show(_ status: StatusLine?) {
    erase()
    self.status = status
    draw()
  }

  /// Shows what is scanned, up to ten times a second.
  func showProgress(_ status: StatusLine) {
    let now = ContinuousClock.now
    guard lastProgress.map({ now - $0 >= .milliseconds(100) }) ?? true else { return }
    lastProgress = now
    show(status)
  }

  /// Calls `body`, which writes to the terminal, with the status line out of the way.
  func withoutStatusLine(_ body: () -> Void) {
    erase()
    body()
    draw()
  }

  /// Takes the status line away, for what is printed next.
  private func erase() {
    guard isDrawn else { return }
    isDrawn = false
    write("\r\u{1b}[K", to: STDERR_FILENO)
  }

  private func draw() {
    guard terminal != nil, let status else { return }
    isDrawn = true
    // One column stays free: some terminals go to the next line after the last.
    write(status.text(columns: columns - 1, isColoured: isColoured), to: STDERR_FILENO)
  }

  private var columns: Int {
    let size = try? terminal?.windowSize()
    return size.map { $0.columns > 0 ? $0.columns : 80 } ?? 80
  }

  /// Shows the status line as the terminal's size demands, until `bag` is disposed.
  func followSize(in bag: DisposeBag) {
    terminal?.sizes.observe(next: { [unowned self] _ in withoutStatusLine {} }, termination: { _ in }).dispose(in: bag)
  }

  /// Takes the status line away and lets go of the terminal.
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

/// Whether output has colours.
nonisolated enum ColorChoice: String, CaseIterable {
  /// On a terminal that has them, unless `NO_COLOR` is set to something.
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
