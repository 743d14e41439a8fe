public import Streams

// The elements that a call sends to the observers of its slot.
extension ObservedSlot {
  @inlinable
  final func sendBefore(_ arguments: Arguments) { Self.send(arguments, will) }

  @inlinable
  final func sendAfter(_ arguments: Arguments) { Self.send(arguments, did) }

  @inlinable
  final func sendResult(_ arguments: Arguments, _ output: Output) {
    if activity & Self.resultBit != 0 { Self.send((arguments, output), returned) }
    if activity & Self.outcomeBit != 0 { Self.send((arguments, .success(output)), ended) }
  }

  @inlinable
  final func sendFailure(_ arguments: Arguments, _ error: Failure) {
    if activity & Self.outcomeBit != 0 { Self.send((arguments, .failure(error)), ended) }
  }

  @inlinable @inline(__always)
  static func send<Element>(_ element: Element, _ push: Unmanaged<PushStream<Element>>?) {
    push?._withUnsafeGuaranteedRef { $0.next(element) }
  }
}
