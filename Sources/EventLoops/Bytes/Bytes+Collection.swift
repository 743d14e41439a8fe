extension Bytes: RandomAccessCollection {
  /// A slice is of the same type, and shares the memory.
  public typealias SubSequence = Bytes
  /// The position of a byte.
  public typealias Index = Int
  /// The positions, one after the other.
  public typealias Indices = Range<Int>

  /// How many bytes.
  @inlinable
  public var count: Int { endIndex - startIndex }

  /// True when there are none.
  @inlinable
  public var isEmpty: Bool { endIndex == startIndex }

  /// All positions.
  @inlinable
  public var indices: Range<Int> { startIndex..<endIndex }

  /// The byte at `index`. Traps outside of the bytes.
  @inlinable
  public subscript(_ index: Int) -> UInt8 {
    if index < startIndex || index >= endIndex { Bytes.outOfBounds(index, self) }
    return base.unsafelyUnwrapped.load(fromByteOffset: index, as: UInt8.self)
  }

  /// The bytes of `bounds`, which keep the buffer and their indices. Traps outside of the bytes. O(1), copies nothing.
  @inlinable
  public subscript(_ bounds: Range<Int>) -> Bytes {
    if bounds.lowerBound < startIndex || bounds.upperBound > endIndex { Bytes.outOfBounds(bounds, self) }
    return Bytes(storage: storage, base: base, startIndex: bounds.lowerBound, endIndex: bounds.upperBound)
  }

  /// The next position.
  @inlinable
  public func index(after index: Int) -> Int { index + 1 }

  /// The position before.
  @inlinable
  public func index(before index: Int) -> Int { index - 1 }

  /// The position `distance` bytes on.
  @inlinable
  public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }

  /// How many bytes from one position to another.
  @inlinable
  public func distance(from start: Int, to end: Int) -> Int { end - start }

  /// Calls `body` with the bytes in memory. Always succeeds.
  @inlinable
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? { try withUnsafeBytes { try body($0.assumingMemoryBound(to: UInt8.self)) } }

  /// The same bytes with indices from 0. Copies nothing.
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
  /// True when the bytes are the same, wherever they are.
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
