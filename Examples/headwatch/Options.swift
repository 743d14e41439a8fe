import ArgumentParser
import Headwater

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

  @Option(
    name: [.customShort("e"), .customLong("ext")],
    help: ArgumentHelp("Only files with these extensions, such as swift,md. Repeatable.", valueName: "list"))
  var extensions: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Only these kinds of change: \(EventKind.allCases.map(\.rawValue).joined(separator: ", ")). Default: all are printed; \
      all but attributes run the command.
      """, valueName: "list"),
    transform: EventKind.set)
  var kinds: Set<EventKind>?

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
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      With a command: how long nothing must change before it is run. Without: how often at most a file that is being \
      written is printed; the first change always is at once. 0 turns it off. (default: 50ms)
      """, valueName: "duration"),
    transform: DurationArgument.parse)
  var debounce = Duration.milliseconds(50)

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
    name: [.customShort("s"), .long],
    help: ArgumentHelp("The signal that asks the command to end. (default: TERM)", valueName: "signal"),
    transform: Options.signal)
  var stopSignal = Signal.terminate

  @Option(
    help: ArgumentHelp("How long it may take to end before it is killed. (default: 10s)", valueName: "duration"),
    transform: DurationArgument.parse)
  var stopTimeout = Duration.seconds(10)

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
    do { _ = try filter(forCommand: false) } catch { throw ValidationError("--ignore: \(error).") }
  }

  /// Refuses options and a command that contradict each other.
  func validate(with command: [String]) throws {
    guard let program = command.first else { return }
    if program.isEmpty { throw ValidationError("The command's name is empty.") }
    if json || print0 { throw ValidationError("--json and --print0 are about printing, and a command is run instead.") }
  }

  private static func signal(_ name: String) throws -> Signal {
    guard let signal = Signal(name) else {
      throw ValidationError("'\(name)' is not a signal: try TERM, INT, HUP or a number.")
    }
    return signal
  }
}

nonisolated extension RunnerMachine.Policy: ExpressibleByArgument {}

nonisolated extension Options {
  /// What is watched.
  var roots: [BytePath] { paths.isEmpty ? ["."] : paths.map { BytePath($0) } }

  /// Which events matter.
  func filter(forCommand: Bool) throws(Glob.Invalid) -> EventFilter {
    EventFilter(
      rules: try IgnoreRules(roots: roots, patterns: ignore, usesDefaults: !noDefaultIgnores),
      extensions: extensions.flatMap { $0.split(separator: ",").map { String($0.drop { $0 == "." }) } },
      kinds: kinds ?? (forCommand ? EventKind.changes : Set(EventKind.allCases)))
  }

  /// How the watcher is set up.
  func watchOptions(_ rules: IgnoreRules) -> FileWatchOptions {
    var options = FileWatchOptions()
    options.recursive = !noRecursive
    options.isIgnored = { rules.isIgnored($0, isDirectory: $1) }
    return options
  }

  /// How `command` is run.
  func runnerSettings(_ command: [String]) -> CommandRunner.Settings {
    CommandRunner.Settings(
      command: command, policy: onBusy, stopSignal: stopSignal, stopTimeout: stopTimeout, once: once,
      clearsScreen: clear)
  }
}
