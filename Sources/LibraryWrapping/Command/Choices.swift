/// The user's decisions about sites. The file has one line for each site:
///
///     sqlite3_update_hook/1 adapter=lent thread=caller end=sqlite3_update_hook(NULL) buffers=copy name=updates
///
/// A question mark stands for an unknown value: the tool takes the safe default.
struct Choices {
  enum Adapter: String, CaseIterable {
    case foreign
    case repeating
    case lent
    case once
    case scoped
    case skip
  }
  enum Thread: String, CaseIterable {
    case caller
    case loop
    case library
    case user

    var calling: CallingThread {
      switch self {
      case .caller: .caller
      case .loop: .loop
      case .library: .library
      case .user: .user
      }
    }

    /// The word for a decision: a question mark without one, and for a signal handler, which Swift code cannot be.
    static func word(for calling: CallingThread?) -> String {
      allCases.first { $0.calling == calling }?.rawValue ?? "?"
    }

    static func message(_ value: String) -> String {
      "There is no thread \(value). Choose one of \(allCases.map(\.rawValue).joined(separator: ", "))."
    }
  }
  /// The choices for one site.
  struct Choice {
    var line: Int
    var text: String
    var adapter: Adapter?
    var ending: Ending?
    var thread: CallingThread?
    /// The results of the registering function that mean a failure.
    var fails: FailureRule?
    var borrows = false
    var name: String?
    /// True if a closure that runs inside the calls receives them, and not a stream. Nil without a choice.
    var isHandler: Bool?
    /// True if the program owns the object that a function returns.
    var owns: Bool?
    /// True if it also owns one that the function gives although it fails. Nil without a choice.
    var ownsFailed: Bool?
    /// True if a function takes over the objects that it is given.
    var takes: Bool?
    /// The only parameter whose object a function takes over.
    var taken: String?
    /// Names for the arguments, if the header has none, or other ones.
    var arguments: [String]?
    /// The functions that run an object on a loop, as they are written. Empty to find them by their names.
    var drive: String?
    /// True if what a function makes may be used after an object that it was made with has been closed.
    var outlives = false
    /// True if C sets the functions in the fields of a struct, and a program calls them.
    var hasMethods = false
    /// True if that is so of all of them, also of those that do not take the struct first.
    var hasOnlyMethods = false
    /// What a function does with the memory behind a pointer.
    var memory: PointerUse?
    /// The function that frees the memory that C gives through a pointer, or `no`.
    var frees: String?
    /// The object that a `void *` stands for.
    var type: String?
  }

  static let version = 1
  /// Why something is left out that could be written.
  static let skipping = "The choices say so."
  static let head = "# wrap-library choices "

  var bySite: [String: Choice] = [:]
  /// The lines for all names with a beginning, the longest one first. The line for everything has an empty one.
  private(set) var beginnings: [(beginning: Substring, choice: Choice)] = []

  /// The lines for fields of structs that are pointers.
  private(set) var fields: [String: Choice] = [:]
  /// The lines for pointers that callbacks get.
  private(set) var arguments: [String: Choice] = [:]

  /// The choice for a site or a function: its own line, and what the lines for beginnings of its name decide, the longest
  /// one first. Only the first line can skip it.
  subscript(_ key: String) -> Choice? {
    var choice = bySite[key]
    for line in beginnings where key.hasPrefix(line.beginning) {
      guard var specific = choice else {
        choice = line.choice
        continue
      }
      specific.thread = specific.thread ?? line.choice.thread
      specific.fails = specific.fails ?? line.choice.fails
      choice = specific
    }
    return choice
  }

  /// The rule of a line for all names with a beginning, and whether it is the line for everything.
  func ruleForAll(_ name: String) -> (rule: FailureRule, isWhole: Bool)? {
    for line in beginnings where name.hasPrefix(line.beginning) {
      if let rule = line.choice.fails { return (rule, line.beginning.isEmpty) }
    }
    return nil
  }

