/// A Swift type with one complete D-Bus type, whose signature the compiler knows.
///
/// | Swift | D-Bus |
/// | --- | --- |
/// | `UInt8`, `Int16`, `UInt16`, `Int32`, `UInt32`, `Int64`, `UInt64` | `y`, `n`, `q`, `i`, `u`, `x`, `t` |
/// | `Bool`, `Double`, `String` | `b`, `d`, `s` |
/// | `DBusObjectPath`, `DBusSignature`, `DBusFileDescriptor` | `o`, `g`, `h` |
/// | `[Element]`, `[Key: Value]` | `a…`, `a{…}` |
/// | `DBusStruct<…>` | `(…)` |
/// | `DBusValue` | `v` |
///
/// `Int` has no D-Bus type, because its size is not the same everywhere. Conform a type of your own by converting it to
/// one of these:
///
/// ```swift
/// struct Point: DBusConvertible {
///   var x, y: Int32
///   static var dBusSignature: String { DBusStruct<Int32, Int32>.dBusSignature }
///   init(dBusValue: DBusValue) throws(DBusError) {
///     (x, y) = try DBusStruct<Int32, Int32>(dBusValue: dBusValue).members
///   }
///   var dBusValue: DBusValue { DBusStruct(x, y).dBusValue }
/// }
/// ```
public protocol DBusConvertible: Sendable {
  /// The D-Bus signature of the type.
  static var dBusSignature: String { get }

  /// Makes a Swift value. Throws `mismatch` if the D-Bus value has another type.
  init(dBusValue: DBusValue) throws(DBusError)

  /// The D-Bus value. It has the type of `dBusSignature`.
  var dBusValue: DBusValue { get }
}

/// A type that can be the key of a D-Bus dictionary: not an array, dictionary, struct, or variant.
public protocol DBusBasic: DBusConvertible, Hashable {}

extension DBusConvertible {
  static func mismatch(_ value: DBusValue) -> DBusError { .mismatch(expected: dBusSignature, actual: value.signature) }
}

extension UInt8: DBusBasic {
  /// `y`
  public static var dBusSignature: String { "y" }
  /// Reads a value of the type `y`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .byte(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `y`.
  public var dBusValue: DBusValue { .byte(self) }
}

extension Bool: DBusBasic {
  /// `b`
  public static var dBusSignature: String { "b" }
  /// Reads a value of the type `b`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .boolean(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `b`.
  public var dBusValue: DBusValue { .boolean(self) }
}

extension Int16: DBusBasic {
  /// `n`
  public static var dBusSignature: String { "n" }
  /// Reads a value of the type `n`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .int16(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `n`.
  public var dBusValue: DBusValue { .int16(self) }
}

extension UInt16: DBusBasic {
  /// `q`
  public static var dBusSignature: String { "q" }
  /// Reads a value of the type `q`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .uint16(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `q`.
  public var dBusValue: DBusValue { .uint16(self) }
}

extension Int32: DBusBasic {
  /// `i`
  public static var dBusSignature: String { "i" }
  /// Reads a value of the type `i`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .int32(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `i`.
  public var dBusValue: DBusValue { .int32(self) }
}

extension UInt32: DBusBasic {
  /// `u`
  public static var dBusSignature: String { "u" }
  /// Reads a value of the type `u`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .uint32(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `u`.
  public var dBusValue: DBusValue { .uint32(self) }
}

extension Int64: DBusBasic {
  /// `x`
  public static var dBusSignature: String { "x" }
  /// Reads a value of the type `x`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .int64(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `x`.
  public var dBusValue: DBusValue { .int64(self) }
}

extension UInt64: DBusBasic {
  /// `t`
  public static var dBusSignature: String { "t" }
  /// Reads a value of the type `t`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .uint64(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `t`.
  public var dBusValue: DBusValue { .uint64(self) }
}

extension Double: DBusBasic {
  /// `d`
  public static var dBusSignature: String { "d" }
  /// Reads a value of the type `d`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .double(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `d`.
  public var dBusValue: DBusValue { .double(self) }
}

extension String: DBusBasic {
  /// `s`
  public static var dBusSignature: String { "s" }
  /// Reads a value of the type `s`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .string(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `s`.
  public var dBusValue: DBusValue { .string(self) }
}

extension DBusObjectPath: DBusBasic {
  /// `o`
  public static var dBusSignature: String { "o" }
  /// Reads a value of the type `o`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .objectPath(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `o`.
  public var dBusValue: DBusValue { .objectPath(self) }
}

extension DBusSignature: DBusBasic {
  /// `g`
  public static var dBusSignature: String { "g" }
  /// Reads a value of the type `g`.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .signature(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The value with the type `g`.
  public var dBusValue: DBusValue { .signature(self) }
}

