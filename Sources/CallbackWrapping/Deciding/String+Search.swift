extension String {
  /// The text as one line.
  var replacingNewlines: String { String(decoding: utf8.map { $0 == 0x0a ? 0x20 : $0 }, as: UTF8.self) }

  /// True if the bytes of `text` are in this one: much faster than `contains`, which compares characters.
  func has(_ text: String) -> Bool {
    var (own, other) = (self, text)
    return own.withUTF8 { bytes in
      other.withUTF8 { needle in
        guard let first = needle.first else { return true }
        var index = 0
        while index + needle.count <= bytes.count {
          if bytes[index] == first, (1..<needle.count).allSatisfy({ bytes[index + $0] == needle[$0] }) { return true }
          index += 1
        }
        return false
      }
    }
  }
}
