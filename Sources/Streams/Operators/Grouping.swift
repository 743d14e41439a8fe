extension StreamProtocol {
  /// Emits a stream for each key that `key` returns, at the first element with that key. The stream emits the elements with the key.
  ///
  /// ```swift
  /// let words = Stream.sequence(["apple", "avocado", "banana"])
  /// words.groupBy(\.first).flatMap(.merge) { group in group.elements.throttle(for: .seconds(1)) }
  ///   .observeNext { print($0) }.dispose(in: bag)  // apple, banana
  /// ```
  ///
  /// Observe a group when you receive it: a group is hot, and holds only its first element, until the next one. When the source ends,
  /// all groups end in the same way, in the order in which they began.
  ///
  /// If the stream of groups is disposed, no group is added, and the groups that have observers continue. So
  /// `groupBy(key).take(1).flatMap(.merge) { $0.elements }` emits all elements of the first key. The source is disposed when the last of
  /// these observers leaves.
  ///
  /// Pausing the stream of groups pauses the source. After its disposal, the source is paused while all observers of groups are paused.
  /// Holds each key until the source ends, so memory grows with the number of keys.
  public func groupBy<Key: Hashable>(
    _ key: @escaping (Element) -> Key
  ) -> Operation<(key: Key, elements: Operation<Element, Failure>), Failure> {
    Operation(unguarded: { Groups(key).observe(self, $0) })
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
    if interval <= .zero { misuse("buffer(for: \(interval)): the interval has to be longer than zero.") }
    return .deferred {
      let state = Held<[Element]>()
      return map { state.value.append($0) }.sample(for: interval, on: scheduler).map { state.take() }
    }
  }
}

/// The groups of one observation. The stream of groups and the observers of the groups are members of one run of the source.
private final class Groups<Key: Hashable, Element, Failure: Error> {
  private let key: (Element) -> Key
  private let run = SharedRun<(key: Key, elements: Operation<Element, Failure>), Failure>(replaying: 0)
  private var groups: [Key: Group<Element, Failure>] = [:]
  /// True if the source was deallocated without an end. Shared with the streams of the groups, which can outlive this object.
  private let isVanished = Cell(false)

  init(_ key: @escaping (Element) -> Key) { self.key = key }

  func observe<Source: StreamProtocol>(
    _ source: Source, _ observer: Observer<(key: Key, elements: Operation<Element, Failure>), Failure>
  ) -> any Disposable where Source.Element == Element, Source.Failure == Failure {
    let member = run.add(observer)
    run.leader = member
    run.didEndUnheard = { [isVanished, weak run] in isVanished.value = run?.hasEnded == true }
    if !observer.subscription.isDisposed {
      let new = source.doOn(completed: { self.end(.completed) }, failed: { self.end(.failed($0)) })
        .compactMap { self.dispatch($0) }
      _ = run.start(new, for: member)
    }
    if observer.subscription.isDisposed { member.dispose() }
    return member
  }

  /// Sends an element to its group. Returns a group that is new.
  private func dispatch(_ element: Element) -> (key: Key, elements: Operation<Element, Failure>)? {
    let key = key(element)
    if let group = groups[key] {
      group.first.drop()
      group.subject.next(element)
      // A source that sends inside `subscribe` stops when its observers leave or pause.
      if run.entering != nil { run.followGates() }
      return nil
    }
    if run.leader?.isLeft != false {
      Untaken.drop(element)
      return nil
    }
    let group = Group<Element, Failure>(number: groups.count, isVanished)
    group.first.value.append(element)
    groups[key] = group
    return (key, group.elements(run))
  }

  private func end(_ termination: Termination<Failure>) {
    let ended = groups.values.sorted { $0.number < $1.number }
    groups = [:]
    for group in ended {
      group.ending.value = termination
      group.subject.terminate(termination)
    }
  }
}

/// The elements with one key. The first element is held for the first observer.
private final class Group<Element, Failure: Error> {
  /// The position among the groups, which end in this order.
  let number: Int
  let subject = PushOperation<Element, Failure>()
  let first = Held<[Element]>()
  let ending = Cell<Termination<Failure>?>(nil)
  private let isVanished: Cell<Bool>

  init(number: Int, _ isVanished: Cell<Bool>) {
    self.number = number
    self.isVanished = isVanished
  }

  func elements<Output>(_ run: SharedRun<Output, Failure>) -> Operation<Element, Failure> {
    let (first, ending, isVanished) = (first, ending, isVanished)
    return Operation(unguarded: { [weak subject, weak run] observer in
      if let subject {
        let held = ContiguousArray(first.take())
        let subscribe = { subject.table.replay(held, to: observer) }
        return run?.add(observer.subscription, subscribe) ?? subscribe()
      }
      // If the last observer of the groups has left before an end, the element is disposed with the group.
      if ending.value != nil || isVanished.value {
        for element in first.take() { observer.onNext(element) }
      }
      if observer.subscription.isDisposed { return .none }
      if let end = ending.value { observer.onTermination(end) } else { observer.subscription.sourceDidVanish() }
      return .none
    })
  }
}
