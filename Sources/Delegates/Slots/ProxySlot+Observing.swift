public import Streams

// What a call sends to those who observe. Tuples instead of packs: these are compiled once for each type.
extension ProxySlot {
  @inlinable
  func sendBefore(_ arguments: (repeat each Argument)) { Self.send(arguments, will) }

  @inlinable
  func sendAfter(_ arguments: (repeat each Argument)) { Self.send(arguments, did) }

  @inlinable
  func sendOutcome(
    _ result: (repeat each Argument, Output), _ outcome: (repeat each Argument, Result<Output, Failure>)
  ) {
    if activity & Self.resultBit != 0 { Self.send(result, returned) }
    if activity & Self.outcomeBit != 0 { Self.send(outcome, ended) }
  }

  @inlinable
  func sendFailure(_ outcome: (repeat each Argument, Result<Output, Failure>)) {
    if activity & Self.outcomeBit != 0 { Self.send(outcome, ended) }
  }

  @inlinable @inline(__always)
  static func send<Element>(_ element: Element, _ push: Unmanaged<PushStream<Element>>?) {
    push?._withUnsafeGuaranteedRef { $0.next(element) }
  }
}
