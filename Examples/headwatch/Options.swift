import ArgumentParser
import EventLoops
import FileWatching
import Streams

/// The command line of `headwatch`.
struct Options: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Files and directories to watch, with all that is below them. Default: this directory.", valueName: "path"),
    completion: .file())
  var paths: [String] = []

  // MARK: What is watched

  @Option(
    name: [.short, .customLong("ignore")],
    help: ArgumentHelp(
      """
      Leave out what fits the pattern, as in .gitignore: * ? [a-z] **, a slash in front or inside for a path from the \
      watched directory, a slash at the end for directories only. Repeatable.
      """, valueName: "glob"))
  var ignore: [String] = []

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: ArgumentHelp(
      """
      Leave out what git ignores (.gitignore, .git/info/exclude, core.excludesFile), and what the rules in files named \
      .ignore leave out. Default: with a command.
      """))
  var gitignore: Bool?

  @Option(
    help: ArgumentHelp("A file with more such patterns. Repeatable.", valueName: "file"), completion: .file())
  var ignoreFile: [String] = []

  @Option(
    name: [.customShort("e"), .customLong("ext")],
    help: ArgumentHelp("Only files with these extensions, such as swift,md. Repeatable.", valueName: "list"))
  var extensions: [String] = []

  @Option(
    name: .customLong("kinds"),
    help: ArgumentHelp(
      """
      Only these kinds of change: \(EventKind.allCases.map(\.rawValue).joined(separator: ", ")). Default: all are printed; \
      all but attributes run the command.
      """, valueName: "list"))
  var kindsText: String?

  @Flag(help: "Do not ignore what is ignored by default.")
  var noDefaultIgnores = false

  @Flag(help: "Watch the directories themselves, and not those below them.")
  var noRecursive = false

  // MARK: How changes are printed

  @Flag(help: "Print each change as a JSON object on a line of its own.")
  var json = false

  @Flag(name: [.customShort("0"), .long], help: "Print paths only, each followed by a zero byte.")
  var print0 = false

  @Option(
    name: [.customShort("d"), .customLong("debounce")],
    help: ArgumentHelp(
      """
      With a command: how long nothing must change before it is run. Without: how often at most a file that is being \
      written is printed; the first change always is at once. 0 turns it off.
      """, valueName: "duration"))
  var debounceText = "50ms"

  // MARK: How the command is run

  @Flag(
    name: [.customLong("no-initial"), .customLong("postpone")],
    help: "Do not run the command before something has changed.")
  var postpone = false

  @Option(
    help: ArgumentHelp(
      """
      What a change does while the command runs: stop it and run it again (restart), run it again afterwards (queue), \
      nothing (ignore), or send it the stop signal and nothing else (signal).
      """, valueName: "policy"))
  var onBusy = RunnerMachine.Policy.restart

  @Option(
    name: [.customShort("s"), .customLong("stop-signal")],
    help: ArgumentHelp("The signal that asks the command to end.", valueName: "signal"))
  var stopSignalText = "TERM"

  @Option(
    name: .customLong("stop-timeout"),
    help: ArgumentHelp("How long it may take to end before it is killed.", valueName: "duration"))
  var stopTimeoutText = "10s"

  @Flag(
    help: """
      End after the first run that a change caused, with the exit code of the command; without a command, end after the \
      first changes have been printed.
      """)
  var once = false

  @Flag(name: .shortAndLong, help: "Clear the screen before each run.")
  var clear = false

  @Flag(name: .shortAndLong, help: "No status lines; they are shown when standard error is a terminal.")
  var quiet = false

  /// Refuses options that contradict each other.
  func validate() throws {
    if json && print0 { throw ValidationError("--json and --print0 exclude each other.") }
    if paths.contains("") { throw ValidationError("A path is empty.") }
    for pattern in ignore {
      do { _ = try PathPattern(pattern.hasPrefix("!") ? String(pattern.dropFirst()) : pattern) } catch {
        throw ValidationError("--ignore: the pattern '\(pattern)' \(error).")
      }
    }
    // Read here and not while the parser runs: what is thrown from inside of it leaks memory of the parser's.
    _ = try DurationArgument.parse(debounceText, of: "--debounce")
    _ = try DurationArgument.parse(stopTimeoutText, of: "--stop-timeout")
    if let kindsText { _ = try EventKind.set(kindsText) }
    if Signal(stopSignalText) == nil {
      throw ValidationError("--stop-signal: '\(stopSignalText)' is not a signal: try TERM, INT, HUP or a number.")
    }
  }

  /// Refuses options and a command that contradict each other.
  func validate(with command: [String]) throws {
    guard let program = command.first else { return }
    if program.isEmpty { throw ValidationError("The command's name is empty.") }
    if json || print0 { throw ValidationError("--json and --print0 are about printing, and a command is run instead.") }
  }
}

nonisolated extension RunnerMachine.Policy: ExpressibleByArgument {}

nonisolated extension Options {
  /// What is watched.
  var roots: [BytePath] { paths.isEmpty ? ["."] : paths.map { BytePath($0) } }

  // Validated before they are used.

  /// How long must be quiet, or how often at most.
  var debounce: Duration { (try? DurationArgument.parse(debounceText)) ?? .milliseconds(50) }

  /// How long the command may take to end.
  var stopTimeout: Duration { (try? DurationArgument.parse(stopTimeoutText)) ?? .seconds(10) }

  /// What asks it to end.
  var stopSignal: Signal { Signal(stopSignalText) ?? .terminate }

  /// The kinds that were asked for, if any were.
  var kinds: Set<EventKind>? { kindsText.flatMap { try? EventKind.set($0) } }

  /// Which events matter.
  func filter(forCommand: Bool) -> EventFilter {
    EventFilter(
      extensions: extensions.flatMap { $0.split(separator: ",").map { String($0.drop { $0 == "." }) } },
      kinds: kinds ?? (forCommand ? EventKind.changes : Set(EventKind.allCases)))
  }

  /// How the watcher is set up.
  func watchOptions(forCommand: Bool) -> FileWatchOptions {
    var options = FileWatchOptions()
    options.recursive = !noRecursive
    let patterns = (noDefaultIgnores ? [] : DefaultIgnores.patterns) + ["\(DefaultIgnores.ownFilePrefix)*"] + ignore
    options.ignoreRules.patterns = patterns.map { BytePath($0) }
    options.ignoreRules.files = ignoreFile.map { BytePath($0) }
    options.ignoreRules.usesGit = gitignore ?? forCommand
    if options.ignoreRules.usesGit { options.ignoreRules.fileNames = [".ignore"] }
    return options
  }

  /// How `command` is run.
  func runnerSettings(_ command: [String]) -> CommandRunner.Settings {
    CommandRunner.Settings(
      command: command, policy: onBusy, stopSignal: stopSignal, stopTimeout: stopTimeout, once: once,
      clearsScreen: clear)
  }
}
