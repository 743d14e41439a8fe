/// A growing buffer of bytes, whose contents are handed out without copying.
final class BytesBuilder {
  private var storage: ByteStorage?
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The last byte.
  var last: UInt8? { count == 0 ? nil : withUnsafeBytes { $0[count - 1] } }

  /// Makes room for `capacity` bytes in total.
  func reserve(_ capacity: Int) {
    if let storage, storage.room >= capacity { return }
    let larger = ByteStorage.make(capacity)
    if let storage, count > 0 { larger.memory.copyMemory(from: storage.memory, byteCount: count) }
    storage = larger
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    let room = storage?.room ?? 0
    if count + bytes.count > room { reserve(max(count + bytes.count, room * 2, 256)) }
    (storage!.memory + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  func append(_ bytes: Bytes) { bytes.withUnsafeBytes { append($0) } }

  /// Takes the contents, or their first `length` bytes, and empties the builder.
  func take(first length: Int? = nil) -> Bytes {
    guard let storage, count > 0 else { return Bytes() }
    let bytes = Bytes(storage, offset: 0, count: length ?? count)
    self.storage = nil
    count = 0
    return bytes
  }

  /// Calls `body` with the contents.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: storage?.memory, count: count))
  }
}
