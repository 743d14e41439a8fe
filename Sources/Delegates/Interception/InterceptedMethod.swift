public import Properties
public import Streams

/// A method of one's own that can be observed: its slot is a stored property, and its body goes through it.
///
/// ```swift
/// final class Player: ReactiveCompatible {
///   let playing = InterceptedMethod<Bool, String>()
///   func play(_ track: String) -> Bool { playing.intercept(track) { start(track) } }
/// }
/// player.reactive.signal(for: \.playing).observeNext { track in print(track) }
/// ```
///
/// It is a slot like that of a delegate's method: `willInvoke`, `stream`, `results`, `outcomes`. Whoever observes hears of calls
/// from inside the object, too. Any number may observe; what one of them does to the object (call the method again, let the
/// object go) is allowed. A handler, `answer { … }`, takes the place of the body, for tests for instance.
///
/// In a structure the copies share the slot.
public typealias InterceptedMethod<Output, each Argument> = ProxySlot<Never, Output, repeat each Argument>

/// A throwing method of one's own that can be observed. See `InterceptedMethod`.
public typealias InterceptedThrowingMethod<Output, each Argument> = ProxySlot<any Error, Output, repeat each Argument>

extension TupleSlot {
  /// What the method does: `body` is its work, which may change `self` in a structure. Cost where nobody listens: a load and a
  /// branch.
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

extension AsyncTupleSlot {
  /// What an asynchronous method does: `body` is its work, and runs where the method runs.
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

  /// What a `nonisolated` asynchronous method does in a module without `NonisolatedNonsendingByDefault`, where it runs on the
  /// concurrent executor: `body` is its work. Write it in place, or pass a local function: then it runs where the method runs.
  public final func interceptConcurrently(
    _ arguments: Arguments, _ body: @concurrent () async throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    try await intercept(arguments) { () throws(Failure) in
      // The body runs in the isolation of the method that it is the work of, which waits for it meanwhile.
      nonisolated(unsafe) let body = body
      return try await body()
    }
  }
}

/// When an intercepted method's observer is told.
public enum InterceptionMoment: Sendable, Hashable {
  /// Before the body runs.
  case before
  /// After the body has run, also where it has thrown.
  case after
}

/// A slot as `reactive` sees it: something that is called with arguments.
public protocol CalledSlot<Arguments>: AnyObject {
  /// The arguments, as one tuple where there are several.
  associatedtype Arguments

  /// The arguments of each call, before anybody else hears of it.
  var willInvoke: Stream<Arguments> { get }
  /// The arguments of each call, after it.
  var didInvoke: Stream<Arguments> { get }
}

extension ObservedSlot: CalledSlot {}

extension Reactive {
  /// One empty element for each call of an intercepted method. Completes when the object goes, which it does not keep.
  public func trigger(
    for method: KeyPath<Base, some CalledSlot>, _ moment: InterceptionMoment = .after
  ) -> Stream<Void> {
    signal(for: method, moment).map { _ in }
  }

  /// The arguments of each call of an intercepted method. Completes when the object goes, which it does not keep.
  ///
  /// Results are in the slot itself: `object.slot.results`, and `outcomes` for a method that throws.
  public func signal<Slot: CalledSlot>(
    for method: KeyPath<Base, Slot>, _ moment: InterceptionMoment = .after
  ) -> Stream<Slot.Arguments> {
    let slot = base[keyPath: method]
    return moment == .before ? slot.willInvoke : slot.didInvoke
  }
}
