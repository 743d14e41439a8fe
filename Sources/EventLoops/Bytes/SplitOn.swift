public import Streams

extension StreamProtocol where Element == Bytes {
  /// Emits the parts between delimiters, without the delimiters.
  ///
  /// ```swift
  /// let parts = Stream.sequence(["a;b", "c;" as Bytes]).split(on: ";", limit: 100)   // "a", "bc"
  /// ```
  ///
  /// The size of the incoming pieces does not matter. The part after the last delimiter is emitted at the end, unless
  /// it is empty. Two adjacent delimiters enclose an empty part, which is emitted. A part longer than `limit` bytes
  /// fails with `FramingError.tooLong` without waiting for its end, so no more than that is held. A part that lies in
  /// one element shares its memory; others are copied. The observer may pause between two parts.
  public func split(on delimiter: Bytes, limit: Int) -> Operation<Bytes, FramingError<Failure>> {
    if delimiter.isEmpty { fatalError("A stream cannot be split on an empty delimiter.") }
    checkLimit(limit)
    let delimiter = delimiter.rebased
    return framed { DelimiterParser(delimiter, limit) }
  }

  /// Emits the lines of a text, without their line endings LF or CR LF.
  ///
  /// ```swift
  /// process.output?.bytes.lines().observeNext { print($0) }.dispose(in: bag)
  /// ```
  ///
  /// The size of the incoming pieces does not matter. A last line without a line ending is emitted when the stream
  /// completes. The text is UTF-8; invalid bytes are replaced by U+FFFD (use `split(on: "\n", limit:)` to get the
  /// bytes). A line longer than `limit` bytes fails with `FramingError.tooLong`. The observer may pause between two
  /// lines.
  public func lines(limit: Int = 1_048_576) -> Operation<String, FramingError<Failure>> {
    checkLimit(limit)
    return framed { LineParser(limit) }
  }
}

func checkLimit(_ limit: Int) {
  if limit < 1 { fatalError("Lines and frames need room: their limit is \(limit) bytes, and has to be at least 1.") }
}

/// Cuts at a delimiter of any length.
struct DelimiterParser: FrameParser {
  private let delimiter: Bytes
  private let limit: Int
  /// The greatest length of a part.
  private let longestPart: Int
  /// The greatest number of pending bytes. The last of them may belong to a delimiter.
  private let longestWait: Int
  private let pending = BytesBuilder()

  init(_ delimiter: Bytes, _ limit: Int, slack: Int = 0) {
    self.delimiter = delimiter
    self.limit = limit
    // Computed without overflow, because the limit may be as large as `Int.max`.
    longestPart = min(limit, .max - slack) + slack
    longestWait = min(longestPart, .max - delimiter.count) + delimiter.count - 1
  }

  mutating func next(_ input: inout Bytes) throws(FramingError<Never>) -> Bytes? {
    if !pending.isEmpty, delimiter.count > 1, let start = startInPending(input) {
      input = input.dropFirst(start + delimiter.count - pending.count)
      return try check(pending.take(first: start))
    }
    guard let start = find(in: input) else {
      if pending.count + input.count > longestWait { throw .tooLong(limit: limit) }
      pending.append(input)
      input = Bytes()
      return nil
    }
    let head = input[input.startIndex..<start]
    input = input[(start + delimiter.count)...]
    if pending.isEmpty { return try check(head.rebased) }
    if pending.count + head.count > longestWait { throw .tooLong(limit: limit) }
    pending.append(head)
    return try check(pending.take())
  }

  mutating func finish() throws(FramingError<Never>) -> Bytes? {
    pending.isEmpty ? nil : try check(pending.take())
  }

  private func check(_ part: Bytes) throws(FramingError<Never>) -> Bytes {
    if part.count > longestPart { throw .tooLong(limit: limit) }
    return part
  }

  private func find(in input: Bytes) -> Int? {
    var start = input.startIndex
    while let found = input.firstIndex(of: delimiter[0], from: start) {
      if found + delimiter.count > input.endIndex { return nil }
      if delimiter.count == 1 || input[found..<found + delimiter.count] == delimiter { return found }
      start = found + 1
    }
    return nil
  }

  /// Returns the start of a delimiter that lies partly in the pending bytes and partly in `input`.
  private func startInPending(_ input: Bytes) -> Int? {
    let first = max(0, pending.count - delimiter.count + 1)
    for start in first..<pending.count {
      let behind = delimiter.count - (pending.count - start)
      let isBegun = pending.withUnsafeBytes { $0[start...].elementsEqual(delimiter.dropLast(behind)) }
      if isBegun, input.prefix(behind).elementsEqual(delimiter.suffix(behind)) { return start }
    }
    return nil
  }
}

/// Cuts at line ends.
private struct LineParser: FrameParser {
  private var parser: DelimiterParser
  private let limit: Int

  init(_ limit: Int) {
    self.limit = limit
    // Room for the CR.
    parser = DelimiterParser("\n", limit, slack: 1)
  }

  mutating func next(_ input: inout Bytes) throws(FramingError<Never>) -> String? {
    guard var line = try parser.next(&input) else { return nil }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    return try check(line)
  }

  mutating func finish() throws(FramingError<Never>) -> String? {
    try parser.finish().map { line throws(FramingError<Never>) in try check(line) }
  }

  private func check(_ line: Bytes) throws(FramingError<Never>) -> String {
    if line.count > limit { throw .tooLong(limit: limit) }
    return String(line)
  }
}