  private mutating func sortBeginnings() {
    beginnings = bySite.filter { $0.key.hasSuffix(Self.rest) && !$0.key.contains("/") }.map {
      ($0.key.dropLast(), $0.value)
    }
    .sorted { $0.beginning.count > $1.beginning.count }
    fields = bySite.filter { $0.value.isOfPointer && Self.isField($0.key) }
    arguments = bySite.filter { Self.isOfCallback($0.key) }
  }

  /// True if a site is left out. A function that releases a context belongs to its callback, so the line for the rest does not
  /// apply to it.
  func skips(_ classified: ClassifiedSite) -> Bool {
    let key = classified.site.key
    return (classified.role.value == .release ? bySite[key] : self[key])?.adapter == .skip
  }

  /// The key of the line for everything that has none, and the end of the key of a line for a beginning.
  static let rest = "*"

  /// Creates choices without lines for sites. `thread` and `fails` decide for all sites.
  init(thread: Thread? = nil, fails: FailureRule? = nil) {
    decideForAll(thread, fails)
  }

  /// Sets the choices of the line for all sites.
  mutating func decideForAll(_ thread: Thread?, _ fails: FailureRule?) {
    if thread == nil, fails == nil { return }
    var choice = bySite[Self.rest] ?? Choice(line: 0, text: "")
    choice.thread = thread?.calling ?? choice.thread
    choice.fails = fails ?? choice.fails
    let words = [
      choice.adapter == .skip ? "skip" : nil,
      choice.thread.map { "thread=\(Thread.word(for: $0))" },
      choice.fails.map { "fails=\($0.rawValue)" },
    ]
    choice.text = ([Self.rest] + words.compactMap(\.self)).joined(separator: " ")
    bySite[Self.rest] = choice
    sortBeginnings()
  }

  /// Sets the functions that run objects on a loop.
  mutating func drive(_ objects: [String]) {
    for text in objects {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      let functions = parts.count > 1 ? parts[1] : bySite[parts[0]]?.drive ?? ""
      let line = "\(parts[0]) drive" + (functions.isEmpty ? "" : "=" + functions)
      bySite[parts[0]] = Choice(line: bySite[parts[0]]?.line ?? .max, text: line, drive: functions)
    }
  }

  /// The objects that run on a loop.
  var driven: [(object: String, functions: String, line: Int)] {
    bySite.compactMap { key, choice in choice.drive.map { (key, $0, choice.line) } }.sorted { $0.object < $1.object }
  }

  /// Adds a line, or its choices to the line that is there.
  mutating func add(_ line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    guard let key = words.first else { return }
    let others = bySite.values.filter { $0.text.split(separator: " ").first != key[...] }.sorted { $0.line < $1.line }
    let own = bySite[key].map { $0.text.split(separator: " ").map(String.init).dropFirst() } ?? []
    let text = ([key] + own + words.dropFirst()).joined(separator: " ")
    self = try Choices((others.map(\.text) + [text]).joined(separator: "\n"), path: "--ask")
  }

  /// The keys of the lines that other choices do not have, or have with another text.
  func keys(changedFrom others: Choices) -> Set<String> {
    Set(bySite.keys.filter { bySite[$0]?.text != others.bySite[$0]?.text })
  }

  /// Makes a line what it is in other choices.
  mutating func restore(_ key: String, from others: Choices) {
    bySite[key] = others.bySite[key]
    sortBeginnings()
  }

  /// True for a name that can be written into the code: letters, digits, and underscores, perhaps between backticks.
  private static func isName(_ text: String) -> Bool {
    let name = text.hasPrefix("`") && text.hasSuffix("`") ? text.dropFirst().dropLast() : text[...]
    return name.contains(where: \.isLetter) && name.first?.isNumber == false
      && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
  }

