/// Swift names for C's, by the API Design Guidelines.
struct Names {
  let prefix: String

  /// Words that say how something is registered, not what it is.
  private static let registering: Set<String> = ["set", "register", "install", "on", "new", "create", "make"]

  init(_ library: Library) { prefix = Words.prefix(of: library.functions.map(\.name)) }

  /// The words of a name without the library's prefix.
  func words(_ name: String) -> [String] {
    var rest = name[...]
    if !prefix.isEmpty, rest.hasPrefix(prefix), rest != prefix[...] { rest = rest.dropFirst(prefix.count) }
    if rest.hasPrefix("_") { rest = rest.drop { $0 == "_" } }
    return Words.split(rest)
  }

  // MARK: Types

  /// The name of the class for an object: `mosquitto` of `struct mosquitto`, `Parser` of `XML_Parser`.
  func object(_ name: String) -> String {
    var own = name.split(separator: " ").last.map(String.init) ?? name
    if own.hasSuffix("_t") { own.removeLast(2) }
    if own.hasSuffix("Struct") { own.removeLast(6) }
    let text = Self.upper(words(own))
    return Self.reserved.contains(text)
      ? Self.upper(Words.split(prefix) + words(own)) + (prefix.isEmpty ? "Handle" : "") : text
  }

  /// Names of types that generated code uses, or that a program has without importing anything.
  static let reserved: Set<String> = [
    "Stream", "Operation", "Event", "Observer", "Inlet", "Disposable", "Void", "String", "Array", "Int", "Error",
    "Result",
    "Optional", "Task", "Character", "Set", "Dictionary", "Float", "Double", "Bool", "Any", "Type", "Range", "Sequence",
    "Property", "Store", "Loop", "Queue", "Signal", "Timer", "Process", "File", "Sendable", "Never", "Hasher", "Never",
    "Data",
    "Thread", "Date", "URL", "Callback", "Object", "",
  ]

  // MARK: Members

  /// The name of what a site becomes.
  func member(_ classified: ClassifiedSite, siblings: Int, object: String?, isHandler: Bool) -> String {
    let site = classified.site
    if site.kind == .typedef { return Self.upper(words(site.owner)) }
    if site.kind == .field { return Self.lower(Words.split(site.name)) }
    var stem = words(site.owner)
    if let object { stem = without(stem, self.words(object)) }
    if classified.life.value == .scoped || classified.life.value == .once {
      return Self.lower(stem)
    }
    stem = stripped(stem)
    if siblings > 1 || stem.isEmpty {
      let own = stripped(Words.split(site.name))
      stem = stem == own ? stem : stem + own
    }
    if stem.isEmpty { stem = words(site.owner) }
    if isHandler { return "on" + Self.upper(stem) }
    return Self.lower(Self.plural(stem))
  }

  /// The words of an object's name are not repeated in its members.
  private func without(_ words: [String], _ object: [String]) -> [String] {
    let shared = zip(words, object).prefix { $0 == $1 }.count
    return shared < words.count ? Array(words.dropFirst(shared)) : words
  }

  private func stripped(_ words: [String]) -> [String] {
    var result = words
    let fillers = Words.handler.union(Self.registering)
    // `setcb` and `eventcb`.
    result = result.map { word in
      for suffix in ["cb", "fn", "func"] where word.count > suffix.count + 2 && word.hasSuffix(suffix) {
        return String(word.dropLast(suffix.count))
      }
      return word
    }
    if result.first == "add", result.count > 2 { result.removeFirst() }
    let kept = result.filter { !fillers.contains($0) }
    return kept.isEmpty ? result.filter { !Self.registering.contains($0) } : kept
  }

  private static func plural(_ words: [String]) -> [String] {
    guard let last = words.last, !last.hasSuffix("s"), !last.hasSuffix("ed"), last != "data", last != "needed",
      last != "flags"
    else { return words }
    let plural: String
    if last.hasSuffix("y"), let before = last.dropLast().last, !"aeiou".contains(before) {
      plural = last.dropLast() + "ies"
    } else if ["x", "sh", "ch"].contains(where: { last.hasSuffix($0) }) {
      plural = last + "es"
    } else {
      plural = last + "s"
    }
    return words.dropLast() + [plural]
  }

  // MARK: Spelling

  /// The name of the adapter's type for a member.
  static func adapter(_ member: String) -> String {
    let name = upper(Words.split(member)) + "Callback"
    let taken = ["Once", "Scoped", "Foreign", "Repeating", "Lent", "Process"].map { $0 + "Callback" }
    return taken.contains(name) ? upper(Words.split(member)) + "FunctionCallback" : name
  }

  static func upper(_ words: [String]) -> String { words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }

  static func lower(_ words: [String]) -> String {
    let text = (words.first ?? "") + upper(Array(words.dropFirst()))
    return text.first?.isNumber == true ? "_" + text : text
  }

  /// The name of a parameter; `fallback` if it has none.
  static func parameter(_ name: String, _ fallback: String) -> String {
    let text = lower(Words.split(name))
    return text.isEmpty ? fallback : text
  }
}
