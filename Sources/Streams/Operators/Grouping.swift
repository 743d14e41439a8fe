extension StreamProtocol {
  /// Emits a stream for each key that `key` returns, at the first element with that key. The stream emits the elements with the key.
  ///
  /// ```swift
  /// let words = Stream.sequence(["apple", "avocado", "banana"])
  /// words.groupBy(\.first).flatMap(.merge) { group in group.elements.throttle(for: .seconds(1)) }
  ///   .observeNext { print($0) }.dispose(in: bag)  // apple, banana
  /// ```
  ///
  /// Observe a group when you receive it: it is hot, and holds only its first element until the next one. All groups end as the source
  /// does. If the stream of groups is disposed, they emit nothing more. Pausing it pauses the source. Holds each key until the
  /// source ends, so memory grows with the number of keys.
  public func groupBy<Key: Hashable>(
    _ key: @escaping (Element) -> Key
  ) -> Operation<(key: Key, elements: Operation<Element, Failure>), Failure> {
    .deferred {
      var groups: [Key: Group<Element, Failure>] = [:]
      func end(_ termination: Termination<Failure>) {
        let ended = groups.values
        groups = [:]
        for group in ended { group.subject.terminate(termination) }
      }
      return doOn(completed: { end(.completed) }, failed: { end(.failed($0)) })
        .compactMap { element in
          let key = key(element)
          if let group = groups[key] {
            group.first.drop()
            group.subject.next(element)
            return nil
          }
          let group = Group<Element, Failure>()
          group.first.value.append(element)
          groups[key] = group
          return (key, group.elements)
        }
    }
  }

  /// Emits the elements of each `interval` as an array.
  ///
  /// An interval without an element emits nothing. At completion the last array is emitted first. A failure is delivered immediately and
  /// drops it. While the observer is paused, a due array is held. Holds the elements of one interval, without a limit.
  ///
  /// - Parameters:
  ///   - interval: The length of an interval.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  public func buffer(for interval: Duration, on scheduler: (any Scheduler)? = nil) -> Operation<[Element], Failure> {
    .deferred {
      let state = Held<[Element]>()
      return map { state.value.append($0) }.sample(for: interval, on: scheduler).map { state.take() }
    }
  }
}

/// The elements with one key. The first element is held for the first observer.
private final class Group<Element, Failure: Error> {
  let subject = PushOperation<Element, Failure>()
  let first = Held<[Element]>()

  var elements: Operation<Element, Failure> {
    let (subject, first) = (subject, first)
    return .deferred { [weak subject] in
      guard let subject else { return .never() }
      guard let element = first.take().first else { return subject.toOperation() }
      return subject.start(with: element)
    }
  }
}
