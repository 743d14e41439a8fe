internal import Streams

/// What all slots have in common, whatever their types are: a place for one requirement of a delegate protocol.
///
/// `ProtocolProxy.slots` lists those of a proxy.
public class AnyProxySlot {
  @inlinable static var handlerBit: UInt8 { 1 }
  @inlinable static var willBit: UInt8 { 2 }
  @inlinable static var didBit: UInt8 { 4 }
  @inlinable static var resultBit: UInt8 { 8 }
  @inlinable static var outcomeBit: UInt8 { 16 }
  /// `policy` is not the default.
  @inlinable static var policyBit: UInt8 { 32 }
  /// Somebody wants to hear the arguments.
  @inlinable static var argumentBits: UInt8 { willBit | didBit }
  /// Somebody wants to hear of a call after it.
  @inlinable static var afterBits: UInt8 { didBit | resultBit | outcomeBit }
  @inlinable static var moreBits: UInt8 { resultBit | outcomeBit }
  @inlinable static var answeringBits: UInt8 { handlerBit | policyBit }

  /// What a call has to look at: a handler, and the streams that somebody observes. 0 most of the time.
  @exclusivity(unchecked) @usableFromInline final var activity: UInt8 = 0
  /// How often its streams are observed.
  public internal(set) final var observerCount = 0
  /// The proxy. Weak, because a slot may be kept longer.
  final weak var host: (any SlotHost)?
  /// `finish()` has been called.
  final var isFinished = false
  /// What the slot is called in messages: the name of the property that holds it.
  public internal(set) final var name = ""

  @usableFromInline
  init() {}

  /// Whether anybody would hear a call: a handler, a forwardee, or an observer. A table of C functions has NULL where it is
  /// false.
  public final var isImplemented: Bool { isBusy || host?.hasForwardee == true }

  /// Whether a handler is in place.
  @inlinable
  public final var hasHandler: Bool { activity & Self.handlerBit != 0 }

  /// The policy has a value for a call that no forwardee answers.
  var hasFallback: Bool { false }

  /// A handler or an observer.
  final var isBusy: Bool { activity & ~Self.policyBit != 0 }

  /// Lets go of the handler and completes the streams. At home.
  func finish() {}

  /// Completes the streams, each at its home: the proxy has gone, on whatever thread.
  func finishAtHome() {}

  /// Changes `activity` and tells the proxy when that makes a difference to `isImplemented`.
  final func set(_ bit: UInt8, _ isOn: Bool) {
    let before = isBusy
    activity = isOn ? activity | bit : activity & ~bit
    if before != isBusy { host?.slotDidChange(self) }
  }
}

extension AnyProxySlot: SlotMember {
  final func memberSlots(named name: String) -> [AnyProxySlot] {
    self.name = name
    return [self]
  }
}

@available(*, unavailable)
extension AnyProxySlot: Sendable {}

/// What a slot knows of its proxy.
protocol SlotHost: AnyObject {
  /// The places of all handlers.
  var places: DisposeBag { get }
  var hasForwardee: Bool { get }
  func slotDidChange(_ slot: AnyProxySlot)
}
