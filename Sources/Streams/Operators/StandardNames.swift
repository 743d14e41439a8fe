// Operators with the names of the standard library and of Combine, each one line on another operator.

extension StreamProtocol {
  /// Emits the first `count` elements, then completes.
  @inlinable
  public func prefix(_ count: Int) -> Operation<Element, Failure> { take(count) }

  /// Emits all elements but the first `count`.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Operation<Element, Failure> { skip(count) }

  /// Emits the elements before the first one for which `predicate` returns false, then completes.
  @inlinable
  public func prefix(while predicate: @escaping (Element) -> Bool) -> Operation<Element, Failure> {
    map { predicate($0) ? Event<Element, Failure>.next($0) : .completed }.dematerialize(mapOuterError: { $0 })
  }

  /// Emits the elements before the first one for which `predicate` returns false, then completes.
  @inlinable
  public func take(while predicate: @escaping (Element) -> Bool) -> Operation<Element, Failure> {
    prefix(while: predicate)
  }

  /// Drops the elements before the first one for which `predicate` returns false, and emits that element and all that
  /// follow.
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

  /// Drops the elements before the first one for which `predicate` returns false, and emits that element and all that
  /// follow.
  @inlinable
  public func skip(while predicate: @escaping (Element) -> Bool) -> Operation<Element, Failure> {
    drop(while: predicate)
  }

  /// Emits the results of `transform` that are not nil.
  @inlinable
  public func compactMap<NewElement>(
    _ transform: @escaping (Element) -> NewElement?
  ) -> Operation<NewElement, Failure> { map(transform).ignoreNil() }

  /// Drops each element for which `areEquivalent` returns true. The closure receives the predecessor in the source and
  /// the element. Holds one element.
  @inlinable
  public func removeDuplicates(
    by areEquivalent: @escaping (Element, Element) -> Bool
  ) -> Operation<Element, Failure> { distinct { !areEquivalent($0, $1) } }

  /// Emits `initial` when it is observed, then for each element the result, which `update` changes in place.
  ///
  /// Holds one result. If an observer retains an array, the next element copies it.
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

  /// Emits the only element of the stream when it completes. Fails with `error` if there is no element, and immediately at a second one.
  /// Holds one element.
  @inlinable
  public func single(orFail error: Failure) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let state = Held<[Element]>()
      let link = Subscription(downstream: observer.subscription)
      link.connect(
        self,
        next: { element in
          if link.isOver { return }
          state.value.append(element)
          if state.value.count == 1 { return }
          link.dispose()
          state.drop()
          observer.failed(error)
        },
        termination: { end in
          if observer.subscription.isDisposed { return state.drop() }
          if case .failed(let failure) = end {
            state.drop()
            return observer.failed(failure)
          }
          guard let element = state.value.popLast() else { return observer.failed(error) }
          observer.onNext(element)
          if !observer.subscription.isDisposed { observer.completed() }
        })
      return link
    })
  }

  /// Emits the elements, or those of `other` if the stream completes without an element.
  @inlinable
  public func switchIfEmpty<Other: StreamProtocol>(_ other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    .deferred {
      var isEmpty = true
      return doOn(next: { _ in isEmpty = false })
        .concat(with: Operation.deferred { isEmpty ? other.toOperation() : .completed() })
    }
  }

  /// Observes the stream again after a failure for which `decide` returns true. Other failures are forwarded.
  ///
  /// Attempts that fail synchronously do not recurse, and none starts while the observer is paused. Retains the stream while it has an
  /// observer.
  @inlinable
  public func retry(when decide: @escaping (Failure) -> Bool) -> Operation<Element, Failure> {
    rerun(.max) { end in if let error = end.failure, decide(error) { .now } else { nil } }
  }

  /// Observes the stream again after a failure and the next of `delays`. After the last delay, a failure is forwarded immediately.
  ///
  /// Each observer begins with the first delay. One timer for each attempt.
  ///
  /// - Parameters:
  ///   - delays: The times from a failure to the next attempt.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func retry(
    delays: some Sequence<Duration>, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let scheduler = resolve(scheduler, for: "retry(delays:on:)", downstream: observer.subscription)
      var rest = delays.makeIterator()
      return self.rerun(.max, name: nil) { end in
        if end.failure != nil, let delay = rest.next() { .after(delay, scheduler) } else { nil }
      }.subscribe(observer)
    })
  }
}

extension StreamProtocol where Element: Equatable {
  /// Drops each element that equals its predecessor in the source. Holds one element.
  @inlinable
  public func removeDuplicates() -> Operation<Element, Failure> { distinct() }
}

extension StreamProtocol where Element == Bool {
  /// Emits the negation of each element.
  @inlinable
  public func negate() -> Operation<Bool, Failure> { map { !$0 } }

  /// Emits true if the latest elements of both streams are true, otherwise false, each time one of them emits, after both have emitted.
  /// Holds one element of each.
  @inlinable
  public func and<Other: StreamProtocol>(_ other: Other) -> Operation<Bool, Failure>
  where Other.Element == Bool, Other.Failure == Failure { combineLatest(with: other).map { $0 && $1 } }

  /// Emits true if the latest element of at least one of both streams is true, otherwise false, each time one of them emits, after
  /// both have emitted. Holds one element of each.
  @inlinable
  public func or<Other: StreamProtocol>(_ other: Other) -> Operation<Bool, Failure>
  where Other.Element == Bool, Other.Failure == Failure { combineLatest(with: other).map { $0 || $1 } }
}

extension Event {
  /// Returns the event with its element, if it has one, transformed, or a failure with the error that `transform` throws.
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