// A class cannot assign to self, so it has an initializer that converts it.
extension DBusFileDescriptor: DBusBasic {
  /// `h`
  public static var dBusSignature: String { "h" }
  /// Duplicates the descriptor of a value of the type `h`.
  public convenience init(dBusValue: DBusValue) throws(DBusError) {
    guard case .fileDescriptor(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    try self.init(duplicating: value.descriptor)
  }
  /// The value with the type `h`.
  public var dBusValue: DBusValue { .fileDescriptor(self) }
}

extension DBusValue: DBusConvertible {
  /// `v`
  public static var dBusSignature: String { "v" }
  /// Opens a variant.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .variant(let value) = dBusValue else { throw Self.mismatch(dBusValue) }
    self = value
  }
  /// The variant that contains the value.
  public var dBusValue: DBusValue { .variant(self) }
}

extension Array: DBusConvertible where Element: DBusConvertible {
  /// `a` and the signature of the elements.
  public static var dBusSignature: String { "a\(Element.dBusSignature)" }
  /// Reads an array.
  public init(dBusValue: DBusValue) throws(DBusError) {
    // An empty array has a type, too.
    if dBusValue.signature != Self.dBusSignature { throw Self.mismatch(dBusValue) }
    self = []
    switch dBusValue {
    case .bytes(let bytes) where Element.self == UInt8.self: self = bytes as! [Element]
    case .bytes(let bytes): for byte in bytes { append(try Element(dBusValue: .byte(byte))) }
    case .array(let values, _):
      reserveCapacity(values.count)
      for value in values { append(try Element(dBusValue: value)) }
    default: throw Self.mismatch(dBusValue)
    }
  }
  /// The value as an array.
  public var dBusValue: DBusValue {
    if Element.self == UInt8.self { return .bytes(self as! [UInt8]) }
    return .array(map(\.dBusValue), of: Element.dBusSignature)
  }
}

extension Dictionary: DBusConvertible where Key: DBusBasic, Value: DBusConvertible {
  /// `a{…}` with the signatures of the keys and values.
  public static var dBusSignature: String { "a{\(Key.dBusSignature)\(Value.dBusSignature)}" }
  /// Reads a dictionary.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .dictionary(let values, _, _) = dBusValue, dBusValue.signature == Self.dBusSignature else {
      throw Self.mismatch(dBusValue)
    }
    self.init(minimumCapacity: values.count)
    for (key, value) in values { self[try Key(dBusValue: key)] = try Value(dBusValue: value) }
  }
  /// The value as a dictionary.
  public var dBusValue: DBusValue {
    var values: [DBusValue: DBusValue] = [:]
    for (key, value) in self { values[key.dBusValue] = value.dBusValue }
    return .dictionary(values, keys: Key.dBusSignature, values: Value.dBusSignature)
  }
}

/// A D-Bus struct: values of different types that make one value, with the signature `(…)`.
public struct DBusStruct<each Member: DBusConvertible>: DBusConvertible {
  /// The members as a tuple: `value.members.0`.
  public var members: (repeat each Member)

  /// Makes a struct of its members.
  public init(_ members: repeat each Member) { self.members = (repeat each members) }

  /// The signatures of the members in parentheses.
  public static var dBusSignature: String { "(\(signaturesOf((repeat each Member).self).joined()))" }

  /// Reads a struct.
  public init(dBusValue: DBusValue) throws(DBusError) {
    guard case .structure(let values) = dBusValue else { throw Self.mismatch(dBusValue) }
    members = try decode(values, as: (repeat each Member).self)
  }

  /// The value as a struct.
  public var dBusValue: DBusValue { .structure(encode(repeat each members)) }
}

extension DBusStruct: Equatable where repeat each Member: Equatable {
  /// Compares the members.
  public static func == (left: DBusStruct, right: DBusStruct) -> Bool {
    for (one, other) in repeat (each left.members, each right.members) { if one != other { return false } }
    return true
  }
}

/// The signatures of several types, in order.
func signaturesOf<each Value: DBusConvertible>(_ types: (repeat each Value).Type) -> [String] {
  var signatures: [String] = []
  for type in repeat (each Value).self { signatures.append(type.dBusSignature) }
  return signatures
}

func encode<each Value: DBusConvertible>(_ values: repeat each Value) -> [DBusValue] {
  var encoded: [DBusValue] = []
  for value in repeat each values { encoded.append(value.dBusValue) }
  return encoded
}

/// Converts the contents of a message. Throws if their types are others, or there are more or fewer.
func decode<each Value: DBusConvertible>(
  _ values: [DBusValue], as types: (repeat each Value).Type
) throws(DBusError) -> (repeat each Value) {
  let actual = values.map(\.signature).joined()
  let expected = signaturesOf(types).joined()
  if actual != expected { throw .mismatch(expected: expected, actual: actual) }
  var rest = values[...]
  func next<Next: DBusConvertible>(_ type: Next.Type) throws(DBusError) -> Next {
    try Next(dBusValue: rest.removeFirst())
  }
  return (repeat try next((each Value).self))
}
