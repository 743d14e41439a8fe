import CUV

/// The read buffer of a loop: one slab of memory for all its sockets and pipes.
///
/// A read gets the memory after the last read. If no slice of the last read is retained, the next read begins at the
/// start of the slab again. Idle connections therefore have no buffer, and reading without retaining allocates nothing.
/// Retained slices retain their slab. Such slabs are checked for reuse before a new one is made.
final class ReadSlabs {
  /// The size of a slab, and the most that one read delivers.
  static let size = 65_536
  /// The least room for a read. Less is not worth a system call.
  static let least = 8_192
  /// The most full slabs with retained slices that are kept for reuse.
  static let most = 8

  @exclusivity(unchecked) private var slab = ByteStorage.make(0)
  /// The size of `slab`; 0 until the first read.
  @exclusivity(unchecked) private var end = 0
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var retired: [ByteStorage] = []

  /// Returns memory for one read. The next call returns the same memory unless `deliver` is called in between.
  @inline(__always)
  func room() -> uv_buf_t {
    if end - used < ReadSlabs.least { replace() }
    return uv_buf_t(base: (slab.memory + used).assumingMemoryBound(to: CChar.self), len: end - used)
  }

  /// Passes the first `count` bytes of `room()` to `body`, which may retain them.
  @inline(__always)
  func deliver(_ count: Int, _ body: (Bytes) -> Void) {
    lend(count, body)
    reclaim()
  }

  // Out of line, so that the value made for `body` has been released when it returns.
  @inline(never)
  private func lend(_ count: Int, _ body: (Bytes) -> Void) {
    let bytes = Bytes(slab, offset: used, count: count)
    used += count
    body(bytes)
  }

  /// Starts at the beginning of the slab again if no slice of it is retained.
  func reclaim() {
    if isKnownUniquelyReferenced(&slab) {
      headwater_acquire_fence()
      used = 0
    }
  }

  @inline(never)
  private func replace() {
    reclaim()
    if used == 0, end > 0 { return }
    used = 0
    for index in retired.indices where isKnownUniquelyReferenced(&retired[index]) {
      headwater_acquire_fence()
      swap(&slab, &retired[index])
      return
    }
    // All slabs are full of retained slices: the oldest is given up. The empty first slab does not count.
    if retired.count == ReadSlabs.most { retired.removeFirst() }
    if end > 0 { retired.append(slab) }
    slab = ByteStorage.make(ReadSlabs.size)
    end = ReadSlabs.size
  }

  /// The number of slabs, for tests.
  var count: Int { 1 + retired.count }
}
