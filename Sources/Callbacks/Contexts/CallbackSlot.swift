public import Synchronization

#if DEBUG
public import CStreams
#endif

/// An entry of the table that maps contexts to boxes. C holds its index and generation, never an address.
///
/// The memory of a slot is never freed, so a context that has ended is found by its generation.
@frozen @usableFromInline
struct CallbackSlot: ~Copyable {
  /// Owned by the slot from `CallbackSlots.add` until the slot is closed and no call is running.
  // The first property, because ThreadSanitizer takes a change of it for a change of the whole slot.
  @usableFromInline var box: Unmanaged<AnyCallbackBox>?
  /// The generation in the upper half; below it `closedBit`, `givenBackBit`, and the number of calls that pin the box.
  @usableFromInline let word = Atomic<UInt>(1 << 32 | 1 << 31)
  /// The one thread that can call, or 0 if any thread can.
  @usableFromInline let thread = Atomic<UInt>(0)
  /// The latest generation that ended because its adapter was deallocated.
  let releasedGeneration = Atomic<UInt>(0)
  /// Set if no call can begin.
  @usableFromInline static var closedBit: UInt { 1 << 31 }
  /// Set if C gave the context back.
  @usableFromInline static var givenBackBit: UInt { 1 << 30 }
  /// The bits that count the running calls.
  @usableFromInline static var pinMask: UInt { givenBackBit - 1 }
  /// The last generation. The slot is not used again after it, because its generations would repeat.
  @usableFromInline static var lastGeneration: UInt { UInt(UInt32.max) }

  @usableFromInline init() {}
}

/// The `void *` of C: the generation of a slot in the upper half, its index in the lower half. Never null.
@frozen @usableFromInline
struct ContextID: Hashable, Sendable {
  @usableFromInline let bits: UInt

  @inlinable init(_ context: UnsafeMutableRawPointer?) { bits = UInt(bitPattern: context) }

  @usableFromInline init(index: Int, generation: UInt) { bits = generation << 32 | UInt(index) }

  @inlinable var index: Int { Int(bits & 0xffff_ffff) }

  /// The slot's word while it has this generation, is open, and runs no call.
  @inlinable var openWord: UInt { (bits >> 32) << 32 }

  @usableFromInline var pointer: UnsafeMutableRawPointer {
    // The generation is at least 1.
    UnsafeMutableRawPointer(bitPattern: bits).unsafelyUnwrapped
  }
}

extension UnsafeMutablePointer<CallbackSlot> {
  /// Lets other threads run before an access to the slot, if a test tries all orders.
  @inlinable @inline(__always)
  func pass() {
    #if DEBUG
    headwater_pass(self, HEADWATER_ACCESSES)
    #endif
  }
}
