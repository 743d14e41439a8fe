#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension String {
  /// The text as one line.
  var replacingNewlines: String { String(decoding: utf8.map { $0 == 0x0a ? 0x20 : $0 }, as: UTF8.self) }

  /// True if it calls the function `name`, and not only one whose name ends with it.
  func calls(_ name: String) -> Bool {
    ranges(of: "\(name)(").contains { range in
      self[..<range.lowerBound].unicodeScalars.last.map {
        $0 != "_" && !$0.properties.isAlphabetic && !("0"..."9").contains($0)
      } ?? true
    }
  }

  /// What stands after the first `text`.
  func rest(after text: String) -> String {
    firstRange(of: text).map { String(self[$0.upperBound...]) } ?? ""
  }

  /// True if the bytes of `text` are in this one: much faster than `contains`, which compares characters.
  func has(_ text: String) -> Bool {
    var (own, other) = (self, text)
    return own.withUTF8 { bytes in
      other.withUTF8 { needle in
        guard let first = needle.first, let needed = needle.baseAddress else { return true }
        guard var rest = bytes.baseAddress.map(UnsafeRawPointer.init) else { return false }
        let end = rest + bytes.count
        // The C library finds the first byte many times faster than a loop.
        while end - rest >= needle.count, let found = memchr(rest, Int32(first), end - rest - needle.count + 1) {
          if memcmp(found, needed, needle.count) == 0 { return true }
          rest = UnsafeRawPointer(found) + 1
        }
        return false
      }
    }
  }
}
