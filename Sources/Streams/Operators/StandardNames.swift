// Operators under the names of the standard library and of Combine. Each is one line on an operator that exists.

extension StreamProtocol {
  /// Emits the first `count` elements, then completes.
  @inlinable
  public func prefix(_ count: Int) -> Operation<Element, Failure> { take(count) }

  /// Emits all elements but the first `count`.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Operation<Element, Failure> { skip(count) }

  /// Emits the elements until `predicate` is false for one, then completes without it.
  @inlinable
  public func prefix(while predicate: @escaping (Element) -> Bool) -> Operation<Element, Failure> {
    map { predicate($0) ? Event<Element, Failure>.next($0) : .completed }.dematerialize(mapOuterError: { $0 })
  }

  /// Emits the elements until `predicate` is false for one, then completes without it.
  @inlinable
  public func take(while predicate: @escaping (Element) -> Bool) -> Operation<Element, Failure> {
    prefix(while: predicate)
  }

  /// Drops the elements until `predicate` is false for one; emits that one and all that follow.
  @inlinable
  public func drop(while predicate: @escaping (Element) -> Bool) -> Operation<Element, Failure> {
    .deferred {
      var isDropping = true
      return filter { element in
        if isDropping { isDropping = predicate(element) }
        return !isDropping
      }
    }
  }

  /// Drops the elements until `predicate` is false for one; emits that one and all that follow.
  @inlinable
  public func skip(while predicate: @escaping (Element) -> Bool) -> Operation<Element, Failure> {
    drop(while: predicate)
  }

  /// Emits what `transform` makes of each element, without nil.
  @inlinable
  public func compactMap<NewElement>(
    _ transform: @escaping (Element) -> NewElement?
  ) -> Operation<NewElement, Failure> { map(transform).ignoreNil() }

  /// Leaves out each element of which `areEquivalent` says that it equals its predecessor in the source. Holds one element.
  @inlinable
  public func removeDuplicates(
    by areEquivalent: @escaping (Element, Element) -> Bool
  ) -> Operation<Element, Failure> { distinct { !areEquivalent($0, $1) } }

  /// Accumulates in place: emits `initial` when it is observed, then the result after each element.
  ///
  /// Holds one result. An observer that keeps an array has it copied by the next element.
  @inlinable
  public func scan<Result>(
    into initial: Result, _ update: @escaping (inout Result, Element) -> Void
  ) -> Operation<Result, Failure> {
    .deferred {
      var result = initial
      return map { element in
        update(&result, element)
        return result
      }.start(with: initial)
    }
  }

  /// Completes instead of failing. The failure is not reported.
  @inlinable
  public func ignoreFailures() -> Stream<Element> { toStream(logError: false) }

  /// Emits the one element that the stream has when it completes; fails with `error` if it has none, and at once if it has
  /// a second one. Holds two elements.
  @inlinable
  public func single(orFail error: Failure) -> Operation<Element, Failure> {
    take(2).collect().tryMap { elements throws(Failure) in
      guard elements.count == 1 else { throw error }
      return elements[0]
    }
  }

  /// Emits the elements; if the stream completes without one, those of `other`, which is observed then.
  @inlinable
  public func switchIfEmpty<Other: StreamProtocol>(_ other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    .deferred {
      var isEmpty = true
      return doOn(next: { _ in isEmpty = false })
        .concat(with: Operation.deferred { isEmpty ? other.toOperation() : .completed() })
    }
  }

  /// On failure observes the stream again if `decide` says so; otherwise the failure passes.
  ///
  /// Attempts that fail synchronously do not recurse, and none is started while the observer pauses. Holds the stream
  /// itself while it is observed.
  @inlinable
  public func retry(when decide: @escaping (Failure) -> Bool) -> Operation<Element, Failure> {
    rerun(.max) { end in if let error = end.failure, decide(error) { .now } else { nil } }
  }

  /// On failure waits for the next of `delays`, then observes the stream again; after the last one the failure passes at once.
  ///
  /// Each observer begins with the first delay. One timer for each attempt.
  ///
  /// - Parameters:
  ///   - delays: The times from a failure to the next attempt, one for each attempt.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
  @inlinable
  public func retry(
    delays: some Sequence<Duration>, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let scheduler = resolve(scheduler, for: "retry(delays:on:)", downstream: observer.subscription)
      var rest = delays.makeIterator()
      return self.rerun(.max) { end in
        if end.failure != nil, let delay = rest.next() { .after(delay, scheduler) } else { nil }
      }.subscribe(observer)
    })
  }
}

extension StreamProtocol where Element: Equatable {
  /// Leaves out each element that equals its predecessor. Holds one element.
  @inlinable
  public func removeDuplicates() -> Operation<Element, Failure> { distinct() }
}

extension StreamProtocol where Element == Bool {
  /// Emits the opposite of each element.
  @inlinable
  public func negate() -> Operation<Bool, Failure> { map { !$0 } }

  /// Emits whether the newest elements of both are true, each time one of them emits, once both have. Holds one of each.
  @inlinable
  public func and<Other: StreamProtocol>(_ other: Other) -> Operation<Bool, Failure>
  where Other.Element == Bool, Other.Failure == Failure { combineLatest(with: other).map { $0 && $1 } }

  /// Emits whether one of the newest elements is true, each time one of them emits, once both have. Holds one of each.
  @inlinable
  public func or<Other: StreamProtocol>(_ other: Other) -> Operation<Bool, Failure>
  where Other.Element == Bool, Other.Failure == Failure { combineLatest(with: other).map { $0 || $1 } }
}

extension Event {
  /// The same event with its element, if it has one, transformed; the failure that `transform` throws if it throws one.
  @inlinable
  public func tryMap<NewElement>(
    _ transform: (Element) throws(Failure) -> NewElement
  ) -> Event<NewElement, Failure> {
    switch self {
    case .next(let element):
      do throws(Failure) { return .next(try transform(element)) } catch { return .failed(error) }
    case .failed(let error): return .failed(error)
    case .completed: return .completed
    }
  }
}
