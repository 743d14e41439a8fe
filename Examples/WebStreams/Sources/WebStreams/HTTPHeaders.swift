/// The fields of the header of a request or a response, in their order. Names ignore case.
///
/// ```swift
/// var headers: HTTPHeaders = ["Content-Type": "text/plain"]
/// headers["Cache-Control"] = "no-cache"
/// ```
///
/// All fields are stored in one array of bytes, and become text when they are read. Finding a field takes a look at each.
public struct HTTPHeaders: Sendable, Sequence, ExpressibleByDictionaryLiteral {
  /// A field, as ranges of `text`.
  struct Field: Sendable {
    var start: Int32
    var nameEnd: Int32
    var end: Int32
  }

  var text: [UInt8] = []
  var fields: [Field] = []

  /// Makes an empty header.
  public init() {}

  /// Makes a header of fields.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }

  /// The value of the first field with this name; nil if there is none. Setting it replaces all fields with this name.
  public subscript(name: String) -> String? {
    get { firstField(name).map { string($0.nameEnd, $0.end) } }
    set {
      fields = fields.filter { !isNamed($0, name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// Returns the values of all fields with this name.
  public func values(of name: String) -> [String] {
    fields.filter { isNamed($0, name) }.map { string($0.nameEnd, $0.end) }
  }

  /// Adds a field after the others, also if there is one with this name, as `Set-Cookie` needs.
  public mutating func add(_ name: String, _ value: String) {
    addName(name.utf8)
    addValue(value.utf8)
    endField()
  }

  /// True if a field contains a word in its list of words, such as `upgrade` in `Connection: keep-alive, Upgrade`.
  /// Ignores case.
  public func contains(_ word: String, in name: String) -> Bool {
    values(of: name).contains { value in
      value.listed.contains { $0.isSame(word) }
    }
  }

  /// The number of fields.
  public var count: Int { fields.count }

  /// True if there are no fields.
  public var isEmpty: Bool { fields.isEmpty }

  /// Returns the names and values, in their order.
  public func makeIterator() -> AnyIterator<(name: String, value: String)> {
    var rest = fields.makeIterator()
    return AnyIterator {
      rest.next().map { (string($0.start, $0.nameEnd), string($0.nameEnd, $0.end)) }
    }
  }

  // MARK: Bytes

  mutating func addName(_ bytes: some Sequence<UInt8>) {
    if openStart == nil { fields.append(Field(start: Int32(text.count), nameEnd: -1, end: -1)) }
    text.append(contentsOf: bytes)
  }

  mutating func addValue(_ bytes: some Sequence<UInt8>) {
    if fields[fields.count - 1].nameEnd < 0 { fields[fields.count - 1].nameEnd = Int32(text.count) }
    text.append(contentsOf: bytes)
  }

  /// Ends the field that has been added in parts.
  mutating func endField() {
    guard openStart != nil else { return }
    let last = fields.count - 1
    if fields[last].nameEnd < 0 { fields[last].nameEnd = Int32(text.count) }
    fields[last].end = Int32(text.count)
  }

  /// Makes one field of several with the name `Cookie`, which HTTP/2 may split (RFC 9113, 8.2.3).
  mutating func joinCookies() {
    let name = "cookie"
    if count(of: name) < 2 { return }
    let parts = fields.filter { isNamed($0, name) }.map { Array(text[Int($0.nameEnd)..<Int($0.end)]) }
    self[name] = nil
    addName(name.utf8)
    addValue(parts.joined(separator: Array("; ".utf8)))
    endField()
  }

  /// True if the last field has a value, or the beginning of one.
  var isInValue: Bool { fields.last.map { $0.nameEnd >= 0 && $0.end < 0 } ?? false }

  /// The number of fields with this name.
  func count(of name: String) -> Int {
    var count = 0
    for field in fields where isNamed(field, name) { count += 1 }
    return count
  }

  private var openStart: Int32? { fields.last.flatMap { $0.end < 0 ? $0.start : nil } }

  private func firstField(_ name: String) -> Field? { fields.first { isNamed($0, name) } }

  func isNamed(_ field: Field, _ name: String) -> Bool {
    let length = name.utf8.count
    guard Int(field.nameEnd - field.start) == length else { return false }
    var index = Int(field.start)
    for byte in name.utf8 {
      if text[index].lowercased != byte.lowercased { return false }
      index += 1
    }
    return true
  }

  private func string(_ start: Int32, _ end: Int32) -> String {
    String(decoding: text[Int(start)..<Int(end)], as: UTF8.self)
  }

  /// True if no name or value has a character that would end it: a control character, or a name that is no token.
  var isValid: Bool {
    fields.allSatisfy { field in
      let name = text[Int(field.start)..<Int(field.nameEnd)]
      let value = text[Int(field.nameEnd)..<Int(field.end)]
      return !name.isEmpty && name.allSatisfy { $0.isToken } && value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }
    }
  }
}

extension HTTPHeaders: CustomStringConvertible {
  /// The fields, a line each.
  public var description: String { map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
}

extension UInt8 {
  /// An upper-case letter in lower case, and any other byte.
  var lowercased: UInt8 { self >= 65 && self <= 90 ? self + 32 : self }

  /// True for a character of a token (RFC 9110, 5.6.2).
  var isToken: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}

extension StringProtocol {
  /// True if both are the same, except for the case of letters in ASCII. Unicode has other characters with the same lower
  /// case, which the peer and its parser do not take for these letters.
  func isSame(_ word: String) -> Bool {
    utf8.elementsEqual(word.utf8) { $0.lowercased == $1.lowercased }
  }
}

extension String {
  /// The words of a list, without spaces and tabs at their ends. A byte separates them, also before an accent.
  var listed: [Substring] {
    utf8.split(separator: UInt8(ascii: ",")).map { word in
      let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
      var rest = word.drop { blanks.contains($0) }
      while let last = rest.last, blanks.contains(last) { rest.removeLast() }
      return Substring(rest)
    }
  }
}
