extension Bytes: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
  /// Makes the UTF-8 bytes of a string.
  @inlinable
  public init(_ string: some StringProtocol) { self.init(string.utf8) }

  /// Makes the UTF-8 bytes of a literal.
  @inlinable
  public init(stringLiteral string: String) { self.init(string.utf8) }

  /// Makes the bytes of a literal.
  @inlinable
  public init(arrayLiteral bytes: UInt8...) { self.init(bytes) }
}

extension Bytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The bytes as text if they are valid UTF-8; otherwise their number and the first 32 of them.
  public var description: String { String(validating: self) ?? debugDescription }

  /// The number of bytes and the first 32 of them: `5 bytes: 68 65 6c 6c 6f`.
  public var debugDescription: String {
    let digits = prefix(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    return "\(count) bytes: \(digits)\(count > 32 ? " …" : "")"
  }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension String {
  /// Decodes the bytes as UTF-8. Replaces invalid bytes by U+FFFD.
  @inlinable
  public init(_ bytes: Bytes) {
    self = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Decodes the bytes as UTF-8. Returns nil if they are not valid UTF-8.
  @inlinable
  public init?(validating bytes: Bytes) { self.init(validating: bytes, as: UTF8.self) }
}
