#if canImport(Glibc)
import CStreams
import Glibc

/// Prints the order in which a program traps or crashes. The process ends afterwards, so the exploration cannot report it.
enum Traps {
  /// The object of a step that asks for the order.
  // Only its address is used.
  nonisolated(unsafe) static let question = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

  /// Installs the handlers, once.
  static let areReported: Void = {
    _ = question
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS] {
      signal(number) { number in
        // The instruction that traps runs again, now without a handler.
        signal(number, SIG_DFL)
        headwater_pass(Traps.question, HEADWATER_ACCESSES)
      }
    }
  }()

  /// Not safe in a signal handler, but the process ends in any case.
  static func report(_ order: String) {
    let text = "The program has trapped. \(order)\n"
    write(STDERR_FILENO, text, text.utf8.count)
  }
}
#endif
