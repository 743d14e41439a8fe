public import Properties
public import Streams

/// The slot of a method of your class that can be observed. The method runs its body through the slot.
///
/// ```swift
/// final class Player: ReactiveCompatible {
///   let playing = InterceptedMethod<Bool, String>()
///   func play(_ track: String) -> Bool { playing.intercept(track) { start(track) } }
/// }
/// player.reactive.signal(for: \.playing).observeNext { track in print(track) }
/// ```
///
/// It has the streams of a delegate's slot: `willInvoke`, `stream`, `results`, `outcomes`. They also send calls that the object
/// makes itself. Observers can call the method again, and can release the object. A handler, set with `answer { … }`, replaces
/// the body, for example in tests.
///
/// It is also the slot for a C callback that returns a value: without a handler, the body returns the value.
///
/// ```swift
/// let mayCommit = InterceptedMethod<Bool, Int32>()
/// let hook = RepeatingCallback<Int32, Int32> { changes in mayCommit.intercept(changes) { true } ? 0 : 1 }
///
/// try mayCommit.answer { changes in changes < 1000 }.dispose(in: bag)
/// ```
///
/// The copies of a structure share the slot.
public typealias InterceptedMethod<Output, each Argument> = ProxySlot<Never, Output, repeat each Argument>

/// The slot of a throwing method of your class that can be observed.
public typealias InterceptedThrowingMethod<Output, each Argument> = ProxySlot<any Error, Output, repeat each Argument>

extension TupleSlot {
  /// Runs `body`, the work of the method, and notifies the observers. In a structure, `body` can change `self`.
  ///
  /// - Complexity: Without observers and a handler, one load and one branch more than `body`.
  @inlinable @inline(__always)
  public final func intercept(
    _ arguments: @autoclosure () -> Arguments, _ body: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if activity == 0 { return try body() }
    return try interceptObserved(arguments(), body)
  }

  @inlinable
  final func interceptObserved(
    _ arguments: Arguments, _ body: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if activity & Self.willBit != 0 { sendBefore(arguments) }
    do throws(Failure) {
      let output: Output
      if let handler { output = try handler.call(arguments) } else { output = try body() }
      sendResult(arguments, output)
      if activity & Self.didBit != 0 { sendAfter(arguments) }
      return output
    } catch {
      sendFailure(arguments, error)
      sendAfter(arguments)
      throw error
    }
  }
}

extension TupleSlot where Arguments == Void {
  /// Runs `body`, the work of a method without arguments, and notifies the observers.
  @inlinable @inline(__always)
  public final func intercept(_ body: () throws(Failure) -> Output) throws(Failure) -> Output {
    try intercept((), body)
  }
}

extension AsyncTupleSlot {
  /// Runs `body`, the work of an asynchronous method, on the executor of the method, and notifies the observers.
  public final func intercept(
    _ arguments: Arguments, _ body: () async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    sendBefore(arguments)
    do throws(Failure) {
      let output: Output
      if let handler { output = try await handler.call(arguments) } else { output = try await body() }
      sendResult(arguments, output)
      sendAfter(arguments)
      return output
    } catch {
      sendFailure(arguments, error)
      sendAfter(arguments)
      throw error
    }
  }

  /// Runs `body`, the work of a `nonisolated` asynchronous method in a module without `NonisolatedNonsendingByDefault`, where the
  /// method runs on the concurrent executor. Write the closure as an argument or pass a local function, so that it runs on the
  /// executor of the method.
  public final func interceptConcurrently(
    _ arguments: Arguments, _ body: @concurrent () async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await intercept(arguments) { () throws(Failure) in
      // The body runs in the isolation of its method, which waits for it.
      nonisolated(unsafe) let body = body
      return try await body()
    }
  }
}

/// The time at which the observer of an intercepted method is notified.
public enum InterceptionMoment: Sendable, Hashable {
  /// Before the body runs.
  case before
  /// After the body has run, even if it threw.
  case after
}

/// A slot whose calls `reactive` can observe.
public protocol CalledSlot<Arguments>: AnyObject {
  /// The type of the arguments. Several arguments are one tuple.
  associatedtype Arguments

  /// The arguments of each call, sent before the handler and the body run.
  var willInvoke: Stream<Arguments> { get }
  /// The arguments of each call, sent after it.
  var didInvoke: Stream<Arguments> { get }
}

extension ObservedSlot: CalledSlot {}

extension Reactive {
  /// Emits once for each call of an intercepted method. Completes when the object is deallocated, and does not retain it.
  public func trigger(
    for method: KeyPath<Base, some CalledSlot>, _ moment: InterceptionMoment = .after
  ) -> Stream<Void> {
    signal(for: method, moment).map { _ in }
  }

  /// Emits the arguments of each call of an intercepted method. Completes when the object is deallocated, and does not retain
  /// it.
  ///
  /// Results are streams of the slot: `object.slot.results`, and `outcomes` for a method that throws.
  public func signal<Slot: CalledSlot>(
    for method: KeyPath<Base, Slot>, _ moment: InterceptionMoment = .after
  ) -> Stream<Slot.Arguments> {
    let slot = base[keyPath: method]
    return moment == .before ? slot.willInvoke : slot.didInvoke
  }
}
