internal import Streams

/// Stands in the place of a delegate that is called on any thread: the proxy of a protocol that inherits from `Sendable`.
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
/// It is a protocol and no superclass, because a class can be `Sendable` only if it has no superclass, is final, and has
/// constants alone.
///
/// - The arguments of each call go home through a bounded `Inlet`: observe `stream(capacity:whenFull:)` of a slot.
/// - A method with a result is answered on the thread of its caller by a `@Sendable` closure, or by a forwardee.
/// - When the proxy goes, the streams of its slots complete, each at its home.
public protocol SendableProxy<Delegate>: AnyObject, Sendable {
  /// What it stands for: `any TransferDelegate`.
  associatedtype Delegate: Sendable

  /// Whom calls are forwarded to.
  var forwarding: Forwarding<Delegate> { get }
}

extension SendableProxy {
  /// Who gets what is called on the proxy, on the thread of the caller; held weakly. Setting it replaces all forwardees, nil
  /// takes them away. Any thread may set it; calls that have begun go on.
  public var forwardTo: Delegate? {
    get { forwarding.first }
    set { setForwardee(newValue) }
  }

  /// The same, and has the proxy keep it if `retaining` is true.
  public func setForwardee(_ delegate: Delegate?, retaining: Bool = false) {
    forwarding.replace(with: delegate.map { [Forwardee($0, retaining: retaining)] } ?? [], in: self)
  }

  /// Adds a forwardee to those that there are. Each gets every call without a result; the first answers the others. Disposing of what
  /// it returns takes this one away.
  @discardableResult
  public func addForwardee(_ delegate: Delegate, retaining: Bool = false) -> any Disposable {
    forwarding.add(Forwardee(delegate, retaining: retaining), to: self)
  }

  /// What the implementation of a requirement does: it sends the call through its slot. Any thread may call it.
  ///
  /// Told, in this order: who observes the slot, the handler, the forwardees. Of a method with a result either the handler is asked
  /// or, while there is none, the first forwardee that is there. If nobody answers it, the program stops with a message that
  /// names the method; give a `default` to a requirement that may remain unanswered.
  ///
  /// Cost: two locks, and one more for each observer.
  public func call<Failure: Error, Output, Arguments: Sendable>(
    _ slot: SendableTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments, function: StaticString = #function,
    forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if let output = try answer(slot, arguments, forward) { return output }
    if Output.self == Void.self, let nothing = () as? Output { return nothing }
    unanswered(function)
  }

  /// The same for a requirement that may remain unanswered: `default` is evaluated only then, and is what it does and returns.
  public func call<Failure: Error, Output, Arguments: Sendable>(
    _ slot: SendableTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    default answer: @autoclosure () throws(Failure) -> Output, forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if let output = try self.answer(slot, arguments, forward) { return output }
    return try answer()
  }

  /// The same for an asynchronous requirement. `forward` gets the forwardee and the arguments, which are one tuple if there are
  /// several.
  public func call<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    function: StaticString = #function, forward: (Delegate, Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    if let output = try await answer(slot, arguments, forward) { return output }
    if Output.self == Void.self, let nothing = () as? Output { return nothing }
    unanswered(function)
  }

  /// The same for an asynchronous requirement that may remain unanswered.
  public func call<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    default answer: @autoclosure () async throws(Failure) -> Output,
    forward: (Delegate, Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    if let output = try await self.answer(slot, arguments, forward) { return output }
    return try await answer()
  }

  /// The same for an asynchronous requirement with a default in a protocol extension: `otherwise` makes the call that does the
  /// default. It gets the proxy as the protocol's type, and the arguments.
  public func call<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    otherwise: (Delegate, Arguments) async throws(Failure) -> Output,
    forward: (Delegate, Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    if let output = try await answer(slot, arguments, forward) { return output }
    guard let delegate = self as? Delegate else {
      misuse("\(Self.self) does not conform to \(Delegate.self). Write the protocol beside SendableProxy.")
    }
    return try await otherwise(delegate, arguments)
  }

  private func answer<Failure: Error, Output, Arguments: Sendable>(
    _ slot: SendableTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    _ forward: (Delegate) throws(Failure) -> Output
  ) throws(Failure) -> Output? {
    var output = try slot.hub.send(arguments)?(arguments)
    if output != nil, Output.self != Void.self { return output }
    for forwardee in forwarding.all {
      guard let delegate = forwardee.current else { continue }
      output = try forward(delegate)
      if Output.self != Void.self { break }
    }
    return output
  }

  private func answer<Failure: Error, Output: Sendable, Arguments: Sendable>(
    _ slot: SendableAsyncTupleSlot<Failure, Output, Arguments>, _ arguments: Arguments,
    _ forward: (Delegate, Arguments) async throws(Failure) -> Output
  ) async throws(Failure) -> Output? {
    var output = try await slot.hub.send(arguments)?(arguments)
    if output != nil, Output.self != Void.self { return output }
    for forwardee in forwarding.all {
      guard let delegate = forwardee.current else { continue }
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

/// Whom a `SendableProxy` forwards to. Any thread may use it.
public final class Forwarding<Delegate: Sendable>: Sendable {
  /// A list of what is held weakly, or kept: replaced as a whole, so that a call goes through one that does not change.
  private struct List: @unchecked Sendable {
    // Sendable: a forwardee does not change, and its delegate is Sendable.
    var forwardees: [Forwardee<Delegate>] = []
  }

  private let list = Lock(List())

  /// Without a forwardee.
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
    // Those that have gone make room.
    change { $0.filter(\.isAlive) + [forwardee] }
    return BlockDisposable { [weak self] in self?.change { $0.filter { $0 !== forwardee } } }
  }

  private func change(_ change: ([Forwardee<Delegate>]) -> [Forwardee<Delegate>]) {
    // Released outside of the lock.
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

  /// Whether what is forwarded to it reaches `proxy`: it is that, or another proxy in front of it.
  private static func leads(_ forwardee: Forwardee<Delegate>, to proxy: AnyObject) -> Bool {
    guard let other = forwardee.current as? any SendableProxy<Delegate> else { return false }
    return other === proxy || other.forwarding.all.contains { leads($0, to: proxy) }
  }
}
