public import Streams

extension ProxySlot {
  /// Tells those who observe before and after `body`, which does the work.
  @inlinable
  func observing(
    _ argument: repeat each Argument, body: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if activity & Self.willBit != 0 { will?.next((repeat each argument)) }
    do throws(Failure) {
      let output = try body()
      if activity & Self.afterBits != 0 {
        if activity & Self.resultBit != 0 { returned?.next((repeat each argument, output)) }
        if activity & Self.outcomeBit != 0 { ended?.next((repeat each argument, .success(output))) }
        if activity & Self.didBit != 0 { did?.next((repeat each argument)) }
      }
      return output
    } catch {
      if activity & Self.outcomeBit != 0 { ended?.next((repeat each argument, .failure(error))) }
      if activity & Self.didBit != 0 { did?.next((repeat each argument)) }
      throw error
    }
  }
}
