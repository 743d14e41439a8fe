/// A path as the system has it: bytes, which need not be UTF-8.
public struct BytePath: Hashable, Sendable {
  /// The bytes, without the terminating zero.
  public let bytes: [UInt8]

  /// Makes a path from its bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Makes a path from a string, in UTF-8.
  public init(_ string: String) { bytes = Array(string.utf8) }

  /// The path as a string, or nil where it is not valid UTF-8.
  public var string: String? { String(validating: bytes, as: UTF8.self) }

  /// The last component: what follows the last slash.
  public var lastComponent: BytePath {
    guard let slash = bytes.lastIndex(of: BytePath.slash) else { return self }
    return BytePath(bytes: Array(bytes[(slash + 1)...]))
  }

  /// This path, a slash, and `component`.
  public func appending(_ component: BytePath) -> BytePath {
    BytePath(bytes: bytes.last == BytePath.slash ? bytes + component.bytes : bytes + [BytePath.slash] + component.bytes)
  }

  static let slash = UInt8(ascii: "/")

  /// All bytes at once; an array would give them to the hasher one by one.
  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension BytePath: CustomStringConvertible {
  /// The path as a string; bytes that are not UTF-8 are shown as replacement characters.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension BytePath: ExpressibleByStringLiteral {
  /// Makes a path from a literal.
  public init(stringLiteral value: String) { self.init(value) }
}
