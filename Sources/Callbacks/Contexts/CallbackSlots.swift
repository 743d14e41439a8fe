import Streams
public import Synchronization

/// The table of all boxes whose contexts C holds.
///
/// A lookup takes no lock: two loads and a comparison if one thread owns the box, and two atomic additions more if any thread
/// can call. Adding and freeing take a lock.
@usableFromInline
enum CallbackSlots {
  @usableFromInline static var chunkSize: Int { 1024 }
  @usableFromInline static var chunkCount: Int { 4096 }

  /// The addresses of the chunks of slots, or 0 for a chunk that is not allocated. Neither is ever freed.
  @usableFromInline nonisolated(unsafe) static let chunks: UnsafeMutablePointer<Atomic<UInt>> = {
    let chunks = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: chunkCount)
    for index in 0..<chunkCount { (chunks + index).initialize(to: Atomic(0)) }
    return chunks
  }()

  private struct Room {
    var free: [Int] = []
    var chunks = 0

    mutating func take() -> Int {
      if let index = free.popLast() { return index }
      guard chunks < chunkCount else {
        fatalError(
          """
          \(chunkCount * chunkSize) callbacks are registered at once. They are created faster than C releases \
          them, or C never releases them. Docs/Reference/CallbackAdapters.md lists the ends of life.
          """)
      }
      let chunk = UnsafeMutablePointer<CallbackSlot>.allocate(capacity: chunkSize)
      for index in 0..<chunkSize { (chunk + index).initialize(to: CallbackSlot()) }
      CallbackSlots.chunks[chunks].store(UInt(bitPattern: chunk), ordering: .releasing)
      let first = chunks * chunkSize
      chunks += 1
      free.append(contentsOf: (first + 1..<first + chunkSize).reversed())
      return first
    }
  }

  private static let room = Lock(Room())

  /// Returns the slot of a context, or nil if the index is outside the table.
  @inlinable @inline(__always)
  static func slot(_ id: ContextID) -> UnsafeMutablePointer<CallbackSlot>? {
    let index = id.index
    guard index < chunkCount &* chunkSize else { return nil }
    let chunk = UnsafeMutablePointer<CallbackSlot>(
      bitPattern: chunks[index / chunkSize].load(ordering: .acquiring))
    guard let chunk else { return nil }
    return chunk + index % chunkSize
  }

  /// Adds a box to the table, which then owns it, and returns its context.
  @usableFromInline
  static func add(_ box: AnyCallbackBox) -> ContextID {
    let index = room.withLock { $0.take() }
    let slot = slot(ContextID(index: index, generation: 0)).unsafelyUnwrapped
    slot.pass()
    slot.pointee.box = .passRetained(box)
    slot.pointee.thread.store(box.threads == .one ? currentThread() : 0, ordering: .relaxed)
    let word = slot.pointee.word.load(ordering: .acquiring)
    slot.pass()
    // Publishes the box to the threads that can call.
    slot.pointee.word.store((word >> 32) << 32, ordering: .releasing)
    return ContextID(index: index, generation: word >> 32)
  }

  /// Removes and releases the box of a closed slot that runs no call.
  static func free(_ slot: UnsafeMutablePointer<CallbackSlot>, _ id: ContextID) {
    slot.pass()
    let box = slot.pointee.box.take()
    let isGivenBack = slot.pointee.word.load(ordering: .acquiring) & CallbackSlot.givenBackBit != 0
    slot.pointee.thread.store(0, ordering: .relaxed)
    let generation = id.bits >> 32
    if generation < CallbackSlot.lastGeneration {
      slot.pass()
      // The slot stays closed until it gets its next box.
      slot.pointee.word.store((generation + 1) << 32 | CallbackSlot.closedBit, ordering: .releasing)
      room.withLock { $0.free.append(id.index) }
    }
    // Last, and outside the lock, because the release can run any code.
    guard let box = box?.takeRetainedValue() else { return }
    if isGivenBack { box.onEnd?() }
  }
}
