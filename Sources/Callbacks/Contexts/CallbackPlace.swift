public import Synchronization

#if DEBUG
public import CStreams
#endif

/// A place for one callback of C at a time: of a function that takes a callback without a context, or whose next callback
/// replaces the one before.
///
/// ```swift
/// let place = CallbackPlace()
///
/// place.claim(callback.context)
/// set_log { level in RepeatingCallback<Int32, Void>.call(place.context, level) }
/// …
/// if place.release(callback.context) { set_log(nil) }
/// ```
///
/// The callback that another one replaces has ended: it is not called any more, and its `onEnd` runs, for example to complete
/// a stream. Any thread may use a place, which has one word and no lock.
public final class CallbackPlace: Sendable {
  @usableFromInline let bits = Atomic<UInt>(0)

  /// Creates an empty place.
  public init() {}

  /// The context of the callback that is there. Nil if there is none. Costs one atomic load.
  @inlinable
  public var context: UnsafeMutableRawPointer? {
    pass()
    return UnsafeMutableRawPointer(bitPattern: bits.load(ordering: .acquiring))
  }

  /// Puts a callback there, and ends the one that it replaces.
  public func claim(_ context: UnsafeMutableRawPointer) {
    pass()
    let replaced = bits.exchange(UInt(bitPattern: context), ordering: .acquiringAndReleasing)
    if replaced != UInt(bitPattern: context) { CallbackSlots.giveBack(UnsafeMutableRawPointer(bitPattern: replaced)) }
  }

  /// Removes a callback. Returns false, and does nothing, if another one has replaced it.
  @discardableResult
  public func release(_ context: UnsafeMutableRawPointer) -> Bool {
    pass()
    return bits.compareExchange(expected: UInt(bitPattern: context), desired: 0, ordering: .acquiringAndReleasing)
      .exchanged
  }

  /// Lets other threads run before an access, if a test tries all orders.
  @inlinable @inline(__always)
  func pass() {
    #if DEBUG
    headwater_pass(Unmanaged.passUnretained(self).toOpaque(), HEADWATER_ACCESSES)
    #endif
  }
}
