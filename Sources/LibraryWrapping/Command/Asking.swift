#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Asks on the terminal what a header does not tell, one question a screen. The answers become choices.
struct Asking {
  /// An answer: its words, the line of the file of choices, and the declaration that it writes.
  struct Answer {
    var text: String
    var line: String?
    var writes: String
  }

  struct Question {
    var text: String
    /// The pointer whose line an answer of one's own begins, such as `memory=in[n]`.
    var key: String?
    /// What the header says: a comment and a declaration.
    var header: [String]
    /// The safe default comes first.
    var answers: [Answer]
  }

  /// What an answer writes that does not fit.
  static let error = "an error"

  let sites: [ClassifiedSite]
  let library: Library
  let objects: LibraryObjects?
  let write: (Choices, _ only: String?) -> SwiftWriter.Output?

  /// - Parameter write: Writes the code with choices, to show what an answer writes: all functions, or only one.
  init(
    _ sites: [ClassifiedSite], _ library: Library, _ objects: LibraryObjects?,
    write: @escaping (Choices, _ only: String?) -> SwiftWriter.Output?
  ) {
    self.sites = sites.filter { $0.role.value == .callback }
    self.library = library
    self.objects = objects
    self.write = write
  }

  /// Asks for all that `choices` leaves open, and returns them with the answers. The end of the input, or `q`, leaves the rest open.
  func ask(_ choices: Choices) throws -> Choices {
    var choices = choices
    var number = 0
    var done: Set<String> = []
    // What is written with these choices.
    var output: SwiftWriter.Output?
    // An answer can decide what the next question would be, so each one is made from those before it.
    while let (key, asked) = next(choices, done, &output) {
      done.insert(key)
      // What can't be written is no answer.
      var question = asked
      question.answers.removeAll { $0.writes == Self.error }
      if question.answers.count < 2 { continue }
      number += 1
      guard let answer = answer(to: question, number, choices) else { return choices }
      guard let line = answer.line else { continue }
      try choices.add(line)
      output = nil
    }
    show(number == 0 ? "The headers and the choices decide everything.\n" : "There are no more questions.\n")
    return choices
  }

  private func next(
    _ choices: Choices, _ done: Set<String>, _ output: inout SwiftWriter.Output?
  ) -> (String, Question)? {
    let open = sites.filter { !choices.skips($0) }
    if !done.contains("thread"), let question = thread(open, choices) { return ("thread", question) }
    if !done.contains("fails"), let question = fails(open, choices) { return ("fails", question) }
    for site in open where !done.contains(site.site.key) {
      if let question = life(site, choices) { return (site.site.key, question) }
    }
    for function in library.functions where !done.contains(function.name) {
      if let question = owner(function, choices) { return (function.name, question) }
    }
    if objects == nil { return nil }
    output = output ?? write(choices, nil)
    for (name, why) in (output?.unwrapped ?? []) + (output?.open ?? []) where !why.choices.isEmpty {
      let key = why.key(name)
      if !done.contains(key), let question = pointer(name, why, choices) { return (key, question) }
    }
    for key in output?.openArguments ?? [] where !done.contains(key) {
      if let question = argument(key, choices) { return (key, question) }
    }
    for key in output?.openFields ?? [] where !done.contains(key) {
      if let question = field(key, choices) { return (key, question) }
    }
    return nil
  }

  // MARK: The questions

  private func thread(_ sites: [ClassifiedSite], _ choices: Choices) -> Question? {
    let open = sites.filter { (choices[$0.site.key]?.thread ?? $0.thread.value) == nil }
    guard let first = open.first else { return nil }
    func answer(_ text: String, _ thread: Choices.Thread?) -> Answer {
      let line = thread.map { "* thread=\($0.rawValue)" }
      return Answer(text: text, line: line, writes: declaration(first, choices, line))
    }
    return Question(
      text: "Which thread calls, where the header says nothing (callbacks: \(open.count))?", header: header(first),
      answers: [
        answer("I don't know: any thread may call", nil),
        answer("The one that calls the library's functions, before they return", .caller),
        answer("The one that runs the library on a loop", .loop),
        answer("Threads of the library", .library),
      ])
  }

  private func fails(_ sites: [ClassifiedSite], _ choices: Choices) -> Question? {
    let open = sites.filter { $0.fails?.certainty == .asked && choices[$0.site.key]?.fails == nil }
    guard let first = open.first else { return nil }
    func answer(_ text: String, _ rule: FailureRule?) -> Answer {
      let line = rule.map { "* fails=\($0.rawValue)" }
      return Answer(text: text, line: line, writes: declaration(first, choices, line))
    }
    return Question(
      text:
        "Which results are failures, where the header says nothing (functions: \(open.count))?",
      header: header(first),
      answers: [
        answer("I don't know: negative numbers, as nearly everywhere", nil), answer("Negative numbers", .negative),
        answer("All but zero", .nonzero), answer("Zero", .zero), answer("None: the results are values", .never),
      ])
  }

