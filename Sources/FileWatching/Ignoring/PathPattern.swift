/// A pattern for paths, in the language of .gitignore files.
///
/// - `*` matches any number of bytes except slashes, `?` matches one byte, and `[a-z]`, `[!a-z]`, and `[[:alpha:]]`
///   match one byte of a set. `\` removes the special meaning of the next byte.
/// - `**` as a whole component matches any number of directories.
/// - A pattern without a slash is compared with the last component of a path, at any depth. A pattern with a slash at
///   its beginning or in its middle is compared with the whole path.
/// - A pattern with a trailing slash matches directories only.
///
/// - Complexity: Matching takes at most the product of the lengths of the pattern and the path. It does not allocate.
public struct PathPattern: Hashable, Sendable {
  /// The reason why a pattern is malformed and can never match.
  public enum Invalid: Error, Hashable, Sendable, CustomStringConvertible {
    /// The pattern is empty or consists of slashes only.
    case empty
    /// A `[` without its `]`.
    case openSet
    /// A backslash at the end.
    case trailingBackslash
    /// An unknown class name between `[:` and `:]`.
    case unknownClass(String)

    /// The problem, as the rest of a sentence about the pattern.
    public var description: String {
      switch self {
      case .empty: "is empty"
      case .openSet: "has a [ without its ]"
      case .trailingBackslash: "ends in a backslash with nothing after it"
      case .unknownClass(let name): "has an unknown class [:\(name):]"
      }
    }
  }

  enum Token: Hashable {
    /// This byte.
    case byte(UInt8)
    /// One byte that is not a slash.
    case any
    /// Any number of bytes that are not slashes.
    case star
    /// `**` before anything but a slash: any number of bytes.
    case anything
    /// `**/`: nothing, or any bytes up to and including a slash.
    case directories
    /// One byte of the set at this index.
    case set(Int)
  }

  private var tokens: [Token] = []
  private var sets: [ByteSet] = []
  /// The properties that most paths already fail to match. Kept apart from the tokens, so that checking them retains
  /// nothing.
  struct Outline: Hashable {
    fileprivate let comparesWholePath: Bool
    fileprivate let isForDirectories: Bool
    /// The first and the last byte of a match, if they are fixed.
    fileprivate var firstByte: UInt8?
    fileprivate var lastByte: UInt8?

    /// Returns true if the pattern may match `path`, whose last component begins at `lastComponent`.
    func fits(_ path: NameBytes, lastComponent: Int, isDirectory: Bool) -> Bool {
      if isForDirectories, !isDirectory { return false }
      if let lastByte, lastByte != path.last { return false }
      guard let firstByte else { return true }
      let start = comparesWholePath ? 0 : lastComponent
      return start < path.count && firstByte == path[start]
    }
  }

  private(set) var outline: Outline