  /// Reads the lines of a file; `path` is for messages.
  init(_ text: String, path: String) throws {
    // A line may end with a carriage return, too, and the first one begin with the mark of UTF-8.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (number, line) in lines.enumerated() {
      let line = number == 0 && line.hasPrefix("\u{FEFF}") ? line.dropFirst() : line
      func fail(_ message: String) -> WrappingError { WrappingError("\(path):\(number + 1): \(message)") }
      if line.hasPrefix(Self.head) {
        let version = Int(line.dropFirst(Self.head.count)) ?? 0
        if version > Self.version {
          throw fail(
            "The file is of version \(version), and this wrap-library reads version \(Self.version). Update Headwater, or remove the file and choose again."
          )
        }
        continue
      }
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard let key = words.first, !key.hasPrefix("#") else { continue }
      if let other = bySite[String(key)] {
        throw fail("\(key) has been chosen in line \(other.line). Remove one of them.")
      }
      var choice = Choice(line: number + 1, text: String(line))
      var names: Set<Substring> = []
      for word in words.dropFirst() {
        if word.hasPrefix("#") { break }
        let name = word.prefix { $0 != "=" }
        if !names.insert(name).inserted { throw fail("\(key) has \(name) twice. Remove one of them.") }
        if word == "skip" {
          choice.adapter = .skip
          continue
        }
        if word == "drive" {
          choice.drive = ""
          continue
        }
        if word == "methods" {
          choice.hasMethods = true
          continue
        }
        if word == "methods=all" {
          choice.hasMethods = true
          choice.hasOnlyMethods = true
          continue
        }
        guard let equals = word.firstIndex(of: "=") else { throw fail("\(word) is no choice. Write NAME=VALUE.") }
        let value = String(word[word.index(after: equals)...])
        if value == "?" { continue }
        switch word[..<equals] {
        case "adapter":
          guard let adapter = Adapter(rawValue: value) else {
            throw fail(
              "There is no adapter \(value). Choose one of \(Adapter.allCases.map(\.rawValue).joined(separator: ", "))."
            )
          }
          choice.adapter = adapter
        case "thread":
          guard let thread = Thread(rawValue: value) else { throw fail(Thread.message(value)) }
          choice.thread = thread.calling
        case "fails":
          guard let fails = FailureRule(chosen: value) else { throw fail(FailureRule.message(value)) }
          choice.fails = fails
        case "end":
          let withNull = value.hasSuffix("(NULL)")
          choice.ending = Ending(function: withNull ? String(value.dropLast(6)) : value, withNull: withNull)
        case "buffers":
          guard value == "copy" || value == "borrow" else { throw fail("buffers is copy or borrow, not \(value).") }
          choice.borrows = value == "borrow"
        case "name":
          guard Self.isName(value) else { throw fail("'\(value)' is no name in Swift.") }
          choice.name = value
        case "as":
          guard value == "stream" || value == "handler" else { throw fail("as is stream or handler, not \(value).") }
          choice.isHandler = value == "handler"
        case "owns":
          guard ["yes", "no", "always"].contains(value) else { throw fail("owns is yes, no, or always, not \(value).") }
          choice.owns = value != "no"
          choice.ownsFailed = value == "always"
        case "takes":
          if ["yes", "no"].contains(value) { choice.takes = value == "yes" } else { choice.taken = value }
        case "outlives":
          guard value == "yes" || value == "no" else { throw fail("outlives is yes or no, not \(value).") }
          choice.outlives = value == "yes"
        case "arguments":
          choice.arguments = value.split(separator: ",").map(String.init)
          if let other = choice.arguments?.first(where: { !Self.isName($0) }) {
            throw fail("'\(other)' is no name in Swift.")
          }
        case "drive": choice.drive = value
        case "memory":
          do { choice.memory = try PointerUse(value) } catch { throw fail("\(error)") }
        case "frees": choice.frees = value
        case "type": choice.type = value
        default:
          throw fail(
            "There is no choice \(word[..<equals]). Use adapter, thread, fails, end, buffers, name, as, arguments, owns, takes, outlives, drive, memory, frees, or type."
          )
        }
      }
      if key.hasSuffix(Self.rest), !key.contains("/") {
        let others = words.dropFirst().prefix { !$0.hasPrefix("#") }.filter { word in
          word != "skip" && !word.hasPrefix("thread=") && !word.hasPrefix("fails=")
        }
        if let other = others.first {
          throw fail("\(other) is no choice for several sites. The line \(key) takes skip, thread=, and fails=.")
        }
      }
      bySite[String(key)] = choice
    }
    sortBeginnings()
  }

  /// Checks that every choice still names something in the headers.
  func check(_ sites: [ClassifiedSite], _ library: Library, isWhole: Bool = false, path: String) throws {
    let known = Dictionary(sites.map { ($0.site.key, $0) }) { first, _ in first }
    for (key, choice) in bySite.sorted(by: { $0.value.line < $1.value.line })
    where key != Self.rest && !(isWhole && choice.isOfPointer && !Self.isOfCallback(key)) {
      func fail(_ message: String) -> WrappingError { WrappingError("\(path):\(choice.line): \(message)") }
      if Self.isOfCallback(key) {
        try checkArgument(key, choice, sites, library, fail)
        continue
      }
      if key.hasSuffix(Self.rest) {
        let beginning = key.dropLast()
        if known.keys.contains(where: { $0.hasPrefix(beginning) }) { continue }
        if isWhole, library.functions.contains(where: { $0.name.hasPrefix(beginning) }) { continue }
        throw fail(
          "The headers have nothing that begins with \(beginning). Remove the line, or read the header that has it.")
      }
      if isWhole, known[key] == nil, library.functionIndex[key] != nil || choice.drive != nil || choice.hasMethods {
        continue
      }
      guard let classified = known[key] else {
        if !isWhole, choice.isOfPointer || library.functionIndex[key] != nil {
          throw fail("\(key) is no callback, and --callbacks writes nothing else. Remove the line, or the option.")
        }
        if ["memory=?", "frees=?", "type=?"].contains(where: { choice.text.contains($0) }) {
          throw fail("\(key) has a question mark for a choice. Write what it stands for, or remove the line.")
        }
        if isWhole, Self.isField(key), place(ofField: key, library) != nil {
          throw fail("The choice for a field is memory=. Write it in the line of \(key), and nothing else.")
        }
        throw fail("The headers have no \(key). Remove the line, or read the header that has it.")
      }
      if let ending = choice.ending, library.functionIndex[ending.function] == nil, classified.site.kind != .global {
        throw fail("The headers have no function \(ending.function). Choose another end for \(key).")
      }
      if let ending = choice.ending, ending.withNull, ending.function != classified.site.owner,
        classified.site.kind == .parameter
      {
        throw fail("\(ending.function)(NULL) does not end \(key): only \(classified.site.owner) takes the callback.")
      }
      if choice.adapter == .scoped, classified.site.kind != .parameter {
        throw fail(
          "\(key) is no parameter of a function, and scoped callbacks last for one call. Choose another adapter.")
      }
      if classified.result.value != .none, choice.isHandler == false, choice.adapter != .skip {
        throw fail(
          "\(key) returns a value, so a closure answers it. Remove as=stream, and observe the calls in the closure.")
      }
      let isScoped = choice.adapter.map { $0 == .scoped } ?? (classified.life.value == .scoped)
      if isScoped, choice.isHandler == false {
        throw fail(
          "\(key) is called only while \(classified.site.owner) runs, so a closure receives the calls. Remove as=stream."
        )
      }
      if classified.result.value != .none, choice.adapter == .once, classified.site.kind == .field {
        throw fail("\(key) returns a value and can be called again. Choose another adapter than once.")
      }
    }
  }

  /// Choices that the headers contradict, or that have no effect, one line each. `hooks` are the sites that your code registers.
  func doubts(_ sites: [ClassifiedSite], _ hooks: Set<String>) -> [String] {
    sites.compactMap { classified in
      let key = classified.site.key
      guard let choice = bySite[key], let adapter = choice.adapter, adapter != .skip else { return nil }
      if hooks.contains(key), adapter != .foreign {
        return "\(key): adapter=\(adapter) has no effect, because your code registers the callback with its `Callback`"
      }
      guard adapter != .scoped,
        classified.life.value == .scoped, classified.life.certainty > .asked
      else { return nil }
      return "\(key): adapter=\(adapter) outlives the call, but \(classified.site.owner) calls only while it runs (E8)"
    }
  }
}