  private func life(_ site: ClassifiedSite, _ choices: Choices) -> Question? {
    guard site.life.certainty == .asked, site.context.value != nil, choices.bySite[site.site.key]?.adapter == nil else {
      return nil
    }
    func answer(_ text: String, _ adapter: Choices.Adapter?) -> Answer {
      let line = adapter.map { "\(site.site.key) adapter=\($0.rawValue)" }
      return Answer(text: text, line: line, writes: declaration(site, choices, line))
    }
    var answers = [
      answer("I don't know: late calls are dropped", nil),
      answer("When the callback is unregistered; it never calls later", .repeating), answer("After one call", .once),
    ]
    if site.site.kind == .parameter { answers.append(answer("When \(site.site.owner) returns", .scoped)) }
    answers.append(answer("Leave the callback out", .skip))
    return Question(text: "When does C stop calling \(site.site.key)?", header: header(site), answers: answers)
  }

  private func owner(_ function: Library.Function, _ choices: Choices) -> Question? {
    guard let objects, objects.isUnclear(resultOf: function), choices.bySite[function.name] == nil,
      choices[function.name]?.adapter != .skip
    else { return nil }
    func answer(_ text: String, _ line: String?) -> Answer {
      Answer(text: text, line: line, writes: member(function.name, choices, line, only: function.name))
    }
    return Question(
      text: "Who frees what \(function.name) returns?",
      header: function.comment.split(separator: "\n").map(String.init) + [code(of: function)],
      answers: [
        answer("I don't know, or the library: it is borrowed", nil), answer("The program", "\(function.name) owns=yes"),
      ])
  }

  private func header(_ site: ClassifiedSite) -> [String] {
    let function = library.functionIndex[site.site.owner].map { library.functions[$0] }
    let code = site.site.kind == .parameter ? function.map { self.code(of: $0) } : nil
    return site.site.comment.split(separator: "\n").map(String.init) + [code ?? site.site.signature]
  }

  /// The declaration of a function in one line.
  func code(of function: Library.Function) -> String {
    library.code(of: function.declaration).split { $0 == " " || $0 == "\n" || $0 == "\t" }.joined(separator: " ")
  }

  /// The declaration that a callback becomes with another line.
  private func declaration(_ site: ClassifiedSite, _ choices: Choices, _ line: String?) -> String {
    member(site.site.key, choices, line, only: site.site.owner)
  }

  /// The declaration that a function or a callback becomes with another line; `only` is its function, if others do not matter.
  func member(_ key: String, _ choices: Choices, _ line: String?, only: String? = nil) -> String {
    var trial = choices
    if let line { try? trial.add(line) }
    guard let output = write(trial, only) else { return Self.error }
    guard let name = output.names[key].map(SwiftTypes.escaped) else {
      let isLeftOut = output.skipped.contains { $0.key == key } || output.unwrapped.contains { $0.function == key }
      return isLeftOut ? "nothing" : "a type for a call of your own"
    }
    let lines = ([output.swift] + output.files.map(\.text)).flatMap { $0.split(separator: "\n") }.map {
      String($0).trimmed
    }
    let found =
      lines.first { line in
        line.hasPrefix("public ") && ["func \(name)(", "func \(name)<", "var \(name):"].contains { line.contains($0) }
      } ?? lines.drop { $0 != "/// C: `\(key)`." }.first { $0.hasPrefix("public ") }
    return found.map { $0.hasSuffix("{") ? String($0.dropLast()).trimmed : $0 } ?? name
  }

  // MARK: The terminal

  private func answer(to question: Question, _ number: Int, _ choices: Choices) -> Answer? {
    var text = isatty(1) == 1 ? "\u{1B}[2J\u{1B}[H" : ""
    text += "\(number). \(question.text)\n\n"
    for line in question.header.suffix(24) { text += "    \(line)\n" }
    text += "\n"
    for (index, answer) in question.answers.enumerated() {
      text += "  \(index + 1)  \(answer.text)\n       \(answer.writes)\n"
    }
    show(text)
    while true {
      let own = question.key == nil ? "" : " a choice such as memory=in[n],"
      show("\n1 to \(question.answers.count), Enter for 1,\(own) or q to leave the rest open: ")
      guard let line = readLine() else {
        show("\n")
        return nil
      }
      let word = line.trimmed
      if word == "q" { return nil }
      if let choice = word.isEmpty ? 1 : Int(word), question.answers.indices.contains(choice - 1) {
        return question.answers[choice - 1]
      }
      guard let key = question.key, word.contains("=") else { continue }
      do {
        var trial = Choices()
        try trial.add("\(key) \(word)")
        try trial.checkPointers(library, path: "--ask")
        var output = SwiftWriter.Output()
        output.fields = [key]
        let effects = Effects(
          choices: trial, library: library, objects: objects, sites: sites, output: output, asks: true)
        try effects.check(path: "--ask")
        var own = choices
        try own.add("\(key) \(word)")
        if write(own, String(key.prefix { !"/(".contains($0) })) == nil {
          throw WrappingError("\(word) does not fit the declaration of \(key).")
        }
        return Answer(text: word, line: "\(key) \(word)", writes: "")
      } catch {
        show("\(error)\n")
      }
    }
  }

  private func show(_ text: String) { _ = Files.write(Array(text.utf8), to: 1) }
}
