public import CStreams
internal import Streams

extension ProtocolProxy {
  /// What the implementation of a requirement does: it sends the call through its slot.
  ///
  /// ```swift
  /// func downloader(_ d: Downloader, shouldRetry attempt: Int) -> Bool {
  ///   call(shouldRetry, (d, attempt)) { $0.downloader(d, shouldRetry: attempt) }
  /// }
  /// ```
  ///
  /// `forward` makes the same call on a forwardee. Where nobody answers a method with a result, the program stops with a
  /// sentence that names the method; give a `default` to a requirement that may remain unanswered.
  @inlinable @inline(__always)
  public final func call<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: @autoclosure () -> Arguments,
    function: StaticString = #function, forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    try send(slot, arguments(), forward: forward) { () throws(Failure) -> Output in
      if Output.self == Void.self { return unsafeBitCast((), to: Output.self) }
      unanswered(function)
    }
  }

  /// The same for a requirement that may remain unanswered: `default` is what it does and returns then. It is evaluated only
  /// then, and is the place for what a protocol extension does by default.
  ///
  /// ```swift
  /// func downloader(_ d: Downloader, shouldRetry attempt: Int) -> Bool {
  ///   call(shouldRetry, (d, attempt), default: false) { $0.downloader(d, shouldRetry: attempt) }
  /// }
  /// ```
  @inlinable @inline(__always)
  public final func call<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: @autoclosure () -> Arguments,
    default answer: @autoclosure () throws(Failure) -> Output, forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    try send(slot, arguments(), forward: forward, otherwise: answer)
  }

  @inlinable @inline(__always)
  final func send<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: @autoclosure () -> Arguments,
    forward: (Delegate) throws(Failure) -> Output, otherwise: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if slot.activity | route == 0 { return try otherwise() }
    if headwater_is_outside(domain) { calledOutside(of: domain, slot) }
    if slot.activity == 0 {
      if let output = try forwarding(slot, forward) { return output }
      return try otherwise()
    }
    if slot.activity & ~AnyProxySlot.argumentBits == 0 {
      return try sendListened(slot, arguments(), forward: forward, otherwise: otherwise)
    }
    return try sendObserved(slot, arguments(), forward: forward, otherwise: otherwise)
  }

  /// A call whose arguments somebody observes, and that has no handler: the usual case, which is not to pay for the others.
  @inlinable @inline(__always)
  final func sendListened<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) throws(Failure) -> Output, otherwise: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if slot.activity & AnyProxySlot.willBit != 0 {
      slot.sendBefore(arguments)
      // Who has heard of the call may have put a handler in place for it.
      if slot.activity & AnyProxySlot.handlerBit != 0 {
        return try sendLate(slot, arguments, forward: forward, otherwise: otherwise)
      }
    }
    do throws(Failure) {
      var output = route == 0 ? nil : try forwarding(slot, forward)
      if output == nil { output = try otherwise() }
      if slot.activity & AnyProxySlot.didBit != 0 { slot.sendAfter(arguments) }
      return output.unsafelyUnwrapped
    } catch {
      slot.sendAfter(arguments)
      throw error
    }
  }

  /// A call with a handler, or with somebody who observes it.
  @inlinable
  final func sendObserved<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) throws(Failure) -> Output, otherwise: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if slot.activity & AnyProxySlot.willBit != 0 { slot.sendBefore(arguments) }
    return try sendAnswered(slot, arguments, forward: forward, otherwise: otherwise)
  }

  /// What is left of it when those who hear of it before have heard.
  @inlinable @inline(__always)
  final func sendAnswered<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) throws(Failure) -> Output, otherwise: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    do throws(Failure) {
      var output = try answering(slot, arguments, forward: forward)
      if output == nil { output = try otherwise() }
      if slot.activity & AnyProxySlot.afterBits != 0 {
        if slot.activity & AnyProxySlot.moreBits != 0 {
          slot.sendResult(arguments, output.unsafelyUnwrapped)
        }
        if slot.activity & AnyProxySlot.didBit != 0 { slot.sendAfter(arguments) }
      }
      return output.unsafelyUnwrapped
    } catch {
      slot.sendFailure(arguments, error)
      slot.sendAfter(arguments)
      throw error
    }
  }

  /// The same, where a handler has come late. Not inlinable, as `forwardingToAll`.
  @usableFromInline
  final func sendLate<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) throws(Failure) -> Output, otherwise: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    try sendAnswered(slot, arguments, forward: forward, otherwise: otherwise)
  }

  /// The answer of the handler or the forwardees; nil where there is neither. A method without a result goes to all.
  @inlinable @inline(__always)
  final func answering<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output? {
    if slot.activity & AnyProxySlot.answeringBits != 0 {
      if Output.self == Void.self {
        let answer = try slot.handler?.call(arguments)
        return route == 0 ? answer : try forwarding(slot, forward) ?? answer
      }
      if slot.activity & AnyProxySlot.policyBit != 0 {
        if route != 0, let output = try forwarding(slot, forward) { return output }
        if let output = slot.policy.fallback { return output }
      }
      if let handler = slot.handler { return try handler.call(arguments) }
    }
    return route == 0 ? nil : try forwarding(slot, forward)
  }

  /// The answer of the forwardees; nil where there is none, or none any more.
  @inlinable @inline(__always)
  final func forwarding<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output? {
    if route > 1 { return try forwardingToAll(slot, forward) }
    // Not retained: the delegate is, and what is called may replace the forwardee.
    guard let delegate = first.unsafelyUnwrapped._withUnsafeGuaranteedRef({ $0.current }) else { return nil }
    return try forward(delegate)
  }

  /// Not inlinable: where the optimiser sees the closure used twice it retains what that captures for the usual case, too.
  @usableFromInline
  final func forwardingToAll<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output? {
    // Kept: what is called may change them.
    let all = forwardees
    let isVoid = Output.self == Void.self
    let isReversed = !isVoid && slot.forwardeeRule.isLast
    var answer: Output?
    var step = 0
    while step < all.count {
      let delegate = all[isReversed ? all.count - 1 - step : step].current
      step += 1
      guard let delegate, isVoid || Self.answers(delegate, slot.name) else { continue }
      let next = try forward(delegate)
      if isVoid {
        answer = next
      } else if case .combine(let combine) = slot.forwardeeRule {
        answer = answer.map { combine($0, next) } ?? next
      } else {
        return next
      }
    }
    return answer
  }

  /// Whether a forwardee would answer the requirement with this slot. Only another proxy may be there without doing so: one that
  /// merely observes, with nobody behind it.
  static func answers(_ delegate: Delegate, _ name: String) -> Bool {
    guard let proxy = delegate as? ProtocolProxy<Delegate>, let slot = proxy.slots.first(where: { $0.name == name })
    else { return true }
    if slot.hasHandler || slot.hasFallback { return true }
    return proxy.forwardees.contains { forwardee in forwardee.current.map { answers($0, name) } ?? false }
  }

  /// Stops the program: handlers, observers, and forwardees would run on a thread that is not theirs.
  @usableFromInline @inline(never)
  final func calledOutside(of domain: UInt, _ slot: AnyProxySlot) {
    if HomeThread.hasClosed(domain) { return }
    misuse(
      """
      \(slot.name) was called on a thread other than the one on which its proxy is observed, answered, or forwarded. Call \
      the delegate on that thread: isolate the owner or its method, for example with @MainActor, or use Queue.async. \
      Otherwise use a SendableProxy, or write a delegate that sends to an Inlet.
      """)
  }

  @usableFromInline
  final func unanswered(_ function: StaticString) -> Never {
    misuse(
      """
      \(Swift.type(of: self)) has no handler, forwardee, or default for \(function). Give its slot a handler with \
      answer { … } or feed(…), set forwardTo, or give it a default: @Defaulted if an extension of the protocol implements \
      it, @Slot(default: …) for a value, call(…, default: …) in a proxy that is written by hand.
      """)
  }
}
