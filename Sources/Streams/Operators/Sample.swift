extension StreamProtocol {
  /// Emits the latest element of each `interval` at its end, and nothing for an interval without an element.
  ///
  /// The first interval starts with the observation. If the stream completes, the pending element is emitted first. A failure is delivered
  /// immediately and drops the pending element. While the observer is paused, the pending element is held until the end of the interval in
  /// which it resumes. If the stream completes during the pause, the pending element and the completion are delivered when the observer
  /// resumes.
  ///
  /// - Complexity: One timer for each interval with an element. Holds one element.
  /// - Parameters:
  ///   - interval: The length of an interval. Traps unless it is more than zero.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func sample(for interval: Duration, on scheduler: (any Scheduler)? = nil) -> Operation<Element, Failure> {
    if interval <= .zero { misuse("sample(for: \(interval)): the interval has to be longer than zero.") }
    return Operation(unguarded: { observer in
      let state = Sample(
        observer, interval, resolve(scheduler, for: "sample(for:on:)", downstream: observer.subscription))
      state.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state.exit
    })
  }

  /// Emits the latest element each time `trigger` emits. It can emit the same element again, and emits nothing before the first one.
  ///
  /// Completes when both have completed, and as soon as the stream completes without an element. A failure of either is delivered
  /// immediately. Pausing reaches both. Holds one element.
  @inlinable
  public func sample<Trigger: StreamProtocol>(on trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Failure {
    Operation(unguarded: { observer in
      let state = Until(observer)
      let newest = Newest<Element>()
      let running = Cell(2)
      state.link.connect(
        self, next: { newest.replace(with: $0) },
        termination: { end in
          running.value -= 1
          if end.failure != nil || running.value == 0 || newest.element == nil { state.finish(end) }
        })
      if state.exit.isDisposed { return state.exit }
      state.trigger.connect(
        trigger, next: { _ in if let element = newest.take() { state.exit.next(element) } },
        termination: { end in
          running.value -= 1
          if end.failure != nil || running.value == 0 { state.finish(end) }
        })
      return state.exit
    })
  }

  /// Emits the latest element each time `trigger`, which cannot fail, emits.
  @inlinable @_disfavoredOverload
  public func sample<Trigger: StreamProtocol>(on trigger: Trigger) -> Operation<Element, Failure>
  where Trigger.Failure == Never { sample(on: trigger.setFailureType(to: Failure.self)) }
}

extension StreamProtocol where Failure == Never {
  /// Emits the latest element each time `trigger`, which can fail, emits.
  @inlinable @_disfavoredOverload
  public func sample<Trigger: StreamProtocol>(on trigger: Trigger) -> Operation<Element, Trigger.Failure> {
    setFailureType(to: Trigger.Failure.self).sample(on: trigger)
  }
}

@usableFromInline
final class Sample<Element, Failure: Error>: HoldingOperator<Element, Failure> {
  @usableFromInline let start: Duration

  @inlinable
  override init(_ observer: Observer<Element, Failure>, _ interval: Duration, _ scheduler: any Scheduler) {
    start = scheduler.now
    super.init(observer, interval, scheduler)
  }

  @inlinable
  func next(_ element: Element) {
    if timer == nil, !isPaused { arm() }
    hold(element)
  }

  @inlinable
  func arm() {
    let now = scheduler.now
    // Integer arithmetic in attoseconds, because the number of tiny intervals can exceed an Int.
    let (passed, step) = ((now - start).attoseconds, interval.attoseconds)
    let end = (start + Duration(attoseconds: passed - passed % step)).saturatingSum(interval)
    timer = scheduler.schedule(at: end) { [self] in
      timer = nil
      if !isPaused, let element = pending.take() { emitHeld(consume element) }
    }
  }

  @usableFromInline
  override func pause() {
    stopTimer()
    super.pause()
  }

  @usableFromInline
  override func pendingDidResume() { arm() }
}
