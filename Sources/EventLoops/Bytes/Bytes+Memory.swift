#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Bytes {
  /// Calls `body` with the bytes in memory. The pointer is valid during the call. Copies nothing.
  @inlinable @inline(__always)
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeRawBufferPointer(start: base.map { $0 + startIndex }, count: count))
  }

  /// The bytes as a span, valid as long as this value. Copies nothing.
  @inlinable
  public var span: Span<UInt8> {
    @_lifetime(borrow self) get {
      let start = base.map { ($0 + startIndex).assumingMemoryBound(to: UInt8.self) }
      let span = Span<UInt8>(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
      return _overrideLifetime(span, borrowing: self)
    }
  }

  /// The bytes as an untyped span, valid as long as this value. Copies nothing.
  @inlinable
  public var rawSpan: RawSpan {
    @_lifetime(borrow self) get {
      let span = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: base.map { $0 + startIndex }, count: count))
      return _overrideLifetime(span, borrowing: self)
    }
  }

  /// Returns the same bytes in their own buffer if they fill less than half of the current buffer, with indices that
  /// begin at 0.
  ///
  /// Use it to keep a few bytes of a large read without retaining the whole read buffer.
  public func compacted() -> Bytes {
    guard let storage, count <= storage.room / 2 else { return rebased }
    return withUnsafeBytes { Bytes(copying: $0) }
  }

  /// Returns the index of the first `byte` at or after `start`, or nil.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    guard let base, start < endIndex, let found = memchr(base + start, Int32(byte), endIndex - start) else {
      return nil
    }
    return UnsafeRawPointer(found) - base
  }

  /// Returns the index of the first `byte`, or nil.
  public func firstIndex(of byte: UInt8) -> Int? { firstIndex(of: byte, from: startIndex) }

  @usableFromInline
  static func areSame(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ count: Int) -> Bool {
    memcmp(first, second, count) == 0
  }
}
