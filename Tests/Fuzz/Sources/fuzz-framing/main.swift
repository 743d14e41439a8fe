import EventLoops
import FuzzDriver

// The operators that find messages in bytes: however the bytes are divided into pieces, the messages are the same, and they are
// those that a plain loop over all bytes finds.

/// The output of an operator: its messages, and how it ends.
struct Delivered: Equatable {
  var messages: [[UInt8]] = []
  var end = ""
}

func deliver(_ pieces: [ArraySlice<UInt8>], _ operation: (Stream<Bytes>) -> Operation<[UInt8], FramingError<Never>>)
  -> Delivered
{
  var delivered = Delivered()
  let source = PushStream<Bytes>()
  let subscription = operation(source.toStream()).observe(
    next: { delivered.messages.append($0) },
    termination: { end in
      switch end {
      case .completed: delivered.end = "completed"
      case .failed(.tooLong): delivered.end = "too long"
      case .failed(.incomplete(let count)): delivered.end = "incomplete \(count)"
      }
    })
  for piece in pieces { source.next(Bytes(piece)) }
  source.completed()
  subscription.dispose()
  return delivered
}

/// Lines, as a plain loop finds them.
func lines(_ bytes: [UInt8], limit: Int) -> Delivered {
  var delivered = Delivered()
  var rest = bytes[...]
  while !rest.isEmpty {
    let end = rest.firstIndex(of: 10)
    var line = rest[..<(end ?? rest.endIndex)]
    if end != nil, line.last == 13 { line.removeLast() }
    if line.count > limit {
      delivered.end = "too long"
      return delivered
    }
    delivered.messages.append(Array(String(decoding: line, as: UTF8.self).utf8))
    guard let end else { break }
    rest = rest[(end + 1)...]
  }
  delivered.end = "completed"
  return delivered
}

/// Frames after a length of two bytes, as a plain loop finds them.
func frames(_ bytes: [UInt8], limit: Int) -> Delivered {
  var delivered = Delivered()
  var rest = bytes[...]
  while !rest.isEmpty {
    guard rest.count >= 2 else {
      delivered.end = "incomplete \(rest.count)"
      return delivered
    }
    let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
    if count > limit {
      delivered.end = "too long"
      return delivered
    }
    guard rest.count >= 2 + count else {
      delivered.end = "incomplete \(rest.count)"
      return delivered
    }
    delivered.messages.append(Array(rest.dropFirst(2).prefix(count)))
    rest = rest.dropFirst(2 + count)
  }
  delivered.end = "completed"
  return delivered
}

fuzz { bytes in
  guard bytes.count > 3 else { return }
  // The first bytes choose the operator, the limit, and the pieces.
  let (kind, limit, step) = (bytes[0] % 4, Int(bytes[1]), Int(bytes[2] % 64) + 1)
  let data = Array(bytes.dropFirst(3))
  var pieces: [ArraySlice<UInt8>] = []
  var start = 0
  while start < data.count {
    let end = min(data.count, start + 1 + Int(data[start]) % step)
    pieces.append(data[start..<end])
    start = end
  }
  let operation: (Stream<Bytes>) -> Operation<[UInt8], FramingError<Never>> =
    switch kind {
    case 0: { $0.lines(limit: limit + 1).map { Array($0.utf8) } }
    case 1: { $0.frames(lengthPrefix: UInt16.self, limit: limit).map { Array($0) } }
    case 2: { $0.split(on: "\r\n\r\n", limit: limit + 4).map { Array($0) } }
    default: { $0.lines(cutAt: limit + 4).map { Array($0.utf8) }.setFailureType(to: FramingError<Never>.self) }
    }
  let cut = deliver(pieces, operation)
  precondition(cut == deliver([data[...]], operation), "the pieces make a difference")
  if kind == 0 { precondition(cut == lines(data, limit: limit + 1), "lines") }
  if kind == 1 { precondition(cut == frames(data, limit: limit), "frames") }
}
