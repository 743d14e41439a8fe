import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The command line of `headwatch`, read by `Options.parse`.
nonisolated struct Options {
  /// What is asked for instead of watching.
  enum Information: Hashable {
    case help, fullHelp, version, manualPage
    case completions(String)
  }

  /// What the command's standard input is.
  enum StandardInput: String, CaseIterable {
    /// That of headwatch.
    case inherit
    /// Nothing.
    case null
    /// The changed paths, a line each.
    case paths
    /// The changed paths, a zero byte after each.
    case print0
    /// The changes, as `--json` prints them.
    case json
  }

  var information: Information?
  /// Files and directories to watch.
  var paths: [String] = []
  /// What follows `--`.
  var commandLine: [String] = []

  // MARK: What is watched

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

  // MARK: How changes are printed

  var json = false
  var print0 = false
  var debounce = Duration.milliseconds(50)

  // MARK: How the command is run

  var postpone = false
  var onBusy = RunnerMachine.Policy.restart
  var stopSignal = Signal.terminate
  /// Sent on a change instead of a restart.
  var changeSignal: Signal?
  var stopTimeout = Duration.seconds(10)
  var runTimeout: Duration?
  var runDelay = Duration.zero
  var once = false
  var clear = false
  var quiet = false
  var color = ColorChoice.auto
  var shell = false
  var literal = false
  var printsCommand = false
  var workingDirectory: String?
  var environment: [(name: String, value: String)] = []
  /// What was asked for; otherwise the command has what headwatch has, unless that is the keyboard.
  var standardInput: StandardInput?
  var stdinQuit = false
  /// The last option that is given and has no meaning without a command.
  var optionForCommand: String?

  /// Refuses what contradicts itself.
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

  /// What is watched. The path `-` stands for the paths that standard input lists, which is read here.
  func roots() throws -> [BytePath] {
    if paths.isEmpty { return ["."] }
    let roots = try paths.flatMap { $0 == "-" ? try PathList.readStandardInput() : [BytePath($0)] }
    if roots.isEmpty { throw UsageError("Standard input lists no path.") }
    return roots
  }

  /// What is run, one after the other; empty if changes are printed.
  var commands: [[String]] {
    if commandLine.isEmpty { return [] }
    if literal { return [commandLine] }
    return commandLine.split(separator: "--then", omittingEmptySubsequences: false).map(Array.init)
  }

  /// What one run does.
  var plan: RunPlan { RunPlan(commands, usesShell: shell, isLiteral: literal) }

  /// Which events matter of what happens below `roots`.
  func filter(_ roots: [BytePath]) throws -> EventFilter {
    EventFilter(
      extensions: extensions,
      kinds: kinds ?? (commandLine.isEmpty ? Set(EventKind.allCases) : EventKind.changes),
      selection: try PathSelection(roots: roots, patterns: filters, files: filterFiles), newerThan: newerThan)
  }

  /// How the watcher is set up.
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

  /// How the command is run.
  var runnerSettings: CommandRunner.Settings {
    CommandRunner.Settings(
      plan: plan, policy: changeSignal == nil ? onBusy : .signal, stopSignal: stopSignal,
      changeSignal: changeSignal ?? stopSignal, stopTimeout: stopTimeout, runTimeout: runTimeout, runDelay: runDelay,
      once: once, clearsScreen: clear, printsCommand: printsCommand, directory: workingDirectory,
      standardInput: standardInput ?? (usesStandardInput || isatty(STDIN_FILENO) != 0 ? .null : .inherit))
  }

  /// Whether headwatch reads standard input itself.
  private var usesStandardInput: Bool { stdinQuit || paths.contains("-") }

  /// Whether keys are read, if standard input is a terminal.
  var readsKeys: Bool { !usesStandardInput && !quiet && standardInput != .inherit }
}
