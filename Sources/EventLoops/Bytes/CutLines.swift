public import Streams

extension StreamProtocol where Element == Bytes {
  /// Emits the lines of a text, and cuts lines of more than `limit` bytes into several. Use it for output that must be
  /// shown in full.
  ///
  /// ```swift
  /// process.output?.bytes.lines(cutAt: 4096).observeNext { print($0) }.dispose(in: bag)
  /// ```
  ///
  /// Lines end with LF or CR LF, which is removed; a last line without an end is emitted when the stream completes.
  /// Invalid UTF-8 is replaced by U+FFFD. Nothing is left out, and at most one line of `limit` bytes is held. In valid
  /// UTF-8, no character is cut: a piece may be up to three bytes shorter. `limit` is at least 4; less traps.
  public func lines(cutAt limit: Int) -> Operation<String, Failure> {
    if limit < 4 { fatalError("Lines are cut at \(limit) bytes: there has to be room for a character, which is 4.") }
    return framed { CutLineParser(limit) }.mapError { error in
      switch error {
      case .source(let error): error
      case .tooLong, .incomplete: fatalError("Lines that are cut are never too long.")
      }
    }
  }
}

/// Cuts at line ends, and within lines that are too long.
private struct CutLineParser: FrameParser {
  private let limit: Int
  /// Holds at most the limit and one CR, which may belong to a line end.
  private let pending = BytesBuilder()

  init(_ limit: Int) { self.limit = limit }

  mutating func next(_ input: inout Bytes) -> String? {
    let end = input.firstIndex(of: UInt8(ascii: "\n"))
    let part = input[input.startIndex..<(end ?? input.endIndex)]
    let count = pending.count + part.count
    if count > limit, count > limit + 1 || (part.last ?? pending.last) != UInt8(ascii: "\r") { return cut(&input) }
    guard let end else {
      pending.append(part)
      input = Bytes()
      return nil
    }
    let line = pending.take() + part
    input = input[(end + 1)...]
    return String(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
  }

  mutating func finish() -> String? {
    if pending.isEmpty { return nil }
    var rest = pending.take()
    if rest.count <= limit { return String(rest) }
    // A CR that did not begin a line end.
    let piece = cut(&rest)
    pending.append(rest)
    return piece
  }

  /// Takes the first piece of a line that is too long.
  private func cut(_ input: inout Bytes) -> String {
    let text = pending.take() + input
    var end = text.startIndex + limit
    // Not before a byte that continues a character.
    while end > text.startIndex + limit - 3, text[end] & 0xC0 == 0x80 { end -= 1 }
    // Invalid UTF-8 is cut anywhere.
    if text[end] & 0xC0 == 0x80 { end = text.startIndex + limit }
    input = text[end...]
    return String(text[..<end])
  }
}