  /// Parses a pattern. Throws if the pattern is malformed and can never match.
  public init(_ pattern: some Sequence<UInt8>) throws(Invalid) {
    var bytes = Array(pattern)
    let isForDirectories = bytes.last == BytePath.slash
    if isForDirectories { bytes.removeLast() }
    outline = Outline(comparesWholePath: bytes.contains(BytePath.slash), isForDirectories: isForDirectories)
    if bytes.first == BytePath.slash { bytes.removeFirst() }
    if bytes.isEmpty { throw .empty }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "*"):
        tokens.append(stars(bytes, &index))
      case UInt8(ascii: "?"):
        tokens.append(.any)
      case UInt8(ascii: "["):
        tokens.append(.set(sets.count))
        sets.append(try ByteSet(bytes, &index))
      case UInt8(ascii: "\\"):
        guard index < bytes.count else { throw .trailingBackslash }
        tokens.append(.byte(bytes[index]))
        index += 1
      default:
        tokens.append(.byte(byte))
      }
    }
    if case .byte(let byte) = tokens[0] { outline.firstByte = byte }
    if case .byte(let byte) = tokens[tokens.count - 1] { outline.lastByte = byte }
  }

  /// Parses a pattern in UTF-8. Throws if the pattern is malformed and can never match.
  public init(_ pattern: String) throws(Invalid) { try self.init(pattern.utf8) }

  /// Parses the rest of a run of stars.
  private func stars(_ bytes: [UInt8], _ index: inout Int) -> Token {
    let start = index - 1
    while index < bytes.count, bytes[index] == UInt8(ascii: "*") { index += 1 }
    // Inside a component, and in a pattern for last components, several stars mean the same as one.
    let beginsComponent = start == 0 || bytes[start - 1] == BytePath.slash
    guard index - start > 1, outline.comparesWholePath, beginsComponent else { return .star }
    if index == bytes.count { return .anything }
    if bytes[index] == BytePath.slash {
      index += 1
      return .directories
    }
    let isEscapedSlash = bytes[index...].starts(with: [UInt8(ascii: "\\"), BytePath.slash])
    return isEscapedSlash ? .anything : .star
  }

  /// True if the pattern depends on the directories of a path and not only on its last component. Does not consider
  /// that a pattern such as `/name` matches paths of one component only.
  var dependsOnDirectories: Bool {
    tokens.dropFirst(tokens.first == .directories ? 1 : 0).contains {
      $0 == .byte(BytePath.slash) || $0 == .anything || $0 == .directories
    }
  }

  /// Returns true if the pattern matches `path`, which is relative to the directory of the pattern.
  public func matches(_ path: BytePath, isDirectory: Bool) -> Bool {
    path.bytes.withUnsafeBufferPointer { matches($0, isDirectory: isDirectory) }
  }

  /// Returns true if the pattern matches `path`, whose bytes are borrowed.
  func matches(_ path: NameBytes, isDirectory: Bool) -> Bool {
    let lastComponent = Self.startOfLastComponent(path)
    return outline.fits(path, lastComponent: lastComponent, isDirectory: isDirectory)
      && tokensMatch(path, lastComponent: lastComponent)
  }

  /// Returns true if the pattern matches a path that fits its outline.
  func tokensMatch(_ path: NameBytes, lastComponent: Int) -> Bool {
    matches(NameBytes(rebasing: path[(outline.comparesWholePath ? 0 : lastComponent)...]))
  }

  /// Returns the position at which the last component of `path` begins.
  static func startOfLastComponent(_ path: NameBytes) -> Int {
    path.lastIndex(of: BytePath.slash).map { $0 + 1 } ?? 0
  }

  /// Matches with backtracking to the last star, and from there to the last `**`. Earlier ones need no second attempt:
  /// the tokens after them have matched at the first possible position, and the later star matches everything in
  /// between.
  private func matches(_ text: NameBytes) -> Bool {
    var token = 0
    var position = 0
    var star: (token: Int, position: Int)?
    var deep: (token: Int, position: Int)?
    while true {
      if token < tokens.count {
        switch tokens[token] {
        case .star:
          token += 1
          star = (token, position)
          continue
        case .anything, .directories:
          token += 1
          deep = (token, position)
          star = nil
          continue
        case let single:
          if position < text.count, fits(single, text[position]) {
            token += 1
            position += 1
            continue
          }
        }
      } else if position == text.count {
        return true
      }
      if let (next, start) = star, start < text.count, text[start] != BytePath.slash {
        position = start + 1
        token = next
        star = (next, position)
      } else if let (next, start) = deep, let later = later(start, before: next, text) {
        position = later
        token = next
        deep = (next, position)
        star = nil
      } else {
        return false
      }
    }
  }

  private func fits(_ token: Token, _ byte: UInt8) -> Bool {
    switch token {
    case .byte(let expected): expected == byte
    case .any: byte != BytePath.slash
    case .set(let index): byte != BytePath.slash && sets[index].contains(byte)
    case .star, .anything, .directories: false
    }
  }

  /// Returns the next position at which the tokens after a `**` may begin.
  private func later(_ position: Int, before token: Int, _ text: NameBytes) -> Int? {
    if position >= text.count { return nil }
    if tokens[token - 1] == .anything { return position + 1 }
    return text[position...].firstIndex(of: BytePath.slash).map { $0 + 1 }
  }
}
