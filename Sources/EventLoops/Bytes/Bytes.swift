/// Immutable bytes: a slice of a buffer that all its slices share.
///
/// ```swift
/// let message: Bytes = "GET /index.html"
/// let path = message.dropFirst(4)               // no byte is copied
/// print(String(path), path.count)               // /index.html 11
/// path.withUnsafeBytes { print($0.count) }
/// ```
///
/// Sockets, pipes, and files deliver what they read as `Bytes`. A copy, a slice, `prefix`, `suffix`, `split`, and
/// similar operations cost one reference and copy no bytes. The memory is freed with the last reference to it.
///
/// A slice therefore retains the whole buffer: one byte of a read can retain up to 64 KiB. `compacted()` releases the
/// buffer. An empty slice retains nothing.
///
/// As in every collection, a slice has the indices of its base: its first byte is at `startIndex`, not at 0. Delivered
/// bytes begin at 0.
///
/// `Sendable`. Values are equal if their bytes are equal. Subscripts are checked.
@frozen
// Sendable: the memory does not change as long as the value exists, and references are counted atomically.
public struct Bytes: @unchecked Sendable {
  /// Nil if there is no memory to retain.
  @usableFromInline let storage: ByteStorage?
  /// The address of index 0, which may lie outside the slice. Nil if there are no bytes.
  @usableFromInline let base: UnsafeRawPointer?
  /// The index of the first byte.
  public let startIndex: Int
  /// The index after the last byte.
  public let endIndex: Int

  @inlinable
  init(storage: ByteStorage?, base: UnsafeRawPointer?, startIndex: Int, endIndex: Int) {
    self.storage = storage
    self.base = base
    self.startIndex = startIndex
    self.endIndex = endIndex
  }

  /// Makes a value from `count` bytes of `storage`, beginning at `offset`, with indices that begin at 0.
  @inlinable
  init(_ storage: ByteStorage, offset: Int, count: Int) {
    self.init(storage: storage, base: UnsafeRawPointer(storage.memory) + offset, startIndex: 0, endIndex: count)
  }

  /// Makes an empty value. Allocates nothing.
  @inlinable
  public init() { self.init(storage: nil, base: nil, startIndex: 0, endIndex: 0) }

  /// Copies `bytes`.
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

  /// Copies `span`.
  @inlinable
  public init(copying span: RawSpan) { self = span.withUnsafeBytes { Bytes(copying: $0) } }

  /// Allocates `capacity` bytes and calls `initialize` to write to them.
  ///
  /// `initialize` returns the number of bytes that it has written. Traps if that number is negative or exceeds
  /// `capacity`.
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

  /// Copies the elements of a collection. A `Bytes` is not copied.
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

  /// Makes `count` bytes with the value `byte`.
  @inlinable
  public init(repeating byte: UInt8, count: Int) {
    self.init(unsafeUninitializedCapacity: count) { room in
      room.initializeMemory(as: UInt8.self, repeating: byte)
      return count
    }
  }

  /// Joins the bytes of several values, in order, in one allocation.
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

  /// Joins two values in a new buffer. Copies nothing if one of them is empty.
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
