/// A value of any D-Bus type.
///
/// Swift types convert to and from it, see `DBusConvertible`. As an argument, it is a variant: a dictionary with the
/// signature `a{sv}` is `[String: DBusValue]`.
public indirect enum DBusValue: Hashable, Sendable {
  /// `y`
  case byte(UInt8)
  /// `b`
  case boolean(Bool)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `i`
  case int32(Int32)
  /// `u`
  case uint32(UInt32)
  /// `x`
  case int64(Int64)
  /// `t`
  case uint64(UInt64)
  /// `d`
  case double(Double)
  /// `s`
  case string(String)
  /// `o`
  case objectPath(DBusObjectPath)
  /// `g`
  case signature(DBusSignature)
  /// `h`
  case fileDescriptor(DBusFileDescriptor)
  /// `ay`, as one block.
  case bytes([UInt8])
  /// `a` and the signature of the elements, which is needed if there are none.
  case array([DBusValue], of: String)
  /// `a{…}` and the signatures of the keys and values.
  case dictionary([DBusValue: DBusValue], keys: String, values: String)
  /// `(…)`
  case structure([DBusValue])
  /// `v`
  case variant(DBusValue)

  /// The D-Bus signature of the type.
  public var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .fileDescriptor: "h"
    case .bytes: "ay"
    case .array(_, let element): "a\(element)"
    case .dictionary(_, let keys, let values): "a{\(keys)\(values)}"
    case .structure(let members): "(\(members.map(\.signature).joined()))"
    case .variant: "v"
    }
  }

  /// Makes the D-Bus value of a Swift value.
  public init(_ value: some DBusConvertible) { self = value.dBusValue }

  /// Returns the value as a Swift type, or nil if it has another D-Bus type. Variants around it are opened.
  public func converted<Value: DBusConvertible>(to type: Value.Type = Value.self) -> Value? {
    var value = self
    while value.signature != Value.dBusSignature {
      guard case .variant(let content) = value else { return nil }
      value = content
    }
    return try? Value(dBusValue: value)
  }
}

/// The path of an object on a message bus, for example `/org/freedesktop/login1`. It is checked when it is sent.
public struct DBusObjectPath: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
{
  /// The path as a string.
  public let rawValue: String

  /// Makes a path of a string.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a path of a literal.
  public init(stringLiteral value: String) { rawValue = value }

  /// The path as a string.
  public var description: String { rawValue }
}

/// The signature of D-Bus types, as a value, for example `a{sv}`. It is checked when it is sent.
public struct DBusSignature: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The signature as a string.
  public let rawValue: String

  /// Makes a signature of a string.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a signature of a literal.
  public init(stringLiteral value: String) { rawValue = value }

  /// The signature as a string.
  public var description: String { rawValue }
}
