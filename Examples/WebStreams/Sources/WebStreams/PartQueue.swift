import EventLoops

/// Parts of a body that wait, in their order. Adding and taking one takes constant time, however small the parts are.
struct PartQueue {
  private var parts: [Bytes] = []
  private var start = 0
  /// The number of bytes.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ bytes: Bytes) {
    if bytes.isEmpty { return }
    parts.append(bytes)
    count += bytes.count
  }

  /// Takes the first part, or as much of it as `most` allows.
  mutating func popFirst(_ most: Int = .max) -> Bytes? {
    if isEmpty { return nil }
    let first = parts[start]
    let part = first.prefix(most)
    count -= part.count
    if part.count < first.count {
      parts[start] = first.dropFirst(part.count)
    } else {
      parts[start] = Bytes()
      start += 1
    }
    if isEmpty {
      parts.removeAll(keepingCapacity: parts.capacity <= 64)
      start = 0
    } else if start > 64, start * 2 > parts.count {
      parts.removeFirst(start)
      start = 0
    }
    return part
  }

  mutating func removeAll() { self = PartQueue() }
}
