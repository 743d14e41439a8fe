internal import Streams

/// A proxy for a delegate protocol that inherits from `Sendable`, whose methods are called on any thread.
///
/// ```swift
/// nonisolated final class TransferDelegateProxy: SendableProxy, TransferDelegate {
///   let forwarding = Forwarding<any TransferDelegate>()
///
///   let didReceive = SendableProxyMethod<Void, Int>()
///   func transfer(didReceive bytes: Int) { call(didReceive, bytes) { $0.transfer(didReceive: bytes) } }
///
///   let shouldRetry = SendableProxyMethod<Bool, Int>()
///   func transfer(shouldRetry attempt: Int) -> Bool { call(shouldRetry, attempt) { $0.transfer(shouldRetry: attempt) } }
/// }
/// ```
///
/// It is a protocol and not a superclass, because a class can be `Sendable` only if it is final, has no superclass, and stores
/// only constants.
///
/// - Observe `stream(capacity:whenFull:)` of a slot for the arguments of each call, delivered in the home domain through a
///   bounded `Inlet`.
/// - A `@Sendable` handler or a forwardee answers a method with a result, on the thread of its caller.
/// - When the proxy is deallocated, the streams of its slots complete, each at its home.
public protocol SendableProxy<ForwardedDelegate>: AnyObject, Sendable {
  /// The delegate protocol: `any TransferDelegate`.
  associatedtype ForwardedDelegate: Sendable

  /// The forwardees.
  var forwarding: Forwarding<ForwardedDelegate> { get }
}

extension SendableProxy {
  /// The delegate that receives the calls of this proxy on the caller's thread, held weakly.
  ///
  /// Setting it replaces all forwardees; nil removes them. Set it on any thread. Calls that have begun continue.
  public var forwardTo: ForwardedDelegate? {
    get { forwarding.first }
    set { setForwardee(newValue) }
  }

  /// Replaces all forwardees with `delegate`, and retains it if `retaining` is true. Nil removes all forwardees.
  public func setForwardee(_ delegate: ForwardedDelegate?, retaining: Bool = false) {
    forwarding.replace(with: delegate.map { [Forwardee($0, retaining: retaining)] } ?? [], in: self)
  }

  /// Adds a forwardee. Each forwardee receives every call without a result; the first one that is not deallocated answers
  /// calls with a result. Disposing the result removes this forwardee.
  @discardableResult
  public func addForwardee(_ delegate: ForwardedDelegate, retaining: Bool = false) -> any Disposable {
    forwarding.add(Forwardee(delegate, retaining: retaining), to: self)
  }

  /// Sends a call through its slot, on any thread. Call this in the implementation of a requirement.
  ///
  /// The call notifies in this order: the observers of the slot, the handler, the forwardees. The handler answers a method
  /// with a result; without a handler, the first forwardee that is not deallocated answers it. Traps if the method has a
  /// result and neither answers it. Pass `default` for a requirement that may have neither.
  ///
  /// - Complexity: Two locks, and one more for each observer.
  public func call<Failure: Error, Output, Arguments: Sendable>(
    _ slot: SendableTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments, function: StaticString = #function,
    forward: (ForwardedDelegate) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if let output = try answer(slot, arguments, forward) { return output }
    if Output.self == Void.self, let nothing = () as? Output { return nothing }
    unanswered(function)
  }

  /// Sends a call through its slot, with a default for a requirement that may have neither a handler nor a forwardee.
  /// `default` is evaluated only if neither a handler nor a forwardee answers.
  public func call<Failure: Error, Output, Arguments: Sendable>(
    _ slot: SendableTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    default answer: @autoclosure () throws(Failure) -> Output, forward: (ForwardedDelegate) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if let output = try self.answer(slot, arguments, forward) { return output }
    return try answer()
  }

