/// The texts that `--help` and `--help-all` print, generated from the option specifications.
nonisolated enum HelpText {
  static let version = "headwatch 0.2.0"
  static let summary = "Print changes to files and directories, or run a command after each burst of changes."
  static let usage = "headwatch [<path> ...] [<options>] [-- <command> [--then <command>] ...]"
  private static let width = 80

  /// The output of `--help`: the common options. It has fewer than 24 lines, so that it fits a terminal.
  static var short: String {
    var lines = ["Usage: \(usage)", ""]
    let common = Options.specifications.filter(\.isCommon)
    let column = (common.map(\.usage.count).max() ?? 0) + 3
    for section in OptionSpecification.Section.allCases {
      let options = common.filter { $0.section == section }
      if section != .general { lines.append("\(section.rawValue):") }
      for option in options {
        lines.append("  \(option.usage)\(spaces(column - option.usage.count - 1))\(option.summary)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The output of `--help-all`: the concepts, all options, and examples.
  static var full: String {
    var text = wrapped(summary, indent: 0) + "\nUsage: \(usage)\n\n"
    for paragraph in paragraphs { text += wrapped(paragraph, indent: 0) + "\n" }
    for section in OptionSpecification.Section.allCases {
      text += "\(section.rawValue):\n"
      for option in Options.specifications where option.section == section {
        text += "  \(option.usage)\n" + wrapped("\(option.summary) \(option.details)", indent: 6)
      }
      text += "\n"
    }
    text += "Examples:\n"
    let column = (examples.map(\.command.count).max() ?? 0) + 2
    for (command, meaning) in examples {
      text += "  \(command)\(spaces(column - command.count))\(meaning)\n"
    }
    return text
  }

  static let examples: [(command: String, meaning: String)] = [
    ("headwatch", "print changes in this directory"),
    ("headwatch src docs --ext md,swift", "only files with these extensions"),
    ("git ls-files | headwatch - -- make", "only these files"),
    ("headwatch --json | jq -r .path", "one JSON object per line"),
    ("headwatch -- swift build", "build now, and after each change"),
    ("headwatch -- make --then ./test", "two commands in sequence"),
    ("headwatch src -- swift run server", "restart a server after changes"),
    ("headwatch -e c -- clang-format -i {+}", "one run for all changed files"),
    ("headwatch -e md --shell -- 'pandoc {} | wc'", "one run for each changed file"),
    ("headwatch --signal HUP etc -- nginx", "reload a server"),
  ]

  static let paragraphs: [String] = [
    """
    A path is a directory, a file, or a dash. A directory is watched with everything below it. A dash reads the paths from \
    standard input, one per line or each followed by a zero byte. Without a path, headwatch watches the current directory.
    """,
    """
    Without a command, headwatch prints one line for each change on standard output, as soon as the change has happened. \
    With a command, it runs the command immediately, and again after each burst of changes. If a run is in progress, \
    headwatch first stops it with all the processes that it has started, and waits for their end.
    """,
    """
    Commands that are separated by --then run in order until one fails. If an argument contains {}, headwatch runs the \
    commands once for each changed path, which replaces the braces. An argument that contains {+} is repeated for each \
    changed path. A command with {} or {+} does not run before the first change. For a renamed file, the path is the new \
    one. Removed paths are included, unless --kinds excludes them.
    """,
    """
    The command's environment describes all changes since the last run that was not stopped. HEADWATCH_PATH is the changed \
    path, if there is only one. HEADWATCH_PATHS lists the changed paths, one per line, if they fit into 64 KiB. \
    HEADWATCH_CHANGES_FILE is the path of a file with all changes, in the format of --json.
    """,
    """
    On a terminal, r runs the command now, p pauses or continues, q quits, and ? shows the keys.
    """,
    """
    Exit codes: 0 after q, if the reader closes the output, or if standard input ends with --stdin-quit; 1 if a path \
    cannot be watched or the output cannot be written; 64 if an option is wrong; 129, 130, 131, and 143 after SIGHUP, \
    SIGINT, SIGQUIT, and SIGTERM. With --once, the exit code is that of the command, 126 or 127 if it cannot be run, and \
    124 if it takes longer than --timeout.
    """,
  ]

  /// Breaks `text` into lines of at most 80 columns, indented by `indent` spaces.
  static func wrapped(_ text: String, indent: Int) -> String {
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      if !line.isEmpty, line.count + 1 + word.count > width - indent {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    if !line.isEmpty { lines.append(line) }
    return lines.map { spaces(indent) + $0 + "\n" }.joined()
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
