/// What `--help` and `--help-all` print, made of the specifications of the options.
nonisolated enum HelpText {
  static let version = "headwatch 0.2.0"
  static let summary = "Print what changes in files and directories, or run a command when something does."
  static let usage = "headwatch [<path> ...] [<options>] [-- <command> [--then <command>] ...]"
  private static let width = 80

  /// The options that are needed most: no more than a screen of 24 lines.
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

  /// All options, and how it all works.
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
    ("headwatch", "print what changes here"),
    ("headwatch src docs --ext md,swift", "only files with these extensions"),
    ("git ls-files | headwatch - -- make", "only these files"),
    ("headwatch --json | jq -r .path", "one JSON object a line"),
    ("headwatch -- swift build", "build now, and after each change"),
    ("headwatch -- make --then ./test", "one command after the other"),
    ("headwatch src -- swift run server", "restart a server"),
    ("headwatch -e c -- clang-format -i {+}", "all changed files at once"),
    ("headwatch -e md --shell -- 'pandoc {} | wc'", "a run for each changed file"),
    ("headwatch --signal HUP etc -- nginx", "have a server reload"),
  ]

  static let paragraphs: [String] = [
    """
    A path may be a directory, which is watched with all that is below it, a file, or a dash for the paths that standard \
    input lists, a line each or a zero byte after each. Without a path, this directory is watched.
    """,
    """
    Without a command, each change is a line on standard output, as soon as it has happened. With a command, the command \
    is run at once and again after each burst of changes. A run that is still going on is stopped first, with all the \
    processes that it has started, and its end is awaited.
    """,
    """
    Commands that are separated by --then are run one after the other, until one fails. An argument that contains {} makes a \
    run for each changed path, which takes the place of the braces. An argument that contains {+} stands there once for each \
    changed path. Such a command is not run before something has changed. A path that was renamed is the new one. Paths that \
    were removed count, unless --kinds says otherwise.
    """,
    """
    The command's environment says what has changed since the last run that was not stopped. HEADWATCH_PATH is the changed \
    path if there is only one. HEADWATCH_PATHS are the changed paths, a line each, if they fit into 64 KiB. \
    HEADWATCH_CHANGES_FILE is a file with all changes, as --json prints them.
    """,
    """
    On a terminal, r runs the command now, p pauses, q quits, and ? shows the keys.
    """,
    """
    Exit codes: 0 when the reader of the output, or with --stdin-quit the input, has gone; 1 when a path cannot be watched; \
    64 for a wrong option; 129, 130, 131, and 143 after SIGHUP, SIGINT, SIGQUIT, and SIGTERM; with --once that of the command, 126 or 127 \
    when it cannot be run, and 124 when it takes longer than --timeout.
    """,
  ]

  /// The text in lines that fit the screen.
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
