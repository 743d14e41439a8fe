/// A pattern of `--ignore`, in the language of .gitignore files.
///
/// - `*` stands for any number of characters but no slash, `?` for one, `[a-z]` and `[!a-z]` for one of or not of a set;
///   `\` takes the meaning from the character after it.
/// - `**` as a whole component stands for any number of directories.
/// - A pattern without a slash is compared with the name, at any depth. One with a slash at its beginning or in its middle
///   is compared with the whole path below the watched directory.
/// - A slash at the end makes it a pattern for directories only.
///
/// Patterns and names are bytes; `?` and sets take a whole UTF-8 character where there is one.
nonisolated struct Glob: Hashable {
  /// Why a pattern means nothing.
  struct Invalid: Error, CustomStringConvertible {
    let description: String
  }

  private enum Token: Hashable {
    /// Exactly this byte.
    case byte(UInt8)
    /// One character.
    case any
    /// Any number of characters.
    case star
    /// One character that is, or is not, in one of the ranges.
    case set([ClosedRange<UInt32>], isNegated: Bool)
  }

  private enum Segment: Hashable {
    /// `**`: any number of components.
    case anyDepth
    /// One component.
    case name([Token])
  }

  private let segments: [Segment]
  private let isAnchored: Bool
  private let isForDirectories: Bool

  /// Reads a pattern.
  init(_ pattern: String) throws(Invalid) {
    var bytes = Array(pattern.utf8)[...]
    isForDirectories = bytes.count > 1 && bytes.last == UInt8(ascii: "/")
    if isForDirectories { bytes.removeLast() }
    isAnchored = bytes.contains(UInt8(ascii: "/"))
    if bytes.first == UInt8(ascii: "/") { bytes.removeFirst() }
    guard !bytes.isEmpty else { throw Invalid(description: "the pattern '\(pattern)' is empty") }
    var segments: [Segment] = []
    for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
      if isAnchored, part.elementsEqual("**".utf8) {
        if segments.last != .anyDepth { segments.append(.anyDepth) }
      } else {
        segments.append(.name(try Glob.tokens(part, of: pattern)))
      }
    }
    self.segments = segments
  }

  private static func tokens(_ part: ArraySlice<UInt8>, of pattern: String) throws(Invalid) -> [Token] {
    var tokens: [Token] = []
    var index = part.startIndex
    while index < part.endIndex {
      let byte = part[index]
      index += 1
      switch byte {
      case UInt8(ascii: "*"):
        if tokens.last != .star { tokens.append(.star) }
      case UInt8(ascii: "?"):
        tokens.append(.any)
      case UInt8(ascii: "["):
        tokens.append(try set(part, &index, of: pattern))
      case UInt8(ascii: "\\"):
        guard index < part.endIndex else {
          throw Invalid(description: "the pattern '\(pattern)' ends in a backslash with nothing after it")
        }
        tokens.append(.byte(part[index]))
        index += 1
      default:
        tokens.append(.byte(byte))
      }
    }
    return tokens
  }

  /// Reads a set from after its opening bracket to after its closing one.
  private static func set(_ part: ArraySlice<UInt8>, _ index: inout Int, of pattern: String) throws(Invalid) -> Token {
    func isAt(_ character: Unicode.Scalar) -> Bool { index < part.endIndex && part[index] == UInt8(ascii: character) }
    func scalar() -> UInt32? {
      if isAt("\\") { index += 1 }
      guard index < part.endIndex else { return nil }
      let (value, width) = decodeScalar(part, at: index)
      index += width
      return value
    }
    let isNegated = isAt("!") || isAt("^")
    if isNegated { index += 1 }
    var ranges: [ClosedRange<UInt32>] = []
    while !isAt("]") || ranges.isEmpty {
      guard let low = scalar() else { break }
      var high = low
      if isAt("-"), index + 1 < part.endIndex, part[index + 1] != UInt8(ascii: "]") {
        index += 1
        high = scalar() ?? low
      }
      if low <= high { ranges.append(low...high) } else { ranges.append(low...low) }
    }
    guard isAt("]") else { throw Invalid(description: "the pattern '\(pattern)' has a [ without its ]") }
    index += 1
    return .set(ranges, isNegated: isNegated)
  }

  /// Whether the pattern fits `path`, which is relative to the watched directory.
  func matches(_ path: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
    if isForDirectories, !isDirectory { return false }
    guard isAnchored else {
      guard case .name(let tokens) = segments[0] else { return true }
      let slash = path.lastIndex(of: UInt8(ascii: "/"))
      return Glob.matches(tokens, slash.map { path[($0 + 1)...] } ?? path)
    }
    return matches(0, path.split(separator: UInt8(ascii: "/"))[...])
  }

  private func matches(_ index: Int, _ components: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard index < segments.count else { return components.isEmpty }
    switch segments[index] {
    case .name(let tokens):
      guard let first = components.first, Glob.matches(tokens, first) else { return false }
      return matches(index + 1, components.dropFirst())
    case .anyDepth where index == segments.count - 1:
      return !components.isEmpty
    case .anyDepth:
      return (0...components.count).contains { matches(index + 1, components.dropFirst($0)) }
    }
  }

  /// Compares one component, going back to the last star where it does not fit.
  private static func matches(_ tokens: [Token], _ name: ArraySlice<UInt8>) -> Bool {
    var position = name.startIndex
    var token = 0
    var star: (token: Int, position: Int)?
    while position < name.endIndex {
      if token < tokens.count {
        if case .star = tokens[token] {
          token += 1
          star = (token, position)
          continue
        }
        if let width = width(of: tokens[token], name, at: position) {
          position += width
          token += 1
          continue
        }
      }
      guard let (afterStar, start) = star else { return false }
      position = start + decodeScalar(name, at: start).width
      token = afterStar
      star = (afterStar, position)
    }
    return tokens[token...].allSatisfy { $0 == .star }
  }

  /// The number of bytes that `token` takes at `position`, nil where it does not fit.
  private static func width(of token: Token, _ name: ArraySlice<UInt8>, at position: Int) -> Int? {
    switch token {
    case .byte(let byte): return name[position] == byte ? 1 : nil
    case .any: return decodeScalar(name, at: position).width
    case .star: return nil
    case .set(let ranges, let isNegated):
      let (value, width) = decodeScalar(name, at: position)
      return ranges.contains { $0.contains(value) } != isNegated ? width : nil
    }
  }
}
