import CExpat
import Expat

/// How the bytes of an encoding that expat does not know become characters: those of ASCII themselves, the others any up
/// to U+FFFF. Expat refuses what is above that.
public struct ExpatEncoding {
  /// For each first byte the character that it stands for, -1 where it is wrong, or -n where it begins a sequence of n bytes,
  /// 2 to 4.
  public var map: [Int32]
  /// The character of a sequence; nil where it is wrong.
  public var convert: (UnsafeRawBufferPointer) -> Unicode.Scalar?

  /// Makes an encoding with sequences of several bytes. `map` has 256 members.
  public init(map: [Int32], convert: @escaping (UnsafeRawBufferPointer) -> Unicode.Scalar?) {
    precondition(map.count == 256, "The map of an encoding has a member for each byte: 256.")
    self.map = map
    self.convert = convert
  }

  /// Makes an encoding in which each byte is a character; nil for those that are wrong.
  public init(_ character: (UInt8) -> Unicode.Scalar?) {
    map = (0...255).map { byte in character(byte).map { Int32($0.value) } ?? -1 }
    convert = { _ in nil }
  }

  /// Fills what expat lends. Expat owns the encoding until it releases it, with the parser.
  func fill(_ info: UnsafeMutablePointer<XML_Encoding>) {
    withUnsafeMutableBytes(of: &info.pointee.map) { $0.copyBytes(from: map.withUnsafeBytes(Array.init)) }
    info.pointee.setDelegate(Sequences(encoding: self))
  }
}

/// What expat calls for sequences of several bytes.
private struct Sequences: EncodingDelegate {
  let encoding: ExpatEncoding

  func convert(_ bytes: UnsafePointer<CChar>?) -> Int32 {
    guard let bytes else { return -1 }
    let length = -Int(encoding.map[Int(UInt8(bitPattern: bytes[0]))])
    return encoding.convert(UnsafeRawBufferPointer(start: bytes, count: length)).map { Int32($0.value) } ?? -1
  }
}
