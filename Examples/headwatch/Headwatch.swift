import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The command `headwatch`, which prints changes below the given paths, or runs a command after each burst of changes.
///
/// Signals, file events, processes, and timers are streams on one loop. `Options` parses the command line, and
/// `WatchSession` combines the streams.
@main
struct Headwatch {
  /// Runs the main loop synchronously, on the first thread of the process.
  static func main() {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      try checkEncoding(arguments)
      let options = try Options.parse(arguments)
      if let information = options.information {
        say(text(information), to: STDOUT_FILENO)
        return
      }
      if let trace = options.trace { try Tracing.start(writingTo: trace) }
      exit(try WatchSession(options).run())
    } catch {
      say("headwatch: \(error)\nFor help: headwatch --help\n", to: STDERR_FILENO)
      exit(64)
    }
  }

  /// Throws if an argument is not UTF-8. Swift has repaired it, so it would name another file.
  private static func checkEncoding(_ arguments: [String]) throws {
    for (index, argument) in arguments.enumerated() {
      guard let original = CommandLine.unsafeArgv[index + 1] else { return }
      if strcmp(original, argument) != 0 {
        throw UsageError("'\(argument)' is not UTF-8. Paths that are not can be given on standard input: headwatch -")
      }
    }
  }

  private static func text(_ information: Options.Information) -> String {
    switch information {
    case .help: HelpText.short
    case .fullHelp: HelpText.full
    case .version: "\(HelpText.version)\n"
    case .manualPage: ManualPage.text
    case .completions(let shell): Completions.script(for: shell)
    }
  }

  /// Writes the whole text. Returns early if the write fails, for example because the reader has closed the pipe.
  private static func say(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { return }
      rest = rest.dropFirst(max(0, count))
    }
  }
}
