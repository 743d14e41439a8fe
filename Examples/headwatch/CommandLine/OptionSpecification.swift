/// One option of the command line: how it is written, what it does, and what the help, the manual page and the completions of
/// shells say about it.
nonisolated struct OptionSpecification: Sendable {
  /// The part of the help in which it stands.
  enum Section: String, CaseIterable {
    case selection = "What is watched"
    case printing = "How changes are printed"
    case running = "How the command is run"
    case general = "General"
  }

  /// What follows it.
  enum Value: Hashable {
    /// Nothing.
    case none
    /// A value with this name, in the next argument or after an equals sign.
    case required(String)
    /// A value with this name, after an equals sign only.
    case optional(String)
  }

  /// What a shell offers for its value.
  enum Completion: Hashable {
    case nothing
    case files
    case directories
    case words([String])
  }

  /// All spellings, with their dashes. The first long one is the name.
  let names: [String]
  let value: Value
  let section: Section
  /// Whether the short help lists it.
  let isCommon: Bool
  /// One line, for both kinds of help.
  let summary: String
  /// More, for the long help and the manual page.
  let details: String
  let completion: Completion
  /// Takes it, with its value.
  let apply: @Sendable (inout Options, String) throws -> Void

  /// Makes an option. `names` is a list such as `-i --ignore`.
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

  /// The first long spelling.
  var name: String { names.first { $0.hasPrefix("--") } ?? names[0] }

  /// How it is shown: `-i, --ignore <glob>`.
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
  /// Reads a command line, without the program's name. What follows `--` is the command.
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

  /// Several flags may share a dash, and a value may follow without a space.
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