  /// Sends the call of an asynchronous requirement through its slot. `forward` receives the forwardee and the arguments, which
  /// are one tuple if there are several.
  public func call<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    function: StaticString = #function, forward: (ForwardedDelegate, Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    if let output = try await answer(slot, arguments, forward) { return output }
    if Output.self == Void.self, let nothing = () as? Output { return nothing }
    unanswered(function)
  }

  /// Sends the call of an asynchronous requirement through its slot. `forward` uses the arguments of the method itself. Traps if
  /// the method has a result and neither a handler nor a forwardee answers.
  ///
  /// - Complexity: Two locks, and one more for each observer.
  public func call<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    function: StaticString = #function, forward: (ForwardedDelegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await call(slot, arguments, function: function) { (delegate, _) throws(Failure) in try await forward(delegate) }
  }

  /// Sends the call of an asynchronous requirement that may have neither a handler nor a forwardee through its slot. `forward`
  /// uses the arguments of the method itself.
  public func call<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    default answer: @autoclosure () async throws(Failure) -> Output,
    forward: (ForwardedDelegate) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await call(slot, arguments, default: try await answer()) { (delegate, _) throws(Failure) in
      try await forward(delegate)
    }
  }

  /// Sends the call of an asynchronous requirement that may have neither a handler nor a forwardee through its slot. `default`
  /// is evaluated only if neither a handler nor a forwardee answers.
  public func call<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    default answer: @autoclosure () async throws(Failure) -> Output,
    forward: (ForwardedDelegate, Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    if let output = try await self.answer(slot, arguments, forward) { return output }
    return try await answer()
  }

  /// Sends the call of an asynchronous requirement with a default in a protocol extension through its slot. `otherwise` calls
  /// the default. It receives the proxy as the protocol's type, and the arguments.
  public func call<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    otherwise: (ForwardedDelegate, Arguments) async throws(Failure) -> Output,
    forward: (ForwardedDelegate, Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    if let output = try await answer(slot, arguments, forward) { return output }
    guard let delegate = self as? ForwardedDelegate else {
      misuse("\(Self.self) does not conform to \(ForwardedDelegate.self). Write the protocol beside SendableProxy.")
    }
    return try await otherwise(delegate, arguments)
  }

  private func answer<Failure: Error, Output, Arguments: Sendable>(
    _ slot: SendableTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    _ forward: (ForwardedDelegate) throws(Failure) -> Output
  ) throws(Failure) -> Output? {
    #if Tracing
    let isTraced = Trace.isOn
    if isTraced { Trace.begin("proxy", "\(Self.self)") }
    defer { if isTraced { Trace.end() } }
    #endif
    var output = try slot.hub.send(arguments)?(arguments)
    if output != nil, Output.self != Void.self { return output }
    for (index, forwardee) in forwarding.all.enumerated() {
      guard index == 0 || !forwarding.hasRemoved(forwardee), let delegate = forwardee.current else { continue }
      output = try forward(delegate)
      if Output.self != Void.self { break }
    }
    return output
  }

  private func answer<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    _ forward: (ForwardedDelegate, Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output? {
    #if Tracing
    let wait = Trace.isOn ? Trace.beginWait("proxy", "\(Self.self)") : 0
    defer { if wait != 0 { Trace.endWait("proxy", wait) } }
    #endif
    var output = try await slot.hub.send(arguments)?(arguments)
    if output != nil, Output.self != Void.self { return output }
    for (index, forwardee) in forwarding.all.enumerated() {
      guard index == 0 || !forwarding.hasRemoved(forwardee), let delegate = forwardee.current else { continue }
      output = try await forward(delegate, arguments)
      if Output.self != Void.self { break }
    }
    return output
  }

  private func unanswered(_ function: StaticString) -> Never {
    misuse(
      """
      \(Self.self) has no handler, forwardee, or default for \(function). Give its slot a handler with answer { … }, set \
      forwardTo, or give it a default: @Defaulted if an extension of the protocol implements it, @Slot(default: …) for a value, \
      call(…, default: …) in a proxy that is written by hand.
      """)
  }
}

/// The forwardees of a `SendableProxy`. Thread-safe.
public final class Forwarding<Delegate: Sendable>: Sendable {
  /// An immutable list of forwardees. It is replaced as a whole, so that a call iterates over a list that does not change.
  private struct List: @unchecked Sendable {
    // Sendable: a forwardee is immutable, and its delegate is Sendable.
    var forwardees: [Forwardee<Delegate>] = []
  }

  private let list = Lock(List())

  /// Creates an empty list of forwardees.
  public init() {}

  var all: [Forwardee<Delegate>] { list.withLock { $0 }.forwardees }

  var first: Delegate? {
    for forwardee in all { if let delegate = forwardee.current { return delegate } }
    return nil
  }

  func replace(with forwardees: [Forwardee<Delegate>], in proxy: some SendableProxy<Delegate>) {
    check(forwardees, in: proxy)
    change { _ in forwardees }
  }

  func add(_ forwardee: Forwardee<Delegate>, to proxy: some SendableProxy<Delegate>) -> any Disposable {
    check([forwardee], in: proxy)
    // Removes forwardees that were deallocated.
    change { $0.filter(\.isAlive) + [forwardee] }
    return BlockDisposable { [weak self] in
      self?.change { forwardees in
        forwardee.isRemoved = true
        return forwardees.filter { $0 !== forwardee }
      }
    }
  }

  /// True if a forwardee has been removed during the call that is being forwarded.
  func hasRemoved(_ forwardee: Forwardee<Delegate>) -> Bool { list.withLock { _ in forwardee.isRemoved } }

  private func change(_ change: ([Forwardee<Delegate>]) -> [Forwardee<Delegate>]) {
    // Released outside the lock, because a deinit can run any code.
    nonisolated(unsafe) let change = change
    let old = list.withLock { list in
      defer { list.forwardees = change(list.forwardees) }
      return list
    }
    withExtendedLifetime(old) {}
  }

  private func check(_ forwardees: [Forwardee<Delegate>], in proxy: some SendableProxy<Delegate>) {
    if forwardees.contains(where: { Self.leads($0, to: proxy) }) {
      misuse(
        "\(Swift.type(of: proxy)) would forward to itself without end. Forward to the delegate that it replaced.")
    }
  }

  /// Returns whether a call that is forwarded here reaches `proxy`, directly or through other proxies.
  private static func leads(_ forwardee: Forwardee<Delegate>, to proxy: AnyObject) -> Bool {
    guard let other = forwardee.current as? any SendableProxy<Delegate> else { return false }
    return other === proxy || other.forwarding.all.contains { leads($0, to: proxy) }
  }
}
