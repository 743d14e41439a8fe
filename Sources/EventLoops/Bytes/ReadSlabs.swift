import CUV

/// Where a loop reads into: one slab of memory for all its sockets and pipes.
///
/// A read gets what is free behind the last one. Where nobody has kept what was read, the next read begins anew at the
/// start of the slab: connections that are idle have no buffer, and reading and letting go allocates nothing. What has been kept
/// keeps its slab; such slabs are looked at again before a new one is made.
final class ReadSlabs {
  /// The size of a slab, and the most that one read delivers.
  static let size = 65_536
  /// Less is not worth a read of its own.
  static let least = 8_192
  /// How many slabs, of which something was kept when they were full, are used again when it has gone.
  static let most = 8

  @exclusivity(unchecked) private var slab = ByteStorage.make(0)
  /// The size of `slab`: 0 until something is read.
  @exclusivity(unchecked) private var end = 0
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var retired: [ByteStorage] = []

  /// Memory for one read. The next call gives the same unless `take` comes between.
  @inline(__always)
  func room() -> uv_buf_t {
    if end - used < ReadSlabs.least { replace() }
    return uv_buf_t(base: (slab.memory + used).assumingMemoryBound(to: CChar.self), len: end - used)
  }

  /// The first `count` bytes of `room()` as bytes that may be kept, for the duration of `body` and longer.
  @inline(__always)
  func deliver(_ count: Int, _ body: (Bytes) -> Void) {
    lend(count, body)
    reclaim()
  }

  // Out of line: what it makes for `body` is gone when it returns.
  @inline(never)
  private func lend(_ count: Int, _ body: (Bytes) -> Void) {
    let bytes = Bytes(slab, offset: used, count: count)
    used += count
    body(bytes)
  }

  /// Where nobody has kept anything: from the start.
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
    // Full of what somebody keeps: the oldest is theirs now. The very first slab is none: a loop that reads nothing has none.
    if retired.count == ReadSlabs.most { retired.removeFirst() }
    if end > 0 { retired.append(slab) }
    slab = ByteStorage.make(ReadSlabs.size)
    end = ReadSlabs.size
  }

  /// How many slabs are held, for tests.
  var count: Int { 1 + retired.count }
}
