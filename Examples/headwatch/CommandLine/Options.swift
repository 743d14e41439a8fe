import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The parsed command line of `headwatch`.
nonisolated struct Options {
  /// The information to print instead of watching.
  enum Information: Hashable {
    case help, fullHelp, version, manualPage
    case completions(String)
  }

  /// The standard input of the command.
  enum StandardInput: String, CaseIterable {
    /// The standard input of headwatch.
    case inherit
    /// An empty input.
    case null
    /// The changed paths, one per line.
    case paths
    /// The changed paths, each followed by a zero byte.
    case print0
    /// The changes, in the format of `--json`.
    case json
  }

  var information: Information?
  /// The files and directories to watch.
  var paths: [String] = []
  /// The arguments after `--`.
  var commandLine: [String] = []

  // MARK: Selection

  var ignore: [String] = []
  var gitignore: Bool?
  var ignoreFiles: [String] = []
  var noDefaultIgnores = false
  var extensions: [String] = []
  var kinds: Set<EventKind>?
  var noRecursive = false
  var filters: [String] = []
  var filterFiles: [String] = []
  var noHidden = false
  var followsLinks = false
  var maximumDepth = Int.max
  var newerThan: String?
  var comparesContent = false
  var polling = FileWatchOptions.Polling.automatic
  var pollInterval = Duration.seconds(1)

  // MARK: Printing

  var json = false
  var print0 = false
  var debounce = Duration.milliseconds(50)

  // MARK: Running

  var postpone = false
  var onBusy = RunnerMachine.Policy.restart
  var stopSignal = Signal.terminate
  /// The signal to send after a change, instead of a restart.
  var changeSignal: Signal?
  var stopTimeout = Duration.seconds(10)
  var runTimeout: Duration?
  var runDelay = Duration.zero
  var once = false
  var clear = false
  var quiet = false
  /// The file of a recording.
  var trace: String?
  var color = ColorChoice.auto
  var shell = false
  var literal = false
  var printsCommand = false
  var workingDirectory: String?
  var environment: [(name: String, value: String)] = []
  /// The value of `--stdin`. Without it, the command inherits standard input, unless headwatch reads that itself or it
  /// is a terminal.
  var standardInput: StandardInput?
  var stdinQuit = false
  /// The last given option that has no meaning without a command.
  var optionForCommand: String?

  /// Throws a `UsageError` if the options contradict each other, or if an option needs a command and there is none.
  func validate() throws {
    if json && print0 { throw UsageError("--json and --print0 exclude each other.") }
    if paths.contains("") { throw UsageError("A path is empty.") }
    if paths.contains("-"), stdinQuit { throw UsageError("--stdin-quit and the path - both read standard input.") }
    if commandLine.isEmpty {
      guard let optionForCommand else { return }
      throw UsageError("\(optionForCommand) is about a command, and there is none. Put the command after --.")
    }
    if commands.contains(where: { $0.first?.isEmpty ?? true }) { throw UsageError("A command's name is empty.") }
    if json || print0 { throw UsageError("--json and --print0 are about printing, and a command is run instead.") }
    if plan.needsEach && plan.needsAll { throw UsageError("{} and {+} exclude each other.") }
  }

  /// Returns the paths to watch. For the path `-`, reads a list of paths from standard input until its end.
  func roots() throws -> [BytePath] {
    if paths.isEmpty { return ["."] }
    let roots = try paths.flatMap { $0 == "-" ? try PathList.readStandardInput() : [BytePath($0)] }
    if roots.isEmpty { throw UsageError("Standard input lists no path.") }
    return roots
  }

  /// The commands of a run, in order. Empty if changes are printed.
  var commands: [[String]] {
    if commandLine.isEmpty { return [] }
    if literal { return [commandLine] }
    return commandLine.split(separator: "--then", omittingEmptySubsequences: false).map(Array.init)
  }

  /// The plan of a run.
  var plan: RunPlan { RunPlan(commands, usesShell: shell, isLiteral: literal) }

  /// Returns the filter for events below `roots`. Throws if a file of patterns cannot be read or has an invalid
  /// pattern.
  func filter(_ roots: [BytePath]) throws -> EventFilter {
    EventFilter(
      extensions: extensions,
      kinds: kinds ?? (commandLine.isEmpty ? Set(EventKind.allCases) : EventKind.changes),
      selection: try PathSelection(roots: roots, patterns: filters, files: filterFiles), newerThan: newerThan)
  }

  /// The settings of the watcher.
  var watching: FileWatchOptions {
    var options = FileWatchOptions()
    options.recursive = !noRecursive
    options.followsLinks = followsLinks
    options.maximumDepth = maximumDepth
    options.polling = polling
    options.pollInterval = pollInterval
    options.reportsExisting = comparesContent
    var patterns = noDefaultIgnores ? [] : DefaultIgnores.patterns
    if noHidden { patterns.append(".*") }
    patterns.append("\(DefaultIgnores.ownFilePrefix)*")
    patterns += ignore
    options.ignoreRules.patterns = patterns.map { BytePath($0) }
    options.ignoreRules.files = ignoreFiles.map { BytePath($0) }
    options.ignoreRules.usesGit = gitignore ?? !commandLine.isEmpty
    if options.ignoreRules.usesGit { options.ignoreRules.fileNames = [".ignore"] }
    return options
  }

  /// The settings of the runner.
  var runnerSettings: CommandRunner.Settings {
    CommandRunner.Settings(
      plan: plan, policy: changeSignal == nil ? onBusy : .signal, stopSignal: stopSignal,
      changeSignal: changeSignal ?? stopSignal, stopTimeout: stopTimeout, runTimeout: runTimeout, runDelay: runDelay,
      once: once, clearsScreen: clear, printsCommand: printsCommand, directory: workingDirectory,
      standardInput: standardInput ?? (usesStandardInput || isatty(STDIN_FILENO) != 0 ? .null : .inherit))
  }

  /// Whether headwatch reads standard input itself.
  private var usesStandardInput: Bool { stdinQuit || paths.contains("-") }

  /// Whether headwatch reads keys, if standard input is a terminal.
  var readsKeys: Bool { !usesStandardInput && !quiet && standardInput != .inherit }
}
