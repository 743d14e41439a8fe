/// Bytes that do not change: a slice of a buffer that all its slices share.
///
/// ```swift
/// let message: Bytes = "GET /index.html"
/// let path = message.dropFirst(4)               // no byte is copied
/// print(String(path), path.count)               // /index.html 11
/// path.withUnsafeBytes { print($0.count) }
/// ```
///
/// What sockets, pipes and files read arrives as `Bytes`. A copy, a slice, `prefix`, `suffix`, `split` and their like cost a
/// reference; the memory is freed with the last of them. So a slice keeps the whole buffer: a byte kept of a read keeps up
/// to 64 KiB. `compacted()` lets go of it.
///
/// As with every collection a slice has the indices of what it was cut from: its first byte is at `startIndex`, not at 0.
/// What is delivered begins with 0.
///
/// `Sendable`, and equal where the bytes are. Subscripts are checked.
@frozen
// Sendable: what it refers to does not change for as long as it exists, and references are counted atomically.
public struct Bytes: @unchecked Sendable {
  /// Nil where there is nothing to keep.
  @usableFromInline let storage: ByteStorage?
  /// Where index 0 is, or would be. Nil where there are no bytes.
  @usableFromInline let base: UnsafeRawPointer?
  /// The index of the first byte.
  public let startIndex: Int
  /// The index behind the last byte.
  public let endIndex: Int

  @inlinable
  init(storage: ByteStorage?, base: UnsafeRawPointer?, startIndex: Int, endIndex: Int) {
    self.storage = storage
    self.base = base
    self.startIndex = startIndex
    self.endIndex = endIndex
  }

  /// `count` bytes of `storage`, from `offset` on, with indices from 0.
  @inlinable
  init(_ storage: ByteStorage, offset: Int, count: Int) {
    self.init(storage: storage, base: UnsafeRawPointer(storage.memory) + offset, startIndex: 0, endIndex: count)
  }

  /// No bytes. Allocates nothing.
  @inlinable
  public init() { self.init(storage: nil, base: nil, startIndex: 0, endIndex: 0) }

  /// A copy of `bytes`.
  @inlinable
  public init(copying bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else {
      self.init()
      return
    }
    let storage = ByteStorage.make(bytes.count)
    storage.memory.copyMemory(from: source, byteCount: bytes.count)
    self.init(storage, offset: 0, count: bytes.count)
  }

  /// A copy of `span`.
  @inlinable
  public init(copying span: RawSpan) { self = span.withUnsafeBytes { Bytes(copying: $0) } }

  /// Bytes that `initialize` writes into room for `capacity` of them: it returns how many it has written.
  @inlinable
  public init<Failure: Error>(
    unsafeUninitializedCapacity capacity: Int,
    _ initialize: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    let storage = ByteStorage.make(capacity)
    let count = try initialize(UnsafeMutableRawBufferPointer(start: storage.memory, count: capacity))
    if count < 0 || count > capacity { Bytes.tooMany(count, capacity) }
    self.init(storage, offset: 0, count: count)
  }

  /// A copy of the elements of a collection; of a `Bytes` itself, without copying.
  @inlinable
  public init(_ elements: some Collection<UInt8>) {
    if let bytes = elements as? Bytes {
      self = bytes
      return
    }
    let copy = elements.withContiguousStorageIfAvailable { Bytes(copying: UnsafeRawBufferPointer($0)) }
    if let copy {
      self = copy
      return
    }
    let count = elements.count
    self.init(unsafeUninitializedCapacity: count) { room in
      room.initializeMemory(as: UInt8.self, from: elements).initialized.count
    }
  }

  /// `count` times `byte`.
  @inlinable
  public init(repeating byte: UInt8, count: Int) {
    self.init(unsafeUninitializedCapacity: count) { room in
      room.initializeMemory(as: UInt8.self, repeating: byte)
      return count
    }
  }

  /// The bytes of several, one after the other: one allocation.
  @inlinable
  public init(joining parts: some Collection<Bytes>) {
    let count = parts.reduce(0) { $0 + $1.count }
    if count == 0 {
      self.init()
      return
    }
    self.init(unsafeUninitializedCapacity: count) { room in
      var offset = 0
      for part in parts where !part.isEmpty {
        part.withUnsafeBytes { (room.baseAddress! + offset).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        offset += part.count
      }
      return count
    }
  }

  /// The bytes of one and then of the other, in a new buffer; without copying where one of them is empty.
  @inlinable
  public static func + (first: Bytes, second: Bytes) -> Bytes {
    if second.isEmpty { return first }
    if first.isEmpty { return second }
    return Bytes(joining: [first, second])
  }

  @usableFromInline
  static func tooMany(_ count: Int, _ capacity: Int) -> Never {
    fatalError("Bytes were made with \(count) of \(capacity) bytes written: return how many the closure has written.")
  }
}
