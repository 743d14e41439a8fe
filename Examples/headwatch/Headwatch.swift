import ArgumentParser

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
struct Headwatch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "headwatch",
    abstract: "Print what changes in files and directories, or run a command when something does.",
    usage: "headwatch [<path> ...] [<options>] [-- <command> <argument> ...]",
    discussion: """
      Without a command each change is a line on standard output, as soon as it has happened. With a command the \
      command is run at once and again after each burst of changes; a run that is still going on is stopped first, with \
      all the processes it has started, and its end is awaited.

      Examples:
        headwatch                              print what changes here
        headwatch src docs --ext md,swift      only files with these extensions
        headwatch --json | jq -r .path         one JSON object a line
        headwatch -- swift build               build now, and after each change
        headwatch Sources -- swift run server  restart a server
        headwatch --on-busy queue -- make      never stop a run, repeat it
        headwatch -- sh -c 'cat "$HEADWATCH_CHANGES_FILE"'

      The command is started without a shell. HEADWATCH_CHANGES_FILE names a file with the changes since the last run \
      that was not stopped, as --json prints them (empty for the first run); HEADWATCH_PATH is the changed path where it is only one.

      Ignored by default: version control (.git .hg .svn .jj), SwiftPM's .build and .swiftpm, and the temporary files of \
      editors (*.swp *.swo *.swx *~ .#* #*# 4913 .*.kate-swp .goutputstream-* .DS_Store).
      With a command also what git ignores in a repository, and what files named .ignore say. All these files are read \
      again when they change.

      Exit codes: 0 when the reader of the output has gone; 1 when a path cannot be watched; 64 for a wrong option; 129, \
      130 and 143 after SIGHUP, SIGINT and SIGTERM; with --once that of the command, 126 or 127 when it cannot be run.
      """,
    version: "headwatch 0.1.0")

  @OptionGroup var options: Options

  /// Reads the command line and watches until it is over.
  ///
  /// What follows `--` is the command and is not looked at: the parser takes no second list of arguments. The main loop is
  /// entered here, synchronously, on the process's first thread.
  nonisolated static func main() {
    MainActor.assumeIsolated {
      let arguments = CommandLine.arguments.dropFirst()
      let own = arguments.prefix { $0 != "--" }
      do {
        var parsed = try parseAsRoot(Array(own))
        guard let headwatch = parsed as? Headwatch else { return try parsed.run() }
        let code = try headwatch.watch(running: Array(arguments.dropFirst(own.count + 1)))
        if code != 0 { throw ExitCode(code) }
      } catch {
        exit(withError: error)
      }
    }
  }

  @MainActor private func watch(running command: [String]) throws -> Int32 {
    try options.validate(with: command)
    return WatchSession(options, command: command).run()
  }
}
