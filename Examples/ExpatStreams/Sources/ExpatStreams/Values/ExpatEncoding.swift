import CExpat
import Expat

/// An encoding that expat does not know: a mapping from bytes to characters.
///
/// ASCII characters must map to themselves. Other bytes can map to characters up to U+FFFF. Expat rejects other mappings.
public struct ExpatEncoding {
  /// An element for each byte: its character, -1 if the byte is invalid, or -n if it begins a sequence of n bytes, from 2
  /// to 4.
  public var map: [Int32]
  /// Returns the character of a sequence of bytes, or nil if the sequence is invalid.
  public var convert: (UnsafeRawBufferPointer) -> Unicode.Scalar?

  /// Creates an encoding with multibyte sequences. Traps unless `map` has 256 elements.
  public init(map: [Int32], convert: @escaping (UnsafeRawBufferPointer) -> Unicode.Scalar?) {
    precondition(map.count == 256, "The map of an encoding has a member for each byte: 256.")
    self.map = map
    self.convert = convert
  }

  /// Creates an encoding in which each byte is a character. Return nil for a byte that is invalid.
  public init(_ character: (UInt8) -> Unicode.Scalar?) {
    map = (0...255).map { byte in character(byte).map { Int32($0.value) } ?? -1 }
    convert = { _ in nil }
  }

  /// Fills in expat's structure. Expat owns the converter until it frees the parser, or until it rejects the encoding.
  func fill(_ info: UnsafeMutablePointer<XML_Encoding>) {
    withUnsafeMutableBytes(of: &info.pointee.map) { $0.copyBytes(from: map.withUnsafeBytes(Array.init)) }
    info.pointee.setDelegate(Sequences(encoding: self))
  }
}

/// The converter that expat calls for multibyte sequences.
private struct Sequences: EncodingDelegate {
  let encoding: ExpatEncoding

  func convert(_ bytes: UnsafePointer<CChar>?) -> Int32 {
    guard let bytes else { return -1 }
    let length = -Int(encoding.map[Int(UInt8(bitPattern: bytes[0]))])
    return encoding.convert(UnsafeRawBufferPointer(start: bytes, count: length)).map { Int32($0.value) } ?? -1
  }
}
