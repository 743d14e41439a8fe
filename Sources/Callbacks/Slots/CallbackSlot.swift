public import Synchronization

/// A place in the table that stands between C and the boxes: C holds its number and its generation, never an address.
///
/// The memory of a slot is never freed. Whatever C does with a context, the worst that can happen is that the generation
/// does not match.
@frozen @usableFromInline
struct CallbackSlot: ~Copyable {
  /// Owned by the slot from `CallbackSlots.add` until it is closed and nobody is in it.
  // First: to ThreadSanitizer, who changes it changes what has the address of the whole.
  @usableFromInline var box: Unmanaged<AnyCallbackBox>?
  /// The generation in the upper half; below it `closedBit`, `givenBackBit` and the number of calls that pin the box.
  @usableFromInline let word = Atomic<UInt>(1 << 32 | 1 << 31)
  /// The one thread that may call; 0 when any may.
  @usableFromInline let thread = Atomic<UInt>(0)
  /// The last generation that ended because its adapter was deallocated.
  let releasedGeneration = Atomic<UInt>(0)
  /// No call may begin any more.
  @usableFromInline static var closedBit: UInt { 1 << 31 }
  /// Closed by C, not by us.
  @usableFromInline static var givenBackBit: UInt { 1 << 30 }
  /// The number of calls that run now.
  @usableFromInline static var pinMask: UInt { givenBackBit - 1 }
  /// A slot that has had so many boxes is not used again: its numbers would repeat.
  @usableFromInline static var lastGeneration: UInt { UInt(UInt32.max) }

  @usableFromInline init() {}
}

/// What C gets as its `void *`: the index of a slot below, its generation above. Never null.
@frozen @usableFromInline
struct ContextID: Hashable, Sendable {
  @usableFromInline let bits: UInt

  @inlinable init(_ context: UnsafeMutableRawPointer?) { bits = UInt(bitPattern: context) }

  @usableFromInline init(index: Int, generation: UInt) { bits = generation << 32 | UInt(index) }

  @inlinable var index: Int { Int(bits & 0xffff_ffff) }

  /// The slot's word while this box is in it, open, and nobody has pinned it.
  @inlinable var openWord: UInt { (bits >> 32) << 32 }

  @usableFromInline var pointer: UnsafeMutableRawPointer {
    // The generation is at least 1.
    UnsafeMutableRawPointer(bitPattern: bits).unsafelyUnwrapped
  }
}
