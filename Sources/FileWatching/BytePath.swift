/// A path in the system's form: bytes that need not be UTF-8.
public struct BytePath: Hashable, Sendable {
  /// The bytes, without the terminating zero.
  public let bytes: [UInt8]

  /// Makes a path from its bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Makes a path from the UTF-8 bytes of a string.
  public init(_ string: String) { bytes = Array(string.utf8) }

  /// The path as a string. Nil if it is not valid UTF-8.
  public var string: String? { String(validating: bytes, as: UTF8.self) }

  /// The last component: the bytes after the last slash.
  public var lastComponent: BytePath {
    guard let slash = bytes.lastIndex(of: BytePath.slash) else { return self }
    return BytePath(bytes: Array(bytes[(slash + 1)...]))
  }

  /// Returns this path, a slash, and `component`. Adds no slash if this path is empty or ends with one.
  public func appending(_ component: BytePath) -> BytePath {
    let needsSlash = !bytes.isEmpty && bytes.last != BytePath.slash
    return BytePath(bytes: bytes + (needsSlash ? [BytePath.slash] : []) + component.bytes)
  }

  static let slash = UInt8(ascii: "/")

  /// Hashes all bytes at once. An array would pass them to the hasher one by one.
  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension BytePath: CustomStringConvertible {
  /// The path as a string. Bytes that are not valid UTF-8 are replaced by U+FFFD.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension BytePath: ExpressibleByStringLiteral {
  /// Makes a path from the UTF-8 bytes of a literal.
  public init(stringLiteral value: String) { self.init(value) }
}
