// Arguments that are streams of any type may begin with a dot: `merge(a, .just(1))`, `take(until: .timer((), after: d))`.

extension StreamProtocol {
  /// One element, then completed.
  @inlinable
  public static func just<Value, Reason: Error>(_ element: Value) -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> { Operation.just(element) }

  /// Completed at once, without an element.
  @inlinable
  public static func completed<Value, Reason: Error>() -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> { Operation.completed() }

  /// Failed at once.
  @inlinable
  public static func failed<Value, Reason: Error>(_ error: Reason) -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> { Operation.failed(error) }

  /// No event, ever.
  @inlinable
  public static func never<Value, Reason: Error>() -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> { Operation.never() }

  /// All elements of a sequence, then completed.
  @inlinable
  public static func sequence<Elements: Sequence, Reason: Error>(
    _ elements: Elements
  ) -> Operation<Elements.Element, Reason>
  where Self == Operation<Elements.Element, Reason> { Operation.sequence(elements) }

  /// `element` after `delay`, then completed.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - delay: The time from the start of the observation to the element.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
  public static func timer<Value, Reason: Error>(
    _ element: Value, after delay: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Value, Reason>
  where Self == Operation<Value, Reason> {
    Operation<Value, Reason>.timer(element, after: delay, on: scheduler)
  }

  /// 0, 1, 2, … : one in each interval, until the observer is disposed.
  ///
  /// - Parameters:
  ///   - interval: The time from one number to the next, more than zero.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
  public static func interval<Reason: Error>(
    _ interval: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Int, Reason>
  where Self == Operation<Int, Reason> {
    Operation<Int, Reason>.interval(interval, on: scheduler)
  }
}
