/// The name of a channel. PostgreSQL compares its bytes, and `String` compares characters, which can have several spellings.
struct Channel: Hashable {
  let name: [UInt8]

  init(_ name: String) { self.name = Array(name.utf8) }

  /// The name as an identifier of SQL.
  var quoted: String {
    let quote = UInt8(ascii: "\"")
    return "\"\(String(decoding: name.flatMap { $0 == quote ? [quote, quote] : [$0] }, as: UTF8.self))\""
  }
}
