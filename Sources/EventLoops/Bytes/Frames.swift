public import Streams

/// In which order the bytes of a number come.
public enum ByteOrder: Hashable, Sendable {
  /// The most significant byte first: the order of the network.
  case bigEndian
  /// The least significant byte first.
  case littleEndian
}

extension StreamProtocol where Element == Bytes {
  /// The frames of a stream in which each has its length in front of it, without that, however the bytes are cut into pieces.
  ///
  /// ```swift
  /// let messages = connection.bytes.frames(lengthPrefix: UInt32.self, limit: 65_536)
  /// connection.write(Bytes("hello").framed(lengthPrefix: UInt32.self))
  /// ```
  ///
  /// A length above `limit` fails with `FramingError.tooLong` before any byte of the frame is waited for; a stream that ends
  /// inside of a frame fails with `FramingError.incomplete`. A frame that lies in one element shares its memory, others are
  /// copied once, into memory of just their size. Beyond 1 MiB the memory of a frame grows with what has come of it, so that a
  /// length alone takes none. The observer may pause between two frames.
  public func frames<Length: FixedWidthInteger & UnsignedInteger>(
    lengthPrefix: Length.Type, byteOrder: ByteOrder = .bigEndian, limit: Int
  ) -> Operation<Bytes, FramingError<Failure>> {
    if limit < 0 { fatalError("The limit of a frame is \(limit) bytes, and has to be at least 0.") }
    return framed { LengthParser<Length>(byteOrder, limit) }
  }
}

extension Bytes {
  /// The bytes with their length in front of them: a frame for `frames(lengthPrefix:)`. Copies them. Traps where the length
  /// does not fit.
  public func framed<Length: FixedWidthInteger & UnsignedInteger>(
    lengthPrefix: Length.Type, byteOrder: ByteOrder = .bigEndian
  ) -> Bytes {
    let size = MemoryLayout<Length>.size
    guard let length = Length(exactly: count) else {
      fatalError("\(count) bytes are too many for a length of \(size) bytes: take a larger number for the length.")
    }
    return Bytes(unsafeUninitializedCapacity: size + count) { room in
      room.storeBytes(of: byteOrder == .bigEndian ? length.bigEndian : length.littleEndian, as: Length.self)
      withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: room[size...]).copyMemory(from: $0) }
      return size + count
    }
  }
}

/// Cuts at lengths.
private struct LengthParser<Length: FixedWidthInteger & UnsignedInteger>: FrameParser {
  private let byteOrder: ByteOrder
  private let limit: Int
  /// The bytes of a length of which some are missing.
  private var header: [UInt8] = []
  /// The length of the frame that is being collected.
  private var length: Int?
  /// Room for that frame, of which `count` bytes have come.
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

  /// Memory for `needed` bytes of a frame: for all of it, unless its sender only says that it is long.
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
