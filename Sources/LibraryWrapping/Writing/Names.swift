/// Swift names for C's, by the API Design Guidelines.
struct Names {
  let prefix: String
  /// The words that several functions with callbacks have, without the words about registering.
  private var ambiguous: Set<[String]> = []

  /// Words that describe how a callback is registered, not which event it receives.
  private static let registering: Set<String> = ["set", "register", "install", "on", "new", "create", "make"]

  /// Words of functions that make an object.
  private static let making: Set<String> = ["new", "create", "make"]

  /// Words after a noun that say which variant of a function it is.
  private static let variants: Set<String> = ["any", "full", "ex", "async"]

  init(_ library: Library) {
    prefix = Words.prefix(of: library.functions.map(\.name))
    var counts: [[String]: Int] = [:]
    for function in library.functions where function.parameters.contains(where: { library.function($0.type) != nil }) {
      counts[varied(stripped(words(function.name))).noun, default: 0] += 1
    }
    ambiguous = Set(counts.filter { $0.value > 1 }.keys)
  }

  /// The words of a name without the library's prefix.
  func words(_ name: String) -> [String] {
    var rest = name.drop { $0 == "_" }
    // No name of Swift begins with the digit of `ne_207_parser`.
    if !prefix.isEmpty,
      rest.hasPrefix(prefix) || prefix.hasSuffix("_") && rest.lowercased().hasPrefix(prefix.lowercased()),
      rest != prefix[...],
      rest.dropFirst(prefix.count).first?.isNumber != true
    {
      rest = rest.dropFirst(prefix.count)
    }
    if rest.hasPrefix("_") { rest = rest.drop { $0 == "_" } }
    return Words.split(rest)
  }

  // MARK: Types

  /// The name of the class for an object: `mosquitto` of `struct mosquitto`, `Parser` of `XML_Parser`.
  func object(_ name: String) -> String {
    var own = name.split(separator: " ").last.map(String.init) ?? name
    while own.count > 1, own.hasSuffix("_") { own.removeLast() }
    if own.hasSuffix("_t") { own.removeLast(2) }
    if own.hasSuffix("Struct") { own.removeLast(6) }
    if own.hasSuffix("Ptr"), own.count > 3 { own.removeLast(3) }
    let text = Self.upper(words(own))
    return Self.reserved.contains(text)
      ? Self.upper(Words.split(prefix) + words(own)) + (prefix.isEmpty ? "Handle" : "") : text
  }

  /// Names of types that generated code uses, or that a program has without importing anything.
  static let reserved = Set(SwiftTypes.modules.keys).union([
    "Event", "Observer", "Array", "Result", "Self", "Protocol", "Optional", "Task", "Character", "Set",
    "Dictionary", "Any", "Type", "Range", "Sequence", "Property", "Store", "Loop", "Queue", "Signal", "Timer",
    "Process", "File", "Never", "Hasher", "Data", "Thread", "Date", "URL", "Callback", "Object", "MutableSpan",
    "RawSpan", "Duration", "Unicode", "Mirror", "Collection", "Equatable", "Comparable", "Codable", "Encoder",
    "Decoder", "Substring", "Regex", "Mutex", "Deferral", "Usable", "AnyObject", "",
  ])

  // MARK: Members

  /// The name of a site's Swift member.
  func member(_ classified: ClassifiedSite, siblings: Int, object: String?, isHandler: Bool) -> String {
    let site = classified.site
    if site.kind == .typedef { return Self.upper(words(site.owner)) }
    if site.kind == .field { return Self.lower(Words.split(site.name)) }
    var stem = words(site.owner)
    let isAmbiguous = ambiguous.contains(varied(stripped(stem)).noun)
    if let object { stem = without(stem, self.words(object)) }
    if classified.life.value == .scoped || classified.life.value == .once && !stem.contains("set") {
      return Self.lower(stem)
    }
    let makes = stem.contains(where: Self.making.contains)
    stem = stripped(stem)
    if classified.life.value == .once { return Self.lower(stem) }
    // The function is named after the object, and not after this callback.
    let own = stripped(Words.split(site.name)).map { $0 == "err" ? "error" : $0 }
    if makes, object == nil, site.kind == .parameter,
      own.contains(where: { $0.count > 1 && !Words.handler.contains($0) })
    {
      stem = own.filter { $0.count > 1 }
    }
    if siblings > 1 || stem.isEmpty {
      let own = stripped(Words.split(site.name))
      // `set_callbacks` says nothing.
      let isEmpty = stem.allSatisfy { Words.handler.contains($0) } && !own.isEmpty
      stem = stem == own || isEmpty ? own : stem + own
    }
    if stem.isEmpty { stem = words(site.owner) }
    let (noun, version, variant) = varied(stem)
    let rest = version + (isAmbiguous ? variant : [])
    if isHandler { return "on" + Self.upper(noun + rest) }
    return Self.lower(Self.plural(noun) + rest)
  }

  /// The words of the event, a version, and the variant of the function: `message` and `v5`, `event` and `any`.
  private func varied(_ words: [String]) -> (noun: [String], version: [String], variant: [String]) {
    var noun = words
    var version: [String] = []
    var variant: [String] = []
    while noun.count > 1, let last = noun.last {
      if Self.variants.contains(last) {
        variant.insert(last, at: 0)
      } else if last.first == "v", last.count > 1, last.dropFirst().allSatisfy(\.isNumber) {
        version.insert(last, at: 0)
      } else if last != "add" {
        break
      }
      noun.removeLast()
    }
    return (noun, version, variant)
  }

  /// The words of a struct's name as functions have them: `node` of `_TidyNode`, `face` of `FT_FaceRec_`.
  func words(ofType handle: String) -> [String] {
    var object = words(handle.split(separator: " ").last.map(String.init) ?? "")
    if object.count > 1, object[0] == prefix.filter({ $0 != "_" }).lowercased() { object.removeFirst() }
    if object.count > 1, let last = object.last, ["rec", "struct", "tag"].contains(last) { object.removeLast() }
    return object
  }

  /// The words of an object's name are not repeated in its members.
  func without(_ words: [String], _ object: [String]) -> [String] {
    let shared = zip(words, object).prefix { $0 == $1 }.count
    return shared < words.count ? Array(words.dropFirst(shared)) : words
  }

  private func stripped(_ words: [String]) -> [String] {
    var result = words
    let fillers = Words.handler.union(Self.registering).union(["handlers", "hooks"])
    // `setcb` and `eventcb`.
    result = result.map { word in
      for suffix in ["cb", "fn", "func"] where word.count > suffix.count + 2 && word.hasSuffix(suffix) {
        return String(word.dropLast(suffix.count))
      }
      return word
    }
    if result.first == "add", result.dropFirst().contains(where: { !fillers.contains($0) }) { result.removeFirst() }
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
