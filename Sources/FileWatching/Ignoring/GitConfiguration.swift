/// The one git setting that affects ignored files, read from git's configuration files.
struct GitConfiguration {
  /// The value of `core.excludesFile`, as written. The last one applies.
  private(set) var excludesFile: [UInt8]?
  private let home: [UInt8]?

  init(home: [UInt8]?) { self.home = home }

  /// Reads a file and the files that it includes. Skips files that cannot be read.
  mutating func read(_ path: [UInt8], depth: Int = 0) {
    guard depth < 10, let content = readWholeFile(path) else { return }
    var section: [UInt8] = []
    var rest = content[...]
    while !rest.isEmpty {
      let line = Self.takeLine(&rest)
      guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
      if first == UInt8(ascii: "[") {
        section = line.dropFirst().prefix { $0 != UInt8(ascii: "]") }.map(Self.lowercased)
        continue
      }
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = line[..<equals].filter { !Self.isSpace($0) }.map(Self.lowercased)
      let value = Self.value(line[(equals + 1)...])
      if section.elementsEqual("core".utf8), key.elementsEqual("excludesfile".utf8) {
        excludesFile = expanded(value)
      } else if section.elementsEqual("include".utf8), key.elementsEqual("path".utf8) {
        let included = expanded(value)
        read(
          included.first == BytePath.slash ? included : split(path).above.appendingName(included), depth: depth + 1)
      }
    }
  }

  /// Takes a line without its leading spaces. Joins it with the next line if it ends with a backslash.
  private static func takeLine(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    var line: [UInt8] = []
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      line += rest[..<end]
      rest = rest[end...].dropFirst()
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      let backslashes = line.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
      if backslashes % 2 == 0 { break }
      line.removeLast()
    }
    return Array(line.drop(while: isSpace))
  }

  /// Returns a value without quotes, comments, and surrounding spaces.
  private static func value(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var value: [UInt8] = []
    var isQuoted = false
    /// The length of the value without its trailing spaces.
    var length = 0
    var rest = text.drop(while: isSpace)
    while let byte = rest.popFirst() {
      if !isQuoted, byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";") { break }
      if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
        continue
      }
      if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
        let special: [UInt8: UInt8] = [UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "b"): 8]
        value.append(special[escaped] ?? escaped)
        length = value.count
        continue
      }
      value.append(byte)
      if isQuoted || !isSpace(byte) { length = value.count }
    }
    return Array(value[..<length])
  }

  private func expanded(_ path: [UInt8]) -> [UInt8] {
    guard let home, path.starts(with: "~/".utf8) else { return path }
    return home.appendingName(Array(path.dropFirst(2)))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }
}
