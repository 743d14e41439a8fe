internal import Streams

/// A slot for one requirement of a delegate protocol, without its types.
///
/// `ProtocolProxy.slots` lists the slots of a proxy.
public class AnyProxySlot {
  @inlinable static var handlerBit: UInt8 { 1 }
  @inlinable static var willBit: UInt8 { 2 }
  @inlinable static var didBit: UInt8 { 4 }
  @inlinable static var resultBit: UInt8 { 8 }
  @inlinable static var outcomeBit: UInt8 { 16 }
  /// Set if `policy` is not the default.
  @inlinable static var policyBit: UInt8 { 32 }
  /// Set if an observer needs the arguments.
  @inlinable static var argumentBits: UInt8 { willBit | didBit }
  /// Set if an observer is notified after the call.
  @inlinable static var afterBits: UInt8 { didBit | resultBit | outcomeBit }
  @inlinable static var moreBits: UInt8 { resultBit | outcomeBit }
  @inlinable static var answeringBits: UInt8 { handlerBit | policyBit }

  /// The bits that a call checks: a handler, a policy, and streams with observers. Usually 0.
  @exclusivity(unchecked) @usableFromInline final var activity: UInt8 = 0
  /// The number of observers of the slot's streams.
  public internal(set) final var observerCount = 0
  /// The proxy. Weak, because a slot can outlive it.
  final weak var host: (any SlotHost)?
  /// True after `finish()`.
  final var isFinished = false
  /// The name of the property that holds the slot, for messages.
  public internal(set) final var name = ""

  @usableFromInline
  init() {}

  /// True if the slot has a handler, an observer, or a forwardee. In a table of C functions, pass NULL for a slot that is
  /// not implemented.
  public final var isImplemented: Bool { isBusy || host?.hasForwardee == true }

  /// True if the slot has a handler.
  @inlinable
  public final var hasHandler: Bool { activity & Self.handlerBit != 0 }

  /// True if the policy has a value for a call that no forwardee answers.
  var hasFallback: Bool { false }

  /// True if the slot has a handler or an observer.
  final var isBusy: Bool { activity & ~Self.policyBit != 0 }

  /// Releases the handler and completes the streams. Call it in the home domain.
  func finish() {}

  /// Completes the streams, each at its home, after the proxy is deallocated on any thread.
  func finishAtHome() {}

  /// Changes `activity`, and notifies the proxy if that changes `isImplemented`.
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

/// The part of a proxy that its slots use.
protocol SlotHost: AnyObject {
  /// The registrations of all handlers.
  var places: DisposeBag { get }
  var hasForwardee: Bool { get }
  func slotDidChange(_ slot: AnyProxySlot)
}
