import Glibc

/// The names in one directory, each with a kind and a number. Events and rescans are compared with this snapshot.
///
/// It is compact, because each directory has one: all entries lie in one array, with 11 bytes and the name for each.
/// With more than a few entries, a second array of 4-byte slots makes lookups O(1). A removed entry leaves a hole.
/// Holes are closed when they fill half of the array.
struct NameTable {
  enum Kind: UInt8 {
    case hole = 0
    case file
    case directory
  }

  /// The length (2 bytes), the kind (1), and the number (8), followed by the name.
  static let headerSize = 11
  private static let slotThreshold = 12

  private var bytes: [UInt8] = []
  private var slots: [UInt32] = []
  // Half as wide as `Int`, because each directory has a table.
  private var usedSlots: UInt32 = 0
  private var holeBytes: UInt32 = 0
  private var entryCount: UInt32 = 0

  /// The number of entries.
  var count: Int { Int(entryCount) }

  init() {}

  /// Makes a table of entries in the layout that `append` writes.
  init(packed: [UInt8], count: Int) {
    bytes = packed
    entryCount = UInt32(count)
    if count > Self.slotThreshold { rebuildSlots() }
  }

  // MARK: Entries, by their position, which holds until the next insertion or removal

  func kind(at position: Int) -> Kind { Kind(rawValue: bytes[position + 2])! }

  /// Returns the number of an entry. For a file, it is the inode, or 0 if that is unknown. For a directory, it is the
  /// index of its node among its siblings, or `noChild` if it is not watched.
  func number(at position: Int) -> UInt64 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position + 3, as: UInt64.self) }
  }

  mutating func setNumber(_ number: UInt64, at position: Int) {
    bytes.withUnsafeMutableBytes { $0.storeBytes(of: number, toByteOffset: position + 3, as: UInt64.self) }
  }

  func name(at position: Int) -> [UInt8] {
    let start = position + Self.headerSize
    return Array(bytes[start..<start + length(at: position)])
  }

  private func length(at position: Int) -> Int { Int(bytes[position]) | Int(bytes[position + 1]) << 8 }

  /// Returns the position of the first entry at or after `position`, or nil.
  func entry(from position: Int) -> Int? {
    var position = position
    while position < bytes.count {
      if bytes[position + 2] != Kind.hole.rawValue { return position }
      position = end(of: position)
    }
    return nil
  }

  /// Returns the end of the entry at `position`, which is the beginning of the next one.
  func end(of position: Int) -> Int { position + Self.headerSize + length(at: position) }

  // MARK: By name

  func find(_ name: NameBytes) -> Int? {
    if count == 0 { return nil }
    if slots.isEmpty {
      var position = 0
      while let found = entry(from: position) {
        if matches(name, at: found) { return found }
        position = end(of: found)
      }
      return nil
    }
    var slot = Self.hash(name) & (slots.count - 1)
    while slots[slot] != 0 {
      let position = Int(slots[slot] - 1)
      if bytes[position + 2] != Kind.hole.rawValue, matches(name, at: position) { return position }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds an entry. The table must not contain the name yet.
  mutating func insert(_ name: NameBytes, _ kind: Kind, _ number: UInt64) {
    let position = bytes.count
    Self.append(name, kind, number, to: &bytes)
    entryCount += 1
    if !slots.isEmpty, (Int(usedSlots) + 1) * 4 <= slots.count * 3 {
      addSlot(position)
    } else if !slots.isEmpty || count > Self.slotThreshold {
      rebuildSlots()
    }
  }

  mutating func remove(at position: Int) {
    // The hole keeps its name, so that probing continues past its slot.
    bytes[position + 2] = Kind.hole.rawValue
    entryCount -= 1
    holeBytes += UInt32(end(of: position) - position)
    if count == 0 {
      self = NameTable()
    } else if holeBytes > 512, Int(holeBytes) * 2 > bytes.count {
      compact()
    }
  }

  static func append(_ name: NameBytes, _ kind: Kind, _ number: UInt64, to bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: name.count))
    bytes.append(UInt8(truncatingIfNeeded: name.count >> 8))
    bytes.append(kind.rawValue)
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: name)
  }

  // MARK: Inside

  private func matches(_ name: NameBytes, at position: Int) -> Bool {
    guard length(at: position) == name.count else { return false }
    return bytes.withUnsafeBufferPointer {
      memcmp($0.baseAddress! + position + Self.headerSize, name.baseAddress!, name.count) == 0
    }
  }

  /// Seeded, because the creators of files choose their names.
  private static func hash(_ name: NameBytes) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(name))
    return hasher.finalize()
  }

  private mutating func addSlot(_ position: Int) {
    let hash = bytes.withUnsafeBufferPointer {
      Self.hash(NameBytes(rebasing: $0[position + Self.headerSize..<end(of: position)]))
    }
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(position + 1)
    usedSlots += 1
  }

  private mutating func rebuildSlots() {
    var size = 32
    while size < count * 2 { size *= 2 }
    slots = Array(repeating: 0, count: size)
    usedSlots = 0
    var position = 0
    while let found = entry(from: position) {
      addSlot(found)
      position = end(of: found)
    }
  }

  private mutating func compact() {
    var packed: [UInt8] = []
    packed.reserveCapacity(bytes.count - Int(holeBytes))
    var position = 0
    while let found = entry(from: position) {
      position = end(of: found)
      packed.append(contentsOf: bytes[found..<position])
    }
    bytes = packed
    holeBytes = 0
    slots = []
    if count > Self.slotThreshold { rebuildSlots() }
  }
}

extension NameTable {
  /// The number of a directory without a node: it is ignored, cannot be read, or is not walked.
  static let noChild = UInt64.max

  /// Copies of all names, so that the table may change during an iteration.
  var names: [[UInt8]] {
    var result: [[UInt8]] = []
    result.reserveCapacity(count)
    var position = 0
    while let found = entry(from: position) {
      result.append(name(at: found))
      position = end(of: found)
    }
    return result
  }
}
