/// Bytes that grow at their end, and are then handed out without copying.
struct BytesBuilder: ~Copyable {
  private var storage: ByteStorage?
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Makes room for `capacity` bytes in all.
  mutating func reserve(_ capacity: Int) {
    if let storage, storage.room >= capacity { return }
    let larger = ByteStorage.make(capacity)
    if let storage, count > 0 { larger.memory.copyMemory(from: storage.memory, byteCount: count) }
    storage = larger
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    let room = storage?.room ?? 0
    if count + bytes.count > room { reserve(max(count + bytes.count, room * 2, 256)) }
    (storage!.memory + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  mutating func append(_ bytes: Bytes) { bytes.withUnsafeBytes { append($0) } }

  /// What has been appended; the builder is empty afterwards.
  mutating func take() -> Bytes {
    guard let storage, count > 0 else { return Bytes() }
    let bytes = Bytes(storage, offset: 0, count: count)
    self.storage = nil
    count = 0
    return bytes
  }

  /// Lets go of what has been appended.
  mutating func removeAll() {
    storage = nil
    count = 0
  }

  /// Calls `body` with what has been appended.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: storage?.memory, count: count))
  }
}
