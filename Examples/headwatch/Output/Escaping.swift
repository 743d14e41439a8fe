/// Functions that escape names for terminals, shells, and JSON.
nonisolated enum Escaping {
  /// Appends a name for users. Escapes bytes that are not UTF-8 and characters that move the cursor, end the line, or
  /// change the writing direction. Doubles backslashes, so the result is unambiguous.
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

  /// Returns a name for users.
  static func forPeople(_ bytes: ArraySlice<UInt8>) -> String {
    var buffer: [UInt8] = []
    appendForPeople(bytes, to: &buffer)
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Returns a command as a user would type it, safe for the terminal. Quotes words that contain special characters.
  static func shellWords(_ words: [String]) -> String {
    words.map { word in
      let isPlain = !word.isEmpty && word.utf8.allSatisfy { plainBytes.contains($0) || $0 >= 0x80 }
      let quoted =
        isPlain
        ? word : "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
      var buffer: [UInt8] = []
      var rest = Array(quoted.utf8)[...]
      // Backslashes are not doubled, because the user would not type them twice.
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

  /// Appends valid UTF-8 as a JSON string, including the quotes.
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

  /// Appends bytes in base64, with padding.
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
