/// What all adapters have in common: the pointer for C, and the two ways in which C is done with it before its time.
///
/// `Operation.registering` makes a stream of any of them.
public protocol CallbackAdapter: AnyObject {
  /// The `void *` to hand to C. It is a number with a generation, not an address: whatever C does with it, an ended
  /// callback is not found.
  var context: UnsafeMutableRawPointer { get }

  /// True once no call can come any more: it has been cancelled or given back, or the one call has begun.
  var isEnded: Bool { get }

  /// The registration has failed: the box is taken back, unless the library has destroyed it by itself. True when it was
  /// there to be taken back.
  @discardableResult
  func disarm() -> Bool

  /// The function that unregisters has returned. A callback that is mine until then ends; one that is C's stays until C
  /// gives it back.
  func didUnregister()
}
