import EventLoops
import FileWatching
import Streams

nonisolated extension Options {
  private static func signal(_ text: String, _ option: String) throws -> Signal {
    guard let signal = Signal(text) else {
      throw UsageError("\(option): '\(text)' is not a signal. Try TERM, INT, HUP, or a number.")
    }
    return signal
  }

  private static func word<Word: RawRepresentable & CaseIterable>(
    _ text: String, _ option: String, _ type: Word.Type = Word.self
  ) throws -> Word where Word.RawValue == String {
    guard let word = Word(rawValue: text) else {
      throw UsageError("\(option): '\(text)' is none of \(words(type).joined(separator: ", ")).")
    }
    return word
  }

  private static func words<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> [String]
  where Word.RawValue == String { type.allCases.map(\.rawValue) }

  /// All options. The help, the manual page, and the shell completions are generated from these.
  static let specifications: [OptionSpecification] = selection + printing + running + general

  private static let selection: [OptionSpecification] = [
    OptionSpecification(
      "-e --ext", .required("list"), .selection, isCommon: true, "Only files with these extensions: swift,md.",
      "Repeatable."
    ) { $0.extensions += $1.split(separator: ",").map { String($0.drop { $0 == "." }) } },
    OptionSpecification(
      "-i --ignore", .required("glob"), .selection, isCommon: true, "Ignore paths that match the pattern.",
      """
      The syntax is that of .gitignore: * ? [a-z] **. A slash at the beginning or in the middle makes the pattern a path \
      from the watched directory. A slash at the end limits the pattern to directories. An exclamation mark at the \
      beginning cancels earlier patterns. Repeatable.
      """
    ) { options, text in
      do { _ = try PathPattern(text.hasPrefix("!") ? String(text.dropFirst()) : text) } catch {
        throw UsageError("--ignore: the pattern '\(text)' \(error).")
      }
      options.ignore.append(text)
    },
    OptionSpecification(
      "-f --filter", .required("glob"), .selection, isCommon: true, "Only paths that match the pattern.",
      "The syntax is that of --ignore. The last of several patterns that matches decides. Repeatable."
    ) { options, text in
      do { _ = try PathPattern(text.hasPrefix("!") ? String(text.dropFirst()) : text) } catch {
        throw UsageError("--filter: the pattern '\(text)' \(error).")
      }
      options.filters.append(text)
    },
    OptionSpecification(
      "--filter-file", .required("file"), .selection, "A file with patterns for --filter, one per line.",
      "Empty lines and lines that begin with # are skipped. Repeatable.", completion: .files
    ) { $0.filterFiles.append($1) },
    OptionSpecification(
      "--kinds", .required("list"), .selection, isCommon: true, "Only these kinds of change: created,modified.",
      """
      The kinds are \(words(EventKind.self).joined(separator: ", ")). Without this option, all kinds are printed, and all \
      except attributes run the command.
      """, completion: .words(words(EventKind.self))
    ) { $0.kinds = try EventKind.set($1) },
    OptionSpecification(
      "--gitignore", .none, .selection, "Ignore files that git ignores. Default with a command.",
      """
      The rules are those of .gitignore files, .git/info/exclude, core.excludesFile, and files that are named \
      .ignore. They are read again when they change.
      """
    ) { options, _ in options.gitignore = true },
    OptionSpecification(
      "--no-gitignore", .none, .selection, isCommon: true, "Also watch files that git ignores."
    ) { options, _ in options.gitignore = false },
    OptionSpecification(
      "--ignore-file", .required("file"), .selection, "A file with patterns for --ignore, one per line.", "Repeatable.",
      completion: .files
    ) { $0.ignoreFiles.append($1) },
    OptionSpecification(
      "--no-default-ignores", .none, .selection, "Also watch paths that are ignored by default.",
      "By default, headwatch ignores: \(DefaultIgnores.patterns.joined(separator: " "))"
    ) { options, _ in options.noDefaultIgnores = true },
    OptionSpecification(
      "--no-hidden", .none, .selection, "Ignore names that begin with a dot."
    ) { options, _ in options.noHidden = true },
    OptionSpecification(
      "--follow", .none, .selection, "Watch the targets of symbolic links.",
      """
      Paths in a linked directory begin with the path of the link. A link to a file is reported as modified when the file \
      is. A link to a directory that contains the link is not followed.
      """
    ) { options, _ in options.followsLinks = true },
    OptionSpecification(
      "--max-depth", .required("number"), .selection, "The number of levels to watch below the paths.",
      "With 1, only the direct contents of the watched directories are watched."
    ) { options, text in
      guard let depth = Int(text), depth > 0 else { throw UsageError("--max-depth: '\(text)' is no number above 0.") }
      options.maximumDepth = depth
    },
    OptionSpecification(
      "--newer", .required("file"), .selection, "Only files that are newer than this file after the change.",
      "If this file does not exist, all files count. Removed files always count.", completion: .files
    ) { $0.newerThan = $1 },
    OptionSpecification(
      "--content", .none, .selection, isCommon: true, "Only changes to file contents, not to file times.",
      """
      headwatch reads all files at the start, and each file again when it changes. A file with more than 1 GiB is not \
      read, so each write is a change.
      """
    ) { options, _ in options.comparesContent = true },
    OptionSpecification(
      "--poll", .optional("interval"), .selection, isCommon: true, "Poll for changes instead of watching.",
      """
      The default interval is 1s. Without this option, headwatch polls in two cases, once a second: file systems that do \
      not report all changes, such as NFS, SMB, 9p, and FUSE, and directories that exceed the limit on watches.
      """
    ) { options, text in
      options.polling = .always
      if !text.isEmpty { options.pollInterval = try DurationArgument.parseAboveZero(text, of: "--poll") }
    },
    OptionSpecification(
      "--no-recursive", .none, .selection, "Watch only the given directories, not those below them."
    ) { options, _ in options.noRecursive = true },
  ]

  private static let printing: [OptionSpecification] = [
    OptionSpecification(
      "--json", .none, .printing, isCommon: true, "Print each change as a JSON object on its own line."
    ) { options, _ in options.json = true },
    OptionSpecification(
      "-0 --print0", .none, .printing, isCommon: true, "Print only paths, each followed by a zero byte."
    ) { options, _ in options.print0 = true },
    OptionSpecification(
      "-d --debounce", .required("time"), .printing, isCommon: true, "Length of silence before a run. Default: 50ms.",
      """
      With a command, headwatch runs it after this time without changes. Without a command, headwatch prints a file that \
      is being written at most once in this time; it prints the first change immediately. 0 turns this off.
      """
    ) { $0.debounce = try DurationArgument.parse($1, of: "--debounce") },
  ]

  private static let running: [OptionSpecification] = [
    OptionSpecification(
      "--on-busy", .required("policy"), .running, isCommon: true, "During a run: restart, queue, ignore, or signal.",
      """
      The effect of a change while the command runs. restart, the default, stops the command and runs it again. queue runs \
      it again after its end. ignore does nothing. signal sends the stop signal and nothing else.
      """, completion: .words(words(RunnerMachine.Policy.self))
    ) { $0.onBusy = try word($1, "--on-busy") },
    OptionSpecification(
      "--no-initial --postpone", .none, .running, isCommon: true, "Do not run the command before the first change."
    ) { options, _ in options.postpone = true },
    OptionSpecification(
      "--once", .none, .running, isCommon: true, "Exit with the code of the first run for a change.",
      "Without a command, exit after the first changes have been printed."
    ) { options, _ in options.once = true },
    OptionSpecification(
      "-c --clear", .none, .running, isCommon: true, "Clear the screen before each run."
    ) { options, _ in options.clear = true },
    OptionSpecification(
      "--shell", .none, .running, isCommon: true, "Run the command as a line of the shell, sh.",
      "The words are joined with spaces. A path that replaces {} or {+} is quoted."
    ) { options, _ in options.shell = true },
    OptionSpecification(
      "--stdin", .required("form"), .running, "The command's standard input: inherit, null, paths, print0, or json.",
      """
      paths is the changed paths, one per line, and print0 is the same with a zero byte after each. json is the changes in \
      the format of --json. null is nothing. inherit is the standard input of headwatch, which then reads no keys. The \
      default is inherit, or null if standard input is a terminal or headwatch reads it itself.
      """, completion: .words(words(StandardInput.self))
    ) { $0.standardInput = try word($1, "--stdin") },
    OptionSpecification(
      "--literal", .none, .running, "Do not interpret {}, {+}, and --then in the command."
    ) { options, _ in options.literal = true },
    OptionSpecification(
      "--signal", .required("name"), .running, "Send this signal after a change instead of restarting.",
      "For a command that reloads by itself. If the command is not running, a change starts it."
    ) { $0.changeSignal = try signal($1, "--signal") },
    OptionSpecification(
      "-s --stop-signal", .required("name"), .running, "The signal that asks the command to exit. Default: TERM."
    ) { $0.stopSignal = try signal($1, "--stop-signal") },
    OptionSpecification(
      "--stop-timeout", .required("time"), .running, "Kill the command if it does not exit in this time. Default: 10s."
    ) { $0.stopTimeout = try DurationArgument.parse($1, of: "--stop-timeout") },
    OptionSpecification(
      "--timeout", .required("time"), .running, "Stop a run that takes longer than this.",
      "With --once, the exit code is then 124."
    ) { $0.runTimeout = try DurationArgument.parseAboveZero($1, of: "--timeout") },
    OptionSpecification(
      "--delay-run", .required("time"), .running, "The time to wait between a change and its run.",
      "Unlike with --debounce, further changes do not extend the wait."
    ) { $0.runDelay = try DurationArgument.parse($1, of: "--delay-run") },
    OptionSpecification(
      "--workdir", .required("directory"), .running, "The command's directory. The command receives absolute paths.",
      completion: .directories
    ) { $0.workingDirectory = $1 },
    OptionSpecification(
      "--env", .required("name=value"), .running, "An environment variable for the command. Repeatable."
    ) { options, text in
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
        throw UsageError("--env: '\(text)' is not a name, an equals sign, and a value.")
      }
      options.environment.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
    },
    OptionSpecification(
      "--print-command", .none, .running, "Print each command on standard error before it runs."
    ) { options, _ in options.printsCommand = true },
  ]

  private static let general: [OptionSpecification] = [
    OptionSpecification(
      "-q --quiet", .none, .general, isCommon: true, "Show no status on the terminal, and read no keys."
    ) { options, _ in options.quiet = true },
    OptionSpecification(
      "--color", .required("when"), .general, "The use of colors: auto, always, or never.",
      "auto uses colors on a terminal that supports them, unless NO_COLOR is set.",
      completion: .words(words(ColorChoice.self))
    ) { $0.color = try word($1, "--color") },
    OptionSpecification(
      "--stdin-quit", .none, .general, "Exit when standard input ends."
    ) { options, _ in options.stdinQuit = true },
    OptionSpecification(
      "--trace", .required("file"), .general, "Record what headwatch's streams do.",
      "`swift package view-trace FILE` makes a page of the file, and Perfetto opens it, too.", completion: .files
    ) { $0.trace = $1 },
    OptionSpecification("-h --help", .none, .general, "Show the common options.") { options, _ in
      options.information = .help
    },
    OptionSpecification("--help-all", .none, .general, isCommon: true, "Show all options, and how headwatch works.") {
      options, _ in options.information = .fullHelp
    },
    OptionSpecification("--version", .none, .general, "The version.") { options, _ in options.information = .version },
    OptionSpecification("--manual", .none, .general, "Print the manual page, for man.") { options, _ in
      options.information = .manualPage
    },
    OptionSpecification(
      "--completions", .required("shell"), .general, "Print the completions for bash, zsh, or fish.",
      completion: .words(Completions.shells)
    ) { options, text in
      guard Completions.shells.contains(text) else {
        throw UsageError("--completions: '\(text)' is none of \(Completions.shells.joined(separator: ", ")).")
      }
      options.information = .completions(text)
    },
  ]
}
