/// A change in the directory of one node, as it is stored, sent, and printed.
nonisolated struct Change: Hashable, Sendable {
  /// What happened to the path.
  enum Kind: String, Sendable {
    case created, modified, removed, renamed, attributes
  }

  /// The number of the change. The node numbers its changes from 1, without gaps.
  var id: Int64
  /// When the node recorded it, in nanoseconds since 1970. It distinguishes two changes that share a number.
  var time: Int64
  var kind: Kind
  /// The path, relative to the directory of the node.
  var path: [UInt8]
  /// The new path of a `renamed` one. Nil for the other kinds.
  var newPath: [UInt8]?

  /// The change as it is printed: `created notes/milk`. Control characters and backslashes are escaped.
  var text: String {
    let parts = [kind.rawValue, Self.escaped(path)] + (newPath.map { ["->", Self.escaped($0)] } ?? [])
    return parts.joined(separator: " ")
  }

  static func escaped(_ path: [UInt8]) -> String {
    if path.isEmpty { return "." }
    let bytes = path.flatMap { byte -> [UInt8] in
      if byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "\\") { return [byte] }
      let digits = Array("0123456789abcdef".utf8)
      return [UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A change as a node sends it to the collector.
nonisolated struct Report: Hashable, Sendable {
  var change: Change
  /// The lowest number that the node still has. The collector waits for a missing number only if the node can send it.
  var oldest: Int64

  init(_ change: Change, oldest: Int64) {
    self.change = change
    self.oldest = oldest
  }

  /// Reads a payload. Nil if it is not a report.
  init?(payload: [UInt8]) {
    let fields = payload.split(separator: 0, omittingEmptySubsequences: false)
    guard fields.count == 5 || fields.count == 6, let id = Self.number(fields[0]), let oldest = Self.number(fields[1]),
      let time = Self.number(fields[2]), let kind = Change.Kind(rawValue: String(decoding: fields[3], as: UTF8.self)),
      (kind == .renamed) == (fields.count == 6), 1 <= oldest, oldest <= id
    else { return nil }
    let newPath = fields.count == 6 ? Array(fields[5]) : nil
    self.init(Change(id: id, time: time, kind: kind, path: Array(fields[4]), newPath: newPath), oldest: oldest)
  }

  /// The fields, separated by zero bytes, which a path cannot contain.
  var payload: [UInt8] {
    var bytes = Array("\(change.id)\0\(oldest)\0\(change.time)\0\(change.kind.rawValue)\0".utf8) + change.path
    if let newPath = change.newPath { bytes += [0] + newPath }
    return bytes
  }

  private static func number(_ field: ArraySlice<UInt8>) -> Int64? { Int64(String(decoding: field, as: UTF8.self)) }
}
