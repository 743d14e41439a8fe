public import Streams

/// The order of the bytes of a number.
public enum ByteOrder: Hashable, Sendable {
  /// The most significant byte first: network byte order.
  case bigEndian
  /// The least significant byte first.
  case littleEndian
}

extension StreamProtocol where Element == Bytes {
  /// Emits the frames of a stream in which each frame is preceded by its length. The length is removed.
  ///
  /// ```swift
  /// let messages = connection.bytes.frames(lengthPrefix: UInt32.self, limit: 65_536)
  /// connection.write(Bytes("hello").framed(lengthPrefix: UInt32.self))
  /// ```
  ///
  /// The size of the incoming pieces does not matter. A length above `limit` fails with `FramingError.tooLong` before
  /// any byte of the frame is awaited. A stream that ends inside a frame fails with `FramingError.incomplete`. The
  /// observer may pause between two frames.
  ///
  /// A frame that lies in one element shares its memory. Other frames are copied once, into memory of exactly their
  /// size. For frames over 1 MiB, the memory grows with the received bytes, so that a large length alone allocates
  /// nothing.
  public func frames<Length: FixedWidthInteger & UnsignedInteger>(
    lengthPrefix: Length.Type, byteOrder: ByteOrder = .bigEndian, limit: Int
  ) -> Operation<Bytes, FramingError<Failure>> {
    if limit < 0 { fatalError("The limit of a frame is \(limit) bytes, and has to be at least 0.") }
    return framed { LengthParser<Length>(byteOrder, limit) }
  }
}

extension Bytes {
  /// Returns the bytes preceded by their length: a frame for `frames(lengthPrefix:)`. Copies the bytes. Traps if the
  /// length does not fit into `Length`.
  public func framed<Length: FixedWidthInteger & UnsignedInteger>(
    lengthPrefix: Length.Type, byteOrder: ByteOrder = .bigEndian
  ) -> Bytes {
    let size = MemoryLayout<Length>.size
    guard let length = Length(exactly: count) else {
      fatalError("\(count) bytes are too many for a length of \(size) bytes: use a larger integer type for the length.")
    }
    return Bytes(unsafeUninitializedCapacity: size + count) { room in
      room.storeBytes(of: byteOrder == .bigEndian ? length.bigEndian : length.littleEndian, as: Length.self)
      withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: room[size...]).copyMemory(from: $0) }
      return size + count
    }
  }
}

/// Cuts frames by their lengths.
private struct LengthParser<Length: FixedWidthInteger & UnsignedInteger>: FrameParser {
  private let byteOrder: ByteOrder
  private let limit: Int
  /// The bytes of an incomplete length.
  private var header: [UInt8] = []
  /// The length of the frame that is being collected.
  private var length: Int?
  /// The memory for that frame, of which `count` bytes have been received.
  private var body: ByteStorage?
  private var count = 0
  private var capacity = 0

  init(_ byteOrder: ByteOrder, _ limit: Int) {
    self.byteOrder = byteOrder
    self.limit = limit
  }

  mutating func next(_ input: inout Bytes) throws(FramingError<Never>) -> Bytes? {
    let size = MemoryLayout<Length>.size
    if length == nil {
      if header.isEmpty, input.count >= size {
        length = try decode(input.prefix(size))
        input = input.dropFirst(size)
      } else {
        let piece = input.prefix(size - header.count)
        header.append(contentsOf: piece)
        input = input.dropFirst(piece.count)
        if header.count < size { return nil }
        length = try decode(Bytes(header))
        header.removeAll(keepingCapacity: true)
      }
    }
    guard let length else { return nil }
    if body == nil, input.count >= length {
      let frame = input.prefix(length).rebased
      input = input.dropFirst(length)
      self.length = nil
      return frame
    }
    let piece = input.prefix(length - count)
    let storage = room(for: count + piece.count, of: length)
    piece.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { (storage.memory + count).copyMemory(from: start, byteCount: bytes.count) }
    }
    count += piece.count
    input = input.dropFirst(piece.count)
    if count < length { return nil }
    (body, self.length, count) = (nil, nil, 0)
    return Bytes(storage, offset: 0, count: length)
  }

  /// Returns memory for `needed` bytes of a frame. It has room for the whole frame, unless the announced length is
  /// large.
  private mutating func room(for needed: Int, of length: Int) -> ByteStorage {
    if let body, needed <= capacity { return body }
    capacity = min(length, max(needed, body == nil ? 1 << 20 : min(capacity, .max / 2) * 2))
    let larger = ByteStorage.make(capacity)
    if let body { larger.memory.copyMemory(from: body.memory, byteCount: count) }
    body = larger
    return larger
  }

  mutating func finish() throws(FramingError<Never>) -> Bytes? {
    if header.isEmpty, length == nil { return nil }
    throw .incomplete(count: length == nil ? header.count : MemoryLayout<Length>.size + count)
  }

  private func decode(_ bytes: Bytes) throws(FramingError<Never>) -> Int {
    let raw = bytes.withUnsafeBytes { $0.loadUnaligned(as: Length.self) }
    let value = byteOrder == .bigEndian ? Length(bigEndian: raw) : Length(littleEndian: raw)
    guard let length = Int(exactly: value), length <= limit else { throw .tooLong(limit: limit) }
    return length
  }
}
