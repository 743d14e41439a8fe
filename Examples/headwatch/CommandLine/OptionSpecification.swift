/// An option of the command line: its spellings, its effect, and its texts in the help, the manual page, and the shell
/// completions.
nonisolated struct OptionSpecification: Sendable {
  /// The section of the help that lists the option.
  enum Section: String, CaseIterable {
    case selection = "Selection"
    case printing = "Printing"
    case running = "Running the command"
    case general = "General"
  }

  /// The value that follows the option.
  enum Value: Hashable {
    /// The option has no value.
    case none
    /// A required value with this name, in the next argument or after an equals sign.
    case required(String)
    /// An optional value with this name, after an equals sign only.
    case optional(String)
  }

  /// The completions that a shell offers for the value.
  enum Completion: Hashable {
    case nothing
    case files
    case directories
    case words([String])
  }

  /// All spellings, with their dashes. The first long one is the name of the option.
  let names: [String]
  let value: Value
  let section: Section
  /// Whether the short help lists it.
  let isCommon: Bool
  /// One line, for `--help`, `--help-all`, and the manual page.
  let summary: String
  /// Further text, for `--help-all` and the manual page only.
  let details: String
  let completion: Completion
  /// Stores the value of the option, or throws a `UsageError`. The string is empty if there is no value.
  let apply: @Sendable (inout Options, String) throws -> Void

  /// Creates an option. `names` is a list that is separated by spaces, such as `-i --ignore`.
  init(
    _ names: String, _ value: Value = .none, _ section: Section, isCommon: Bool = false, _ summary: String,
    _ details: String = "", completion: Completion = .nothing,
    apply: @escaping @Sendable (inout Options, String) throws -> Void
  ) {
    self.names = names.split(separator: " ").map(String.init)
    self.value = value
    self.section = section
    self.isCommon = isCommon
    self.summary = summary
    self.details = details
    self.completion = completion
    self.apply = apply
  }

  /// The first long spelling, or the first spelling if there is no long one.
  var name: String { names.first { $0.hasPrefix("--") } ?? names[0] }

  /// The option as the help shows it: `-i, --ignore <glob>`.
  var usage: String {
    let list = names.joined(separator: ", ")
    return switch value {
    case .none: list
    case .required(let name): "\(list) <\(name)>"
    case .optional(let name): "\(list)[=<\(name)>]"
    }
  }
}

nonisolated extension Options {
  /// Parses a command line, without the program's name. All arguments after `--` are the command. Throws a
  /// `UsageError`.
  static func parse(_ arguments: [String]) throws -> Options {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        options.commandLine = Array(rest)
        if rest.isEmpty, options.information == nil {
          throw UsageError("There is no command after --. Without a command, leave -- out.")
        }
        break
      }
      if argument.hasPrefix("--") {
        try options.takeLong(argument, &rest)
      } else if argument.hasPrefix("-"), argument != "-" {
        try options.takeShort(argument, &rest)
      } else {
        options.paths.append(argument)
      }
    }
    if options.information == nil { try options.validate() }
    return options
  }

  private static func specification(_ name: String) throws -> OptionSpecification {
    if let found = specifications.first(where: { $0.names.contains(name) }) { return found }
    throw UsageError.unknown(name, among: specifications.flatMap(\.names).filter { $0.hasPrefix("--") })
  }

  private mutating func takeLong(_ argument: String, _ rest: inout ArraySlice<String>) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let option = try Self.specification(parts[0])
    let attached = parts.count > 1 ? parts[1] : nil
    switch option.value {
    case .none:
      if attached != nil { throw UsageError("'\(parts[0])' takes no value.") }
      try apply(option, "")
    case .optional:
      try apply(option, attached ?? "")
    case .required(let value):
      guard let text = attached ?? rest.popFirst() else { throw UsageError("'\(parts[0])' needs a <\(value)>.") }
      try apply(option, text)
    }
  }

  private mutating func apply(_ option: OptionSpecification, _ text: String) throws {
    if option.section == .running, option.name != "--once" { optionForCommand = option.name }
    try option.apply(&self, text)
  }

  /// Parses an argument with a single dash. Several flags may share the dash, and a value may follow its flag without a
  /// space.
  private mutating func takeShort(_ argument: String, _ rest: inout ArraySlice<String>) throws {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      let option = try Self.specification("-\(letter)")
      guard case .required(let value) = option.value else {
        try apply(option, "")
        continue
      }
      let attached = letters.first == "=" ? String(letters.dropFirst()) : String(letters)
      guard let text = letters.isEmpty ? rest.popFirst() : attached else {
        throw UsageError("'-\(letter)' needs a <\(value)>.")
      }
      try apply(option, text)
      return
    }
  }
}
