public import CStreams
internal import Streams

extension ProtocolProxy {
  /// Sends a call through its slot. Call this in the implementation of a requirement.
  ///
  /// ```swift
  /// func downloader(_ d: Downloader, shouldRetry attempt: Int) -> Bool {
  ///   call(shouldRetry, (d, attempt)) { $0.downloader(d, shouldRetry: attempt) }
  /// }
  /// ```
  ///
  /// `forward` makes the same call on a forwardee. Traps if the method has a result and neither a handler nor a forwardee
  /// answers it. Pass `default` for a requirement that may have neither.
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

  /// Sends a call through its slot, with a default for a requirement that may have neither a handler nor a forwardee.
  ///
  /// `default` is evaluated only if neither a handler nor a forwardee answers. If the protocol has an extension with an
  /// implementation, call it in `default`.
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
    #if Tracing
    if Trace.isOn { return try sendRecorded(slot, arguments(), forward: forward, otherwise: otherwise) }
    #endif
    return try sendNow(slot, arguments(), forward: forward, otherwise: otherwise)
  }

  #if Tracing
  /// Sends a call, and records it and who answered it.
  @inlinable
  final func sendRecorded<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: @autoclosure () -> Arguments,
    forward: (Delegate) throws(Failure) -> Output, otherwise: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    Trace.begin("proxy", slot.name)
    var answer = slot.hasHandler ? "handler" : "nobody"
    defer { Trace.end(["answered by": .text(answer)]) }
    return try sendNow(
      slot, arguments(),
      forward: { (delegate) throws(Failure) in
        answer = "\(answer == "handler" ? "handler and " : "")\(type(of: delegate as Any))"
        return try forward(delegate)
      },
      otherwise: { () throws(Failure) in
        answer = "default"
        return try otherwise()
      })
  }
  #endif

  @inlinable @inline(__always)
  final func sendNow<Failure: Error, Output, Arguments>(
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

  /// Sends a call whose arguments are observed and that has no handler. Apart from the other cases because it is the usual one.
  @inlinable @inline(__always)
  final func sendListened<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) throws(Failure) -> Output, otherwise: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if slot.activity & AnyProxySlot.willBit != 0 {
      slot.sendBefore(arguments)
      // An observer may have added a handler for this call.
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

  /// Sends a call that has a handler or observers of its result.
  @inlinable
  final func sendObserved<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) throws(Failure) -> Output, otherwise: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if slot.activity & AnyProxySlot.willBit != 0 { slot.sendBefore(arguments) }
    return try sendAnswered(slot, arguments, forward: forward, otherwise: otherwise)
  }

  /// Answers a call after the observers of `willInvoke` were notified, and notifies the others.
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

  /// Answers a call for which an observer has just added a handler. Not inlinable, for the reason of `forwardingToAll`.
  @usableFromInline
  final func sendLate<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (Delegate) throws(Failure) -> Output, otherwise: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    try sendAnswered(slot, arguments, forward: forward, otherwise: otherwise)
  }

  /// Returns the result of the handler or the forwardees, or nil if there is neither. A method without a result calls all.
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

  /// Returns the result of the forwardees, or nil if none is alive.
  @inlinable @inline(__always)
  final func forwarding<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output? {
    if route > 1 { return try forwardingToAll(slot, forward) }
    // The forwardee is not retained, because its delegate is. The call may replace the forwardee.
    guard let delegate = first.unsafelyUnwrapped._withUnsafeGuaranteedRef({ $0.current }) else {
      return try forwardingOnward(slot, forward)
    }
    return try forward(delegate)
  }

  /// Calls what is behind a proxy that left a `DelegateChain` after this one had left it, and that has been deallocated.
  @usableFromInline @inline(never)
  final func forwardingOnward<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output? {
    if forwardees.first?.successors == nil { return nil }
    _ = currentForwardees
    return route == 0 ? nil : try forwarding(slot, forward)
  }

  /// Not inlinable, because the optimizer retains the captures of a closure that it sees used twice, also in the usual case.
  @usableFromInline
  final func forwardingToAll<Failure: Error, Output, Arguments>(
    _ slot: TupleSlot<Failure, Output, Arguments>, _ forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output? {
    // A copy, because the calls may change the forwardees.
    let all = currentForwardees
    let isVoid = Output.self == Void.self
    let isReversed = !isVoid && slot.forwardeeRule.isLast
    var answer: Output?
    var step = 0
    while step < all.count {
      let forwardee = all[isReversed ? all.count - 1 - step : step]
      step += 1
      guard !forwardee.isRemoved, let delegate = forwardee.current, isVoid || Self.answers(delegate, slot.name) else {
        continue
      }
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

  /// Returns whether a forwardee answers the requirement of this slot. Only a proxy may not: one that has neither a handler
  /// nor a forwardee.
  static func answers(_ delegate: Delegate, _ name: String) -> Bool {
    guard let proxy = delegate as? ProtocolProxy<Delegate>, let slot = proxy.slots.first(where: { $0.name == name })
    else { return true }
    if slot.hasHandler || slot.hasFallback { return true }
    return proxy.allForwardees.contains { answers($0, name) }
  }

  /// Traps because handlers, observers, and forwardees would run on a wrong thread.
  @usableFromInline @inline(never)
  final func calledOutside(of domain: UInt, _ slot: AnyProxySlot, isAsync: Bool = false) {
    if HomeThread.hasClosed(domain) { return }
    let pool =
      isAsync
      ? """
       A nonisolated asynchronous requirement runs in Swift's pool, unless the module has NonisolatedNonsendingByDefault: \
      isolate the requirement or the protocol.
      """ : ""
    misuse(
      """
      \(slot.name) was called on a thread other than the one on which its proxy is observed, answered, or forwarded. Call \
      the delegate on that thread: isolate the owner or its method, for example with @MainActor, or use Queue.async.\(pool) \
      Otherwise use a SendableProxy with Forwarding<any D & Sendable> for the delegate protocol D, or write a delegate that \
      sends to an Inlet.
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
