internal import Streams

extension ProtocolProxy {
  /// What the implementation of an asynchronous requirement does: it sends the call through its slot. See `call`.
  public final func call<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments, function: StaticString = #function,
    forward: (Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await send(slot, arguments, forward: forward) { () throws(Failure) -> Output in
      if Output.self == Void.self { return unsafeBitCast((), to: Output.self) }
      unanswered(function)
    }
  }

  /// The same for a requirement that may remain unanswered: `default` is what it does and returns then.
  public final func call<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    default answer: @autoclosure () async throws(Failure) -> Output,
    forward: (Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await send(slot, arguments, forward: forward, otherwise: answer)
  }

  private final func send<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) async throws(Failure) -> Output, otherwise: () async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    slot.sendBefore(arguments)
    do throws(Failure) {
      var output = try await answering(slot, arguments, forward: forward)
      if output == nil { output = try await otherwise() }
      slot.sendResult(arguments, output.unsafelyUnwrapped)
      slot.sendAfter(arguments)
      return output.unsafelyUnwrapped
    } catch {
      slot.sendFailure(arguments, error)
      slot.sendAfter(arguments)
      throw error
    }
  }

  private final func answering<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output? {
    if Output.self == Void.self {
      let answer = try await slot.handler?.call(arguments)
      return try await forwarding(slot, forward) ?? answer
    }
    if slot.activity & AnyProxySlot.policyBit != 0 {
      if let output = try await forwarding(slot, forward) { return output }
      if let output = slot.policy.fallback { return output }
    }
    if let handler = slot.handler { return try await handler.call(arguments) }
    return try await forwarding(slot, forward)
  }

  /// Forwardees are called one after the other: the next when the one before has returned.
  private final func forwarding<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ forward: (Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output? {
    var combined: Output?
    let isReversed = slot.forwardeeRule.isLast && Output.self != Void.self
    for forwardee in isReversed ? forwardees.reversed() : forwardees {
      guard let delegate = forwardee.current else { continue }
      let answer = try await forward(delegate)
      if Output.self == Void.self {
        combined = answer
      } else if case .combine(let combine) = slot.forwardeeRule {
        combined = combined.map { combine($0, answer) } ?? answer
      } else {
        return answer
      }
    }
    return combined
  }
}
