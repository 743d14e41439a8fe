/// The words of an identifier or a comment, in lower case.
enum Words {
  /// `XML_SetUserData` is xml, set, user, data; `pUserData` is p, user, data.
  static func split(_ name: some StringProtocol) -> [String] {
    var words: [String] = []
    var word = ""
    var previous: Character = "_"
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      if "_./ *$".contains(character) {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        let next = index + 1 < characters.count ? characters[index + 1] : "_"
        // A capital begins a word after a small letter, or before one at the end of an abbreviation.
        if character.isUppercase, previous.isLowercase || previous.isUppercase && next.isLowercase, !word.isEmpty {
          words.append(word)
          word = ""
        }
        word += character.lowercased()
      }
      previous = character
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  /// The beginning that most functions of a library have in common: `sqlite3_`, `PQ`. Empty if there is none.
  static func prefix(of names: [String]) -> String {
    var counts: [String: Int] = [:]
    for name in names { counts[start(of: name), default: 0] += 1 }
    let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
    let capitals = capitals(of: names)
    guard let best, best.value * 2 > names.count else { return capitals.prefix }
    // `GEOSG` of `GEOSGeom_create` is a part of what all names begin with, and the beginning of a word.
    return best.key.hasPrefix(capitals.prefix) && capitals.count > best.value ? capitals.prefix : best.key
  }

  /// The longest beginning in capitals that nearly as many names have before a word as a shorter one: `GEOS` of `GEOSisEmpty` and
  /// `GEOSGeom_create`.
  private static func capitals(of names: [String]) -> (prefix: String, count: Int) {
    var counts: [String: Int] = [:]
    for name in names {
      let start = name.prefix { $0.isUppercase }
      guard start.count >= 2, let next = name.dropFirst(start.count).first, next.isLowercase else { continue }
      for length in 2...start.count { counts[String(name.prefix(length)), default: 0] += 1 }
    }
    let most = counts.values.max() ?? 0
    let found = counts.filter { $0.value * 2 > names.count && $0.value * 10 >= most * 9 }
      .max { $0.key.count < $1.key.count }
    return (found?.key ?? "", found?.value ?? 0)
  }

  /// `sqlite3_` of `sqlite3_open`, `PQ` of `PQfinish`, `ev` of none.
  private static func start(of name: String) -> String {
    let capitals = name.prefix { $0.isUppercase || $0.isNumber }
    if capitals.count >= 2, let next = name.dropFirst(capitals.count).first, next.isLowercase {
      return String(capitals)
    }
    guard let underscore = name.firstIndex(of: "_"), underscore != name.startIndex else {
      let small = name.prefix { $0.isLowercase }
      return small.count >= 2 && small.count < name.count ? String(small) : ""
    }
    return String(name[...underscore])
  }

  /// The identifiers in a comment.
  static func identifiers(_ text: String) -> [Substring] {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
  }

  static let context: Set<String> = [
    "userdata", "user", "ctx", "context", "arg", "args", "cls", "closure", "opaque", "priv", "privdata", "private",
    "clientp",
    "client", "through", "baton", "cookie", "obj", "udata", "param", "userp", "userptr", "cbdata", "cbarg", "data",
    "parg", "payload", "object", "app", "aux", "self", "this", "outstream", "instream", "abstract",
  ]
  /// Words of contexts alone: `data` may be content.
  static let user: Set<String> = [
    "userdata", "user", "ctx", "context", "arg", "closure", "opaque", "cookie", "baton", "udata", "userptr",
  ]
  /// Names of a `void *` that points to something other than a context.
  static let content: Set<String> = [
    "buf", "buffer", "res", "result", "value", "key", "mem", "memory", "block", "addr", "address", "addresses", "info",
    "ptr",
    "src", "dst", "event", "request", "reply", "msg", "message", "element", "item", "in", "out", "old", "new",
  ]
  static let release: Set<String> = [
    "free", "destroy", "release", "cleanup", "destructor", "dtor", "dispose", "finalize", "destroyed", "crfc",
    "freefunc",
    "delete", "dnotify", "notify", "clear", "x_destroy",
  ]
  static let handler: Set<String> = [
    "callback", "callbacks", "cb", "hook", "handler", "func", "function", "fn", "proc", "procedure", "listener",
    "notify",
    "cbs",
  ]
}
