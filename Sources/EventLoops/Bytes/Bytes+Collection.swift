extension Bytes: RandomAccessCollection {
  /// The type of a slice, which shares the memory.
  public typealias SubSequence = Bytes
  /// The position of a byte.
  public typealias Index = Int
  /// The range of the positions.
  public typealias Indices = Range<Int>

  /// The number of bytes.
  @inlinable
  public var count: Int { endIndex - startIndex }

  /// True if there are no bytes.
  @inlinable
  public var isEmpty: Bool { endIndex == startIndex }

  /// All positions.
  @inlinable
  public var indices: Range<Int> { startIndex..<endIndex }

  /// The byte at `index`. Traps if `index` is out of bounds.
  @inlinable
  public subscript(_ index: Int) -> UInt8 {
    if index < startIndex || index >= endIndex { Bytes.outOfBounds(index, self) }
    return base.unsafelyUnwrapped.load(fromByteOffset: index, as: UInt8.self)
  }

  /// The bytes in `bounds`, with the same indices. The slice retains the buffer, unless it is empty. Traps if `bounds` is
  /// out of bounds. O(1), copies nothing.
  @inlinable
  public subscript(_ bounds: Range<Int>) -> Bytes {
    if bounds.lowerBound < startIndex || bounds.upperBound > endIndex { Bytes.outOfBounds(bounds, self) }
    if bounds.isEmpty {
      // Without the buffer, which what is left of a read would retain otherwise.
      return Bytes(storage: nil, base: nil, startIndex: bounds.lowerBound, endIndex: bounds.upperBound)
    }
    return Bytes(storage: storage, base: base, startIndex: bounds.lowerBound, endIndex: bounds.upperBound)
  }

  /// Returns the position after `index`.
  @inlinable
  public func index(after index: Int) -> Int { index + 1 }

  /// Returns the position before `index`.
  @inlinable
  public func index(before index: Int) -> Int { index - 1 }

  /// Returns the position `distance` bytes after `index`.
  @inlinable
  public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }

  /// Returns the number of bytes from `start` to `end`.
  @inlinable
  public func distance(from start: Int, to end: Int) -> Int { end - start }

  /// Calls `body` with the bytes in memory. Always succeeds.
  @inlinable
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? { try withUnsafeBytes { try body($0.assumingMemoryBound(to: UInt8.self)) } }

  /// The same bytes with indices that begin at 0. Copies nothing.
  @inlinable
  public var rebased: Bytes {
    Bytes(storage: storage, base: base.map { $0 + startIndex }, startIndex: 0, endIndex: count)
  }

  @usableFromInline
  static func outOfBounds(_ index: Int, _ bytes: Bytes) -> Never {
    fatalError(
      """
      There is no byte at \(index): these have the indices \(bytes.indices). A slice keeps the indices of what it was cut \
      from; begin with startIndex, or use rebased.
      """)
  }

  @usableFromInline
  static func outOfBounds(_ bounds: Range<Int>, _ bytes: Bytes) -> Never {
    fatalError(
      """
      There are no bytes at \(bounds): these have the indices \(bytes.indices). A slice keeps the indices of what it was cut \
      from; begin with startIndex, or use rebased.
      """)
  }
}

extension Bytes: Hashable {
  /// Returns true if both contain the same bytes, regardless of where they lie in memory.
  @inlinable
  public static func == (first: Bytes, second: Bytes) -> Bool {
    if first.count != second.count { return false }
    return first.withUnsafeBytes { a in
      second.withUnsafeBytes { b in
        a.count == 0 || a.baseAddress == b.baseAddress || Bytes.areSame(a.baseAddress!, b.baseAddress!, a.count)
      }
    }
  }

  /// Hashes the bytes and their number.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
