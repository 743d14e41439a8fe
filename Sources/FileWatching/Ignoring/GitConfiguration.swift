import Glibc

/// The one git setting that affects ignored files, read from git's configuration files.
///
/// Follows `include`, and `includeIf` with the conditions `gitdir` and `gitdir/i`. Other conditions are never met.
struct GitConfiguration {
  /// The value of `core.excludesFile`, with a leading `~` expanded. The last one applies.
  private(set) var excludesFile: [UInt8]?
  /// True if each working tree has a configuration file of its own.
  private(set) var isForWorktree = false
  /// The files that were read, or would have been read if they existed.
  private(set) var files: [[UInt8]] = []
  /// The files that cannot be read.
  private(set) var unread: [UnreadFile] = []
  private let home: [UInt8]?
  /// The directory `.git`, for conditions.
  private let store: [UInt8]

  init(home: [UInt8]?, store: [UInt8]) {
    self.home = home
    self.store = realLocation(store) ?? store
  }

  /// Without a limit, ten files that include each other several times would be read for years.
  private static let mostFiles = 1000

  /// Reads a file and the files that it includes. Skips files that cannot be read, which `unread` then has, and lines that git refuses.
  mutating func read(_ path: [UInt8], depth: Int = 0) {
    if depth == 10 || files.count == Self.mostFiles { return }
    files.append(path)
    guard let content = readWholeFile(path) else {
      unread.append(UnreadFile(path, errno))
      return
    }
    var parser = GitConfigurationParser(content)
    while let (section, subsection, key, value) = parser.next() {
      switch (section, subsection, key) {
      case ("core", nil, "excludesfile"):
        excludesFile = expanded(value)
      case ("extensions", nil, "worktreeconfig"):
        let text = String(decoding: value.map(GitConfigurationParser.lowercased), as: UTF8.self)
        isForWorktree = ["true", "yes", "on", "1"].contains(text)
      case ("include", nil, "path"):
        read(included(value, by: path), depth: depth + 1)
      case ("includeif", let condition?, "path") where isMet(condition, in: path):
        read(included(value, by: path), depth: depth + 1)
      default: break
      }
    }
  }

  private func included(_ value: [UInt8], by path: [UInt8]) -> [UInt8] {
    let file = expanded(value)
    return file.first == BytePath.slash ? file : split(path).above.appendingName(file)
  }

  private func expanded(_ path: [UInt8]) -> [UInt8] {
    guard let home, path.first == UInt8(ascii: "~"), path.count == 1 || path[1] == BytePath.slash else { return path }
    return home + path.dropFirst()
  }

  private func isMet(_ condition: [UInt8], in file: [UInt8]) -> Bool {
    let prefixes = ["gitdir:", "gitdir/i:"]
    guard let prefix = prefixes.first(where: { condition.starts(with: $0.utf8) }) else { return false }
    var pattern = Array(condition.dropFirst(prefix.utf8.count))
    var path = store
    if pattern.starts(with: "./".utf8) {
      // Relative to the directory of the file.
      let directory = split(realLocation(file) ?? file).above.appendingName([])
      if !path.starts(with: directory) { return false }
      path.removeFirst(directory.count - 1)
      pattern.removeFirst()
    } else if pattern.starts(with: "~/".utf8), let home {
      pattern = (realLocation(home) ?? home) + pattern.dropFirst()
    } else if pattern.first != BytePath.slash {
      pattern = Array("**/".utf8) + pattern
    }
    if pattern.last == BytePath.slash { pattern += "**".utf8 }
    if prefix == "gitdir/i:" {
      path = path.map(GitConfigurationParser.lowercased)
      pattern = pattern.map(GitConfigurationParser.lowercased)
    }
    let compiled = try? PathPattern(pattern)
    return compiled?.matches(BytePath(bytes: Array(path.dropFirst())), isDirectory: true) ?? false
  }
}

/// Reads the settings of a git configuration file one by one.
private struct GitConfigurationParser {
  private var rest: ArraySlice<UInt8>
  private var section = ""
  private var subsection: [UInt8]?

  init(_ content: [UInt8]) {
    rest = content[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
  }

  /// The next setting that has a value. The section and the key are in lowercase.
  mutating func next() -> (section: String, subsection: [UInt8]?, key: String, value: [UInt8])? {
    while let byte = take() {
      switch byte {
      case UInt8(ascii: "["): takeSection()
      case _ where Self.isSpace(byte): continue
      case _ where Self.isLetter(byte):
        var key = [Self.lowercased(byte)]
        while let byte = rest.first, Self.isLetter(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "-") {
          key.append(Self.lowercased(byte))
          rest.removeFirst()
        }
        rest = rest.drop { $0 == 32 || $0 == 9 }
        if rest.first == UInt8(ascii: "=") {
          rest.removeFirst()
          return (section, subsection, String(decoding: key, as: UTF8.self), takeValue())
        }
        skipLine()
      default: skipLine()
      }
    }
    return nil
  }

  /// Takes the next byte. A line that ends with CR LF ends with LF.
  private mutating func take() -> UInt8? {
    if rest.starts(with: [13, 10]) { rest.removeFirst() }
    return rest.popFirst()
  }

  private mutating func skipLine() {
    while let byte = take(), byte != 10 {}
  }

  /// Takes what follows a bracket: a name, and possibly a second one in quotes.
  private mutating func takeSection() {
    var name: [UInt8] = []
    subsection = nil
    while let byte = take(), byte != UInt8(ascii: "]"), byte != 10 {
      if byte == UInt8(ascii: "\"") {
        var quoted: [UInt8] = []
        while let byte = take(), byte != UInt8(ascii: "\""), byte != 10 {
          quoted.append(byte == UInt8(ascii: "\\") ? take() ?? byte : byte)
        }
        subsection = quoted
      } else if !Self.isSpace(byte) {
        name.append(Self.lowercased(byte))
      }
    }
    section = String(decoding: name, as: UTF8.self)
  }

  /// Takes a value to the end of its line, without quotes, comments, and surrounding spaces. A backslash at the end of a line
  /// continues it.
  private mutating func takeValue() -> [UInt8] {
    var value: [UInt8] = []
    var isQuoted = false
    /// The length of the value without its trailing spaces.
    var length = 0
    while let byte = take(), byte != 10 {
      switch byte {
      case UInt8(ascii: "#"), UInt8(ascii: ";"):
        if !isQuoted {
          skipLine()
          return Array(value[..<length])
        }
        value.append(byte)
        length = value.count
      // Spaces before a quote or a backslash belong to the value.
      case UInt8(ascii: "\""):
        isQuoted.toggle()
        length = value.count
      case UInt8(ascii: "\\"):
        length = value.count
        guard let escaped = take(), escaped != 10 else { continue }
        let special: [UInt8: UInt8] = [UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "b"): 8]
        value.append(special[escaped] ?? escaped)
        length = value.count
      case _ where Self.isSpace(byte) && !isQuoted:
        if !value.isEmpty { value.append(byte) }
      default:
        value.append(byte)
        length = value.count
      }
    }
    return Array(value[..<length])
  }

  /// True for the bytes that git skips between settings.
  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }

  private static func isLetter(_ byte: UInt8) -> Bool { 97...122 ~= byte | 32 }

  private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }

  static func lowercased(_ byte: UInt8) -> UInt8 { 65...90 ~= byte ? byte | 32 : byte }
}
