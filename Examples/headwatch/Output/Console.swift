#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What is said to the person at the terminal, beside the output itself: status lines and complaints on standard error.
final class Console {
  private let showsStatus: Bool
  private let isColoured: Bool

  /// Makes a console. Status lines are shown on a terminal only.
  init(isQuiet: Bool) {
    showsStatus = !isQuiet && isatty(STDERR_FILENO) != 0
    isColoured = Self.usesColour(on: STDERR_FILENO)
  }

  /// Whether colours are in place: on a terminal that has them, unless `NO_COLOR` is set to something.
  static func usesColour(on descriptor: Int32) -> Bool {
    guard isatty(descriptor) != 0 else { return false }
    if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
    return getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
  }

  /// A line about what goes on, such as `[headwatch] running: make`; red where it is a failure.
  func status(_ text: String, isFailure: Bool = false) {
    guard showsStatus else { return }
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
    write("\u{1b}[H\u{1b}[2J\u{1b}[3J", to: STDOUT_FILENO)
  }

  private func say(_ text: String) { write(text, to: STDERR_FILENO) }

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
