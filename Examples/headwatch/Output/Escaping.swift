/// How names are written where not every byte may be.
nonisolated enum Escaping {
  /// Appends a name for people: what could move the cursor, break the line or turn the writing direction is escaped, as is
  /// what is not UTF-8. A backslash is doubled, so the result is unambiguous.
  static func appendForPeople(_ bytes: ArraySlice<UInt8>, to buffer: inout [UInt8]) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let (value, width) = decodeScalar(bytes, at: index)
      switch value {
      case 0x0A: buffer.append(contentsOf: "\\n".utf8)
      case 0x0D: buffer.append(contentsOf: "\\r".utf8)
      case 0x09: buffer.append(contentsOf: "\\t".utf8)
      case 0x5C: buffer.append(contentsOf: "\\\\".utf8)
      case 0..<0x20, 0x7F, 0x11_0000...: appendHex("\\x", bytes[index], to: &buffer)
      case 0x80..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
        buffer.append(contentsOf: "\\u{\(String(value, radix: 16))}".utf8)
      default: buffer.append(contentsOf: bytes[index..<index + width])
      }
      index += width
    }
  }

  /// A name for people.
  static func forPeople(_ bytes: ArraySlice<UInt8>) -> String {
    var buffer: [UInt8] = []
    appendForPeople(bytes, to: &buffer)
    return String(decoding: buffer, as: UTF8.self)
  }

  /// A command as one would type it: words with special characters in quotes, and safe for the terminal.
  static func shellWords(_ words: [String]) -> String {
    words.map { word in
      let isPlain = !word.isEmpty && word.utf8.allSatisfy { plainBytes.contains($0) || $0 >= 0x80 }
      let quoted =
        isPlain
        ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
      var buffer: [UInt8] = []
      var rest = Array(quoted.utf8)[...]
      // Backslashes stay as they would be typed.
      while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
        appendForPeople(rest[..<backslash], to: &buffer)
        buffer.append(UInt8(ascii: "\\"))
        rest = rest[(backslash + 1)...]
      }
      appendForPeople(rest, to: &buffer)
      return String(decoding: buffer, as: UTF8.self)
    }.joined(separator: " ")
  }

  private static let plainBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%^".utf8)

  /// Appends valid UTF-8 as a JSON string, quotes included.
  static func appendJSON(_ bytes: ArraySlice<UInt8>, to buffer: inout [UInt8]) {
    buffer.append(UInt8(ascii: "\""))
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""): buffer.append(contentsOf: "\\\"".utf8)
      case UInt8(ascii: "\\"): buffer.append(contentsOf: "\\\\".utf8)
      case UInt8(ascii: "\n"): buffer.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\t"): buffer.append(contentsOf: "\\t".utf8)
      case UInt8(ascii: "\r"): buffer.append(contentsOf: "\\r".utf8)
      case 0..<0x20, 0x7F: appendHex("\\u00", byte, to: &buffer)
      default: buffer.append(byte)
      }
    }
    buffer.append(UInt8(ascii: "\""))
  }

  /// Appends base64, padded.
  static func appendBase64(_ bytes: ArraySlice<UInt8>, to buffer: inout [UInt8]) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var rest = bytes
    while !rest.isEmpty {
      let group = rest.prefix(3)
      rest = rest.dropFirst(3)
      var bits: UInt32 = 0
      for byte in group { bits = bits << 8 | UInt32(byte) }
      bits <<= UInt32(3 - group.count) * 8
      for position in 0..<4 {
        let digit = alphabet[Int(bits >> UInt32(18 - 6 * position) & 63)]
        buffer.append(position <= group.count ? digit : UInt8(ascii: "="))
      }
    }
  }

  private static func appendHex(_ prefix: String, _ byte: UInt8, to buffer: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    buffer.append(contentsOf: prefix.utf8)
    buffer.append(digits[Int(byte >> 4)])
    buffer.append(digits[Int(byte & 15)])
  }
}
