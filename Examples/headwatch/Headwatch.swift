#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// `headwatch`: prints what changes below the given paths, or runs a command when something does.
///
/// The flagship example of the package: signals, file events, processes and timers are streams on one loop. `Options` reads
/// the command line, `WatchSession` puts the streams together.
@main
struct Headwatch {
  /// The main loop is entered here, synchronously, on the process's first thread.
  static func main() {
    do {
      let options = try Options.parse(Array(CommandLine.arguments.dropFirst()))
      if let information = options.information {
        say(text(information), to: STDOUT_FILENO)
        return
      }
      exit(try WatchSession(options).run())
    } catch {
      say("headwatch: \(error)\nFor help: headwatch --help\n", to: STDERR_FILENO)
      exit(64)
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

  /// Writes all of it. A reader that has gone ends it.
  private static func say(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { return }
      rest = rest.dropFirst(max(0, count))
    }
  }
}
