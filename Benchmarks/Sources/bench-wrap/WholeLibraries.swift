import Foundation

/// What wrap-library makes of a whole library that has a program in Tests/LibraryWrappingTests/Programs.
struct WholeLibrary {
  /// The name of the program and the module.
  let program: String
  /// The name in the table, and what the program does.
  let name, purpose: String
  let arguments: [String]
  let choices: String
  /// The lines of the program that are neither empty nor comments.
  let lines: Int
  private(set) var (functions, written) = (0, 0)
  /// The callbacks that are written, each of which becomes a member.
  private(set) var callbacks = 0
  /// The number of questions of `--ask`, or nil if they have not been counted.
  private(set) var questions: Int?
  /// The reasons for the functions that are skipped, and how often each applies, most frequent first.
  private(set) var reasons: [(text: String, count: Int)] = []
  /// The number of functions that are skipped for a reason that the file of choices lists.
  var skipped: Int { reasons.map(\.count).reduce(0, +) }
  /// The processor time of the command.
  private(set) var seconds = 0.0

  init(_ row: [String]) throws {
    (program, name, purpose) = (row[0], row[1], row[2])
    let lines = try Self.source(of: program).split(separator: "\n")
    let head = lines.prefix { $0.hasPrefix("// ") }.map { $0.dropFirst(3) }
    arguments = head.first?.split(separator: " ").map(String.init) ?? []
    choices = head.dropFirst().map { $0 + "\n" }.joined()
    self.lines = lines.count { !$0.drop { $0 == " " }.hasPrefix("//") }
  }

  /// The text of a program.
  static func source(of program: String) throws -> String {
    try String(contentsOfFile: "\(root)/Tests/LibraryWrappingTests/Programs/\(program).swift", encoding: .utf8)
  }

  /// Writes the library into `folder`, and counts. Returns false if it isn't installed.
  mutating func write(to folder: URL, countsQuestions: Bool) throws -> Bool {
    let file = folder.appendingPathComponent(program + ".choices")
    try choices.write(to: file, atomically: true, encoding: .utf8)
    let command =
      [tool] + arguments + ["--module", program, "--output", folder.path + "/Sources", "--choices", file.path]
    let result = try run(command)
    let text = String(decoding: result.output, as: UTF8.self)
    guard result.status == 0, let match = text.firstMatch(of: /(\d+) functions found: (\d+) written, \d+ skipped/)
    else {
      print("\(name): left out. \(text.split(separator: "\n").first ?? "")")
      return false
    }
    (functions, written) = (Int(match.1) ?? 0, Int(match.2) ?? 0)
    callbacks = text.firstMatch(of: /\d+ callbacks? found: (\d+) written/).flatMap { Int($0.1) } ?? 0
    seconds = result.seconds
    var first: [String: String] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      // `# function: Reason. (parameter)`, or `# function/parameter memory=?   # Reason.` for each parameter.
      guard let match = line.wholeMatch(of: /# (\w+)(?:: |\/.*   # )(.+?\.)(?: \(.*\))?/) else { continue }
      // Functions with callbacks are written, also if pointers of theirs stay as they are.
      let remarks = ["Stays a pointer.", "A pointer that a callback gets."]
      if remarks.contains(where: { match.2.hasPrefix($0) }) { continue }
      if first[String(match.1)] == nil { first[String(match.1)] = String(match.2) }
    }
    var counts: [String: Int] = [:]
    for reason in first.values { counts[reason, default: 0] += 1 }
    reasons = counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    if countsQuestions { questions = try countQuestions(in: folder) }
    return true
  }

  /// The number of questions of `--ask`, if each is answered with the safe default.
  private func countQuestions(in folder: URL) throws -> Int {
    let file = folder.appendingPathComponent("questions.choices")
    try choices.write(to: file, atomically: true, encoding: .utf8)
    let output = folder.appendingPathComponent("questions")
    let command =
      [tool] + arguments + ["--module", program, "--output", output.path, "--choices", file.path, "--force", "--ask"]
    let result = try run(["sh", "-c", "yes '' | \"$@\"", "sh"] + command)
    return String(decoding: result.output, as: UTF8.self).components(separatedBy: "or q to leave the rest open: ").count
      - 1
  }

  /// The row of the table in Docs. `old` is the row that is there, whose number of questions stays if they have not been counted.
  func row(_ old: String?) -> String {
    let columns = old?.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
    let questions = questions.map { String($0) } ?? (columns.count == 7 ? columns[4] : "")
    let reason = reasons.first.map { $0.count == skipped ? ": \($0.text)" : "; \($0.count): \($0.text)" } ?? ""
    return "| \(name) | \(functions) | \(written) | \(skipped)\(reason) | \(questions) | \(purpose) | \(lines) |"
  }
}

/// Measures each library that has a program, compares the table in Docs, and compiles a library of about 200 functions.
func measureWholeLibraries(update: Bool) throws {
  try withFolder { folder in
    var libraries: [WholeLibrary] = []
    print("\nwhole library  functions  written  skipped  lines of the program  seconds")
    for row in try table("programs.tsv") {
      var library = try WholeLibrary(row)
      guard try library.write(to: folder, countsQuestions: update) else { continue }
      libraries.append(library)
      let numbers = [library.functions, library.written, library.skipped, library.lines]
      print(
        library.name.padding(toLength: 14, withPad: " ", startingAt: 0),
        numbers.map { String($0) }.joined(separator: "  "), String(format: "%.2f", library.seconds))
      for reason in library.reasons { print("    \(reason.count): \(reason.text)") }
    }
    guard let slowest = libraries.max(by: { $0.seconds < $1.seconds }),
      let compiled = libraries.min(by: { abs($0.written - 200) < abs($1.written - 200) })
    else { return }
    let (functions, written) = (libraries.map(\.functions).reduce(0, +), libraries.map(\.written).reduce(0, +))
    print("\(libraries.count) libraries, functions: \(functions), written: \(written)")
    print("slowest: \(slowest.name), \(String(format: "%.2f s", slowest.seconds)) of processor time, at most 5 s")
    if slowest.seconds > 5 { missed.append("5 s for \(slowest.name)") }
    try compareTable(libraries, update: update)
    try compile(compiled, in: folder)
  }
}

/// Compares the rows of the table in Docs, or writes them. The row of a library that isn't installed stays.
private func compareTable(_ libraries: [WholeLibrary], update: Bool) throws {
  let path = root + "/Docs/Reference/WrapLibrary.md"
  let text = try String(contentsOfFile: path, encoding: .utf8)
  var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  guard let head = lines.firstIndex(where: { $0.hasPrefix("| Library | Functions |") }) else {
    missed.append("a table in Docs/Reference/WrapLibrary.md")
    return
  }
  let rows = head + 2..<(lines[head...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex)
  func old(_ library: WholeLibrary) -> String? { lines[rows].first { $0.hasPrefix("| \(library.name) |") } }
  let others = lines[rows].filter { row in !libraries.contains { row.hasPrefix("| \($0.name) |") } }
  // The longest programs come first.
  let sorted = libraries.sorted { ($1.lines, $0.name) < ($0.lines, $1.name) }.map { $0.row(old($0)) } + others
  if sorted == Array(lines[rows]) { return }
  if update {
    lines.replaceSubrange(rows, with: sorted)
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    print("written: \(path)")
  } else {
    for row in Set(sorted).subtracting(lines[rows]).sorted() { print("not in Docs: \(row)") }
    missed.append("the table in Docs, which `Scripts/bench wrap whole --update` writes")
  }
}
