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

  /// All options. The help, the manual page and the completions of shells are made of these.
  static let specifications: [OptionSpecification] = selection + printing + running + general

  private static let selection: [OptionSpecification] = [
    OptionSpecification(
      "-e --ext", .required("list"), .selection, isCommon: true, "Only files with these extensions: swift,md.",
      "Repeatable."
    ) { $0.extensions += $1.split(separator: ",").map { String($0.drop { $0 == "." }) } },
    OptionSpecification(
      "-i --ignore", .required("glob"), .selection, isCommon: true, "Leave out what the pattern matches.",
      """
      A pattern is written as in .gitignore: * ? [a-z] **, a slash at the beginning or inside for a path from the watched \
      directory, a slash at the end for directories only, an exclamation mark before it to take back what an earlier one \
      has left out. Repeatable.
      """
    ) { options, text in
      do { _ = try PathPattern(text.hasPrefix("!") ? String(text.dropFirst()) : text) } catch {
        throw UsageError("--ignore: the pattern '\(text)' \(error).")
      }
      options.ignore.append(text)
    },
    OptionSpecification(
      "-f --filter", .required("glob"), .selection, isCommon: true, "Only what the pattern matches.",
      "A pattern is written as for --ignore. What one of several matches counts. Repeatable."
    ) { options, text in
      do { _ = try PathPattern(text.hasPrefix("!") ? String(text.dropFirst()) : text) } catch {
        throw UsageError("--filter: the pattern '\(text)' \(error).")
      }
      options.filters.append(text)
    },
    OptionSpecification(
      "--filter-file", .required("file"), .selection, "A file with patterns as for --filter, a line each.",
      "Empty lines and those that begin with # do not count. Repeatable.", completion: .files
    ) { $0.filterFiles.append($1) },
    OptionSpecification(
      "--kinds", .required("list"), .selection, isCommon: true, "Only these kinds of change: created,modified.",
      """
      The kinds are \(words(EventKind.self).joined(separator: ", ")). Without this option, all are printed, and all but \
      attributes run the command.
      """, completion: .words(words(EventKind.self))
    ) { $0.kinds = try EventKind.set($1) },
    OptionSpecification(
      "--gitignore", .none, .selection, "Leave out what git ignores. Default with a command.",
      """
      The rules are those of .gitignore files, .git/info/exclude, and core.excludesFile, and also those of files named \
      .ignore. They are read again when they change.
      """
    ) { options, _ in options.gitignore = true },
    OptionSpecification(
      "--no-gitignore", .none, .selection, isCommon: true, "Watch what git ignores, too."
    ) { options, _ in options.gitignore = false },
    OptionSpecification(
      "--ignore-file", .required("file"), .selection, "A file with patterns as for --ignore.", "Repeatable.",
      completion: .files
    ) { $0.ignoreFiles.append($1) },
    OptionSpecification(
      "--no-default-ignores", .none, .selection, "Watch what is left out by default, too.",
      "By default these are left out: \(DefaultIgnores.patterns.joined(separator: " "))"
    ) { options, _ in options.noDefaultIgnores = true },
    OptionSpecification(
      "--no-hidden", .none, .selection, "Leave out names that begin with a dot."
    ) { options, _ in options.noHidden = true },
    OptionSpecification(
      "--follow", .none, .selection, "Watch what symbolic links lead to.",
      """
      What is in a directory that a link leads to has the path of the link. A link to a file is modified when the file is. A \
      link that leads to a directory above it is not followed.
      """
    ) { options, _ in options.followsLinks = true },
    OptionSpecification(
      "--max-depth", .required("number"), .selection, "How many levels below the paths are watched.",
      "1 is what is in the watched directories themselves."
    ) { options, text in
      guard let depth = Int(text), depth > 0 else { throw UsageError("--max-depth: '\(text)' is no number above 0.") }
      options.maximumDepth = depth
    },
    OptionSpecification(
      "--newer", .required("file"), .selection, "Only files that are newer than this one, when they change.",
      "If there is no such file, all are. Removed files count.", completion: .files
    ) { $0.newerThan = $1 },
    OptionSpecification(
      "--content", .none, .selection, isCommon: true, "Only changes of what is in a file, not of its times.",
      "All files are read at the start, and each file when it changes."
    ) { options, _ in options.comparesContent = true },
    OptionSpecification(
      "--poll", .optional("interval"), .selection, isCommon: true, "Compare again and again instead of watching.",
      """
      The interval is 1s if none is given. What is on NFS, SMB, 9p, FUSE, and other file systems that do not report all \
      changes is polled once a second without this option, and so is what is left when the limit on watches is reached.
      """
    ) { options, text in
      options.polling = .always
      if !text.isEmpty { options.pollInterval = try DurationArgument.parseAboveZero(text, of: "--poll") }
    },
    OptionSpecification(
      "--no-recursive", .none, .selection, "Watch the directories themselves, and not those below them."
    ) { options, _ in options.noRecursive = true },
  ]

  private static let printing: [OptionSpecification] = [
    OptionSpecification(
      "--json", .none, .printing, isCommon: true, "Print each change as a JSON object on a line."
    ) { options, _ in options.json = true },
    OptionSpecification(
      "-0 --print0", .none, .printing, isCommon: true, "Print paths only, a zero byte after each."
    ) { options, _ in options.print0 = true },
    OptionSpecification(
      "-d --debounce", .required("time"), .printing, isCommon: true, "How long nothing must change: 50ms.",
      """
      With a command: how long nothing must change before it is run. Without: how often at most a file that is being \
      written is printed; the first change is printed at once. 0 turns it off. The default is 50ms.
      """
    ) { $0.debounce = try DurationArgument.parse($1, of: "--debounce") },
  ]

  private static let running: [OptionSpecification] = [
    OptionSpecification(
      "--on-busy", .required("policy"), .running, isCommon: true, "While it runs: restart, queue, ignore, or signal.",
      """
      What a change does while the command runs: stop it and run it again (restart, the default), run it again afterwards \
      (queue), nothing (ignore), or send it the stop signal and nothing else (signal).
      """, completion: .words(words(RunnerMachine.Policy.self))
    ) { $0.onBusy = try word($1, "--on-busy") },
    OptionSpecification(
      "--no-initial --postpone", .none, .running, isCommon: true, "Do not run it before something has changed."
    ) { options, _ in options.postpone = true },
    OptionSpecification(
      "--once", .none, .running, isCommon: true, "End after the first run for a change, with its code.",
      "Without a command, end after the first changes have been printed."
    ) { options, _ in options.once = true },
    OptionSpecification(
      "-c --clear", .none, .running, isCommon: true, "Clear the screen before each run."
    ) { options, _ in options.clear = true },
    OptionSpecification(
      "--shell", .none, .running, isCommon: true, "Take the command for a line of the shell, sh.",
      "Its words are joined by spaces. A path that takes the place of {} is quoted."
    ) { options, _ in options.shell = true },
    OptionSpecification(
      "--stdin", .required("form"), .running, "What it reads: inherit, null, paths, print0, or json.",
      """
      The changed paths on the command's standard input, a line each (paths) or with a zero byte after each (print0), or \
      the changes as --json prints them (json). The default is the standard input of headwatch, or nothing if that is a \
      terminal, because keys are read from it. With inherit, the command has the terminal, and there are no keys.
      """, completion: .words(words(StandardInput.self))
    ) { $0.standardInput = try word($1, "--stdin") },
    OptionSpecification(
      "--literal", .none, .running, "Leave {}, {+} and --then in the command as they are."
    ) { options, _ in options.literal = true },
    OptionSpecification(
      "--signal", .required("name"), .running, "Send this signal on a change instead of restarting.",
      "For a command that reloads by itself. If it does not run, it is started."
    ) { $0.changeSignal = try signal($1, "--signal") },
    OptionSpecification(
      "-s --stop-signal", .required("name"), .running, "The signal that asks the command to end: TERM."
    ) { $0.stopSignal = try signal($1, "--stop-signal") },
    OptionSpecification(
      "--stop-timeout", .required("time"), .running, "How long it may take to end before it is killed: 10s."
    ) { $0.stopTimeout = try DurationArgument.parse($1, of: "--stop-timeout") },
    OptionSpecification(
      "--timeout", .required("time"), .running, "How long a run may take before it is stopped.",
      "With --once, the exit code is 124 then."
    ) { $0.runTimeout = try DurationArgument.parseAboveZero($1, of: "--timeout") },
    OptionSpecification(
      "--delay-run", .required("time"), .running, "How long to wait between a change and the run.",
      "In contrast to --debounce, changes in the meantime do not make the wait longer."
    ) { $0.runDelay = try DurationArgument.parse($1, of: "--delay-run") },
    OptionSpecification(
      "--workdir", .required("directory"), .running, "Where it is run. It is given absolute paths then.",
      completion: .directories
    ) { $0.workingDirectory = $1 },
    OptionSpecification(
      "--env", .required("name=value"), .running, "A variable of its environment. Repeatable."
    ) { options, text in
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
        throw UsageError("--env: '\(text)' is not a name, an equals sign, and a value.")
      }
      options.environment.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
    },
    OptionSpecification(
      "--print-command", .none, .running, "Print each command before it is run, on standard error."
    ) { options, _ in options.printsCommand = true },
  ]

  private static let general: [OptionSpecification] = [
    OptionSpecification(
      "-q --quiet", .none, .general, isCommon: true, "No status lines on the terminal, and no keys."
    ) { options, _ in options.quiet = true },
    OptionSpecification(
      "--color", .required("when"), .general, "Whether there are colors: auto, always, or never.",
      "With auto, a terminal that has colors shows them, unless NO_COLOR is set.",
      completion: .words(words(ColorChoice.self))
    ) { $0.color = try word($1, "--color") },
    OptionSpecification(
      "--stdin-quit", .none, .general, "End when standard input ends."
    ) { options, _ in options.stdinQuit = true },
    OptionSpecification("-h --help", .none, .general, "The options that are needed most.") { options, _ in
      options.information = .help
    },
    OptionSpecification("--help-all", .none, .general, isCommon: true, "All options, and how it all works.") {
      options, _ in options.information = .fullHelp
    },
    OptionSpecification("--version", .none, .general, "The version.") { options, _ in options.information = .version },
    OptionSpecification("--manual", .none, .general, "The manual page, for man.") { options, _ in
      options.information = .manualPage
    },
    OptionSpecification(
      "--completions", .required("shell"), .general, "The completions for bash, zsh, or fish.",
      completion: .words(Completions.shells)
    ) { options, text in
      guard Completions.shells.contains(text) else {
        throw UsageError("--completions: '\(text)' is none of \(Completions.shells.joined(separator: ", ")).")
      }
      options.information = .completions(text)
    },
  ]
}
