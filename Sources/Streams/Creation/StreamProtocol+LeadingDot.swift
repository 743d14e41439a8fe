// For arguments that are streams of any type, so that they can begin with a dot: `merge(a, .just(1))`, `take(until: .timer((), after: d))`.

extension StreamProtocol {
  /// Emits one element and completes.
  @inlinable
  public static func just<Value, Reason: Error>(_ element: Value) -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> { Operation.just(element) }

  /// Completes immediately, without an element.
  @inlinable
  public static func completed<Value, Reason: Error>() -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> { Operation.completed() }

  /// Fails immediately.
  @inlinable
  public static func failed<Value, Reason: Error>(_ error: Reason) -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> { Operation.failed(error) }

  /// Never sends an event.
  @inlinable
  public static func never<Value, Reason: Error>() -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> { Operation.never() }

  /// Emits all elements of a sequence and completes.
  @inlinable
  public static func sequence<Elements: Sequence, Reason: Error>(
    _ elements: Elements
  ) -> Operation<Elements.Element, Reason>
  where Self == Operation<Elements.Element, Reason> { Operation.sequence(elements) }

  /// Emits `element` after `delay` and completes.
  ///
  /// - Parameters:
  ///   - element: The element to emit.
  ///   - delay: The time from the start of the observation to the element. A negative delay counts as zero.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  public static func timer<Value, Reason: Error>(
    _ element: Value, after delay: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> {
    Operation<Value, Reason>.timer(element, after: delay, on: scheduler)
  }

  /// Emits 0, 1, 2, … : one number in each interval, until the subscription is disposed.
  ///
  /// - Parameters:
  ///   - interval: The time between two numbers. Traps unless it is more than zero.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  public static func interval<Reason: Error>(
    _ interval: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Int, Reason>
  where Self == Operation<Int, Reason> {
    Operation<Int, Reason>.interval(interval, on: scheduler)
  }
}
