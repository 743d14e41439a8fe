internal import CStreams
internal import Streams

extension ProtocolProxy {
  /// Sends the call of an asynchronous requirement through its slot.
  ///
  /// ```swift
  /// func session(tokenFor user: String) async throws -> Token {
  ///   try await call(login, user) { try await $0.session(tokenFor: $1) }
  /// }
  /// ```
  ///
  /// `forward` makes the same call on a forwardee. It receives the forwardee and the arguments, which are one tuple if there
  /// are several. It runs on the executor of the method: the forwarded call stays on the executor of its caller.
  ///
  /// Traps if neither a handler nor a forwardee answers a method with a result. The message names the method.
  public final func call<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments, function: StaticString = #function,
    forward: (sending Delegate, sending Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await send(slot, arguments, forward: forward) { () throws(Failure) -> Output in
      if Output.self == Void.self { return unsafeBitCast((), to: Output.self) }
      unanswered(function)
    }
  }

  /// Sends the call of an asynchronous requirement through its slot. `forward` uses the arguments of the method itself.
  ///
  /// In a module without `NonisolatedNonsendingByDefault`, a `nonisolated` requirement with an argument that is not Sendable
  /// takes it from the closure's second parameter instead: `{ await $0.save($1) }`.
  public final func call<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments, function: StaticString = #function,
    forward: (sending Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await call(slot, arguments, function: function) { (delegate, _) throws(Failure) in try await forward(delegate) }
  }

  /// Sends the call of an asynchronous requirement that may remain unanswered through its slot. `default` is evaluated if
  /// neither a handler nor a forwardee answers.
  public final func call<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    default answer: @autoclosure () async throws(Failure) -> Output,
    forward: (sending Delegate, sending Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await send(slot, arguments, forward: forward, otherwise: answer)
  }

  /// Sends the call of an asynchronous requirement that may remain unanswered through its slot. `forward` uses the arguments
  /// of the method itself.
  public final func call<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    default answer: @autoclosure () async throws(Failure) -> Output,
    forward: (sending Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await call(slot, arguments, default: try await answer()) { (delegate, _) throws(Failure) in
      try await forward(delegate)
    }
  }

  /// Sends the call of an asynchronous requirement with a default in a protocol extension through its slot: `otherwise` calls
  /// the default. It receives the proxy as the protocol's type, and the arguments.
  public final func call<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    otherwise: (sending Delegate, sending Arguments) async throws(Failure) -> Output,
    forward: (sending Delegate, sending Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await send(slot, arguments, forward: forward) { () throws(Failure) in
      try await pass(asDelegate, arguments, to: otherwise)
    }
  }

  private final func send<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (sending Delegate, sending Arguments) async throws(Failure) -> Output,
    otherwise: () async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    if slot.activity | route != 0, headwater_is_outside(domain) { calledOutside(of: domain, slot, isAsync: true) }
    #if Tracing
    let wait = Trace.isOn ? Trace.beginWait("proxy", slot.name) : 0
    var answered = slot.handler != nil ? "handler" : "forwardee"
    defer { if wait != 0 { Trace.endWait("proxy", wait, ["answered by": .text(answered)]) } }
    #endif
    slot.sendBefore(arguments)
    do throws(Failure) {
      let output: Output
      if let answer = try await answering(slot, arguments, forward: forward) {
        output = answer
      } else {
        #if Tracing
        answered = "default"
        #endif
        output = try await otherwise()
      }
      slot.sendResult(arguments, output)
      slot.sendAfter(arguments)
      return output
    } catch {
      slot.sendFailure(arguments, error)
      slot.sendAfter(arguments)
      throw error
    }
  }

  private final func pass<Failure: Error, Output, Arguments>(
    _ delegate: Delegate, _ arguments: Arguments,
    to function: (sending Delegate, sending Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    // The function calls the requirement that the proxy's method implements, in the isolation of that method, which waits for it
    // and uses none of these values meanwhile.
    nonisolated(unsafe) let (delegate, arguments) = (delegate, arguments)
    return try await function(delegate, arguments)
  }

  private final func answering<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    forward: (sending Delegate, sending Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output? {
    if Output.self == Void.self {
      let answer = try await slot.handler?.call(arguments)
      return try await forwarding(slot, arguments, forward) ?? answer
    }
    if slot.activity & AnyProxySlot.policyBit != 0 {
      if let output = try await forwarding(slot, arguments, forward) { return output }
      if let output = slot.policy.fallback { return output }
    }
    if let handler = slot.handler { return try await handler.call(arguments) }
    return try await forwarding(slot, arguments, forward)
  }

  /// Forwardees are called one after the other: the next when the one before has returned.
  private final func forwarding<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    _ forward: (sending Delegate, sending Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output? {
    var combined: Output?
    let isReversed = slot.forwardeeRule.isLast && Output.self != Void.self
    let all = currentForwardees
    let isOnlyOne = all.count == 1
    for forwardee in isReversed ? all.reversed() : all {
      guard !forwardee.isRemoved, let delegate = forwardee.current,
        isOnlyOne || Output.self == Void.self || Self.answers(delegate, slot.name)
      else { continue }
      let answer = try await pass(delegate, arguments, to: forward)
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

// A property or subscript with `get async` that is `nonisolated` runs on the concurrent executor in a module without
// `NonisolatedNonsendingByDefault`. There the compiler lets only a function that runs on that executor read it of an object that
// is not Sendable.
extension ProtocolProxy {
  /// Sends a read of a `nonisolated` property or subscript with `get async` through its slot, in a module without
  /// `NonisolatedNonsendingByDefault`.
  ///
  /// ```swift
  /// var name: String {
  ///   get async { await callConcurrently(nameSlot, ()) { await $0.name } }
  /// }
  /// ```
  ///
  /// Write the closure as an argument, so that it runs on the executor of the getter. Methods, and properties of a
  /// global actor, use `call(_:_:forward:)`.
  public final func callConcurrently<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments, function: StaticString = #function,
    forward: @concurrent (Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await call(slot, arguments, function: function) { (delegate, _) throws(Failure) in
      try await read(delegate, forward)
    }
  }

  /// Sends a read of a `nonisolated` property or subscript with `get async` that may remain unanswered through its slot, in a
  /// module without `NonisolatedNonsendingByDefault`. `default` is evaluated if neither a handler nor a forwardee answers.
  public final func callConcurrently<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    default answer: @autoclosure () async throws(Failure) -> Output,
    forward: @concurrent (Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await call(slot, arguments, default: try await answer()) { (delegate, _) throws(Failure) in
      try await read(delegate, forward)
    }
  }

  /// Sends a read of a `nonisolated` property or subscript with `get async` and a default in a protocol extension through its
  /// slot, in a module without `NonisolatedNonsendingByDefault`. `otherwise` receives the proxy, and reads the default.
  public final func callConcurrently<Failure: Error, Output, Arguments>(
    _ slot: AsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    otherwise: @concurrent (Delegate) async throws(Failure) -> Output,
    forward: @concurrent (Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await call(
      slot, arguments, otherwise: { (delegate, _) throws(Failure) in try await read(delegate, otherwise) },
      forward: { (delegate, _) throws(Failure) in try await read(delegate, forward) })
  }

  private final func read<Failure: Error, Output>(
    _ delegate: Delegate, _ function: @concurrent (Delegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    // The function reads the requirement that the proxy's getter implements, in the isolation of that getter, which waits for it
    // and uses none of these values meanwhile.
    nonisolated(unsafe) let (delegate, function) = (delegate, function)
    return try await function(delegate)
  }
}
