extension StreamProtocol {
  /// Emits at most one element in each window of `interval`: the one that opens it, at once.
  ///
  /// With `latest` the last of the other elements of a window is emitted too, when the window ends, and opens the next.
  /// When the stream completes, an element that still waits is emitted and completion follows; a failure passes at once
  /// and drops it. Holds one element with `latest`, none without. While paused nothing is emitted at the end of a window;
  /// it is when the observer resumes. So are the element that waits and the completion of a stream that completes meanwhile.
  ///
  /// Cost: a reading of the clock for each element; with `latest` one timer for each window that needs it.
  ///
  /// - Parameters:
  ///   - interval: The length of a window.
  ///   - latest: Whether the last element of a window is emitted when the window ends.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
  @inlinable
  public func throttle(
    for interval: Duration, latest: Bool = false, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let state = Throttle(
        observer, interval, latest,
        resolve(scheduler, for: "throttle(for:latest:on:)", downstream: observer.subscription))
      state.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state.exit
    })
  }
}

@usableFromInline
final class Throttle<Element, Failure: Error>: OperatorState {
  @usableFromInline let exit: SerializedSubscription<Element, Failure>
  @usableFromInline let link: Subscription
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let interval: Duration
  @usableFromInline let latest: Bool
  @exclusivity(unchecked) @usableFromInline var windowEnd: Duration?
  @exclusivity(unchecked) @usableFromInline var pending: Element?
  @exclusivity(unchecked) @usableFromInline var timer: (any Disposable)?
  @usableFromInline var isPaused = false
  /// Completed while the observer paused: the pending element comes first, when it resumes.
  @usableFromInline var hasCompleted = false

  @inlinable
  init(_ observer: Observer<Element, Failure>, _ interval: Duration, _ latest: Bool, _ scheduler: any Scheduler) {
    exit = SerializedSubscription(observer)
    link = Subscription(downstream: exit)
    self.scheduler = scheduler
    self.interval = interval
    self.latest = latest
    exit.attach(self)
  }

  @usableFromInline
  var isOver: Bool { link.isOver && pending == nil }

  @inlinable
  func next(_ element: Element) {
    let now = scheduler.now
    // The element of a window that has ended comes first, when the timer is late.
    if let windowEnd, now >= windowEnd, !isPaused, pending != nil {
      emitPending(at: now)
      // Its observer may have had enough.
      if exit.isDisposed {
        var dropped: Element? = element
        Untaken.dispose(&dropped)
        return
      }
    }
    if let windowEnd, now < windowEnd || pending != nil {
      guard latest else { return }
      // Before the element there is disposed, which may dispose of everything.
      if timer == nil, !isPaused { arm() }
      Untaken.replace(&pending, with: element)
    } else {
      windowEnd = now + interval
      exit.next(element)
    }
  }

  @inlinable
  func emitPending(at now: Duration) {
    guard let element = pending.take() else { return }
    windowEnd = now + interval
    exit.next(element)
  }

  @inlinable
  func arm() {
    guard let windowEnd else { return }
    timer = scheduler.schedule(at: windowEnd) { [self] in
      timer = nil
      if isPaused || pending == nil { return }
      let now = scheduler.now
      if let windowEnd = self.windowEnd, now < windowEnd { arm() } else { emitPending(at: now) }
    }
  }

  @inlinable
  func terminate(_ end: Termination<Failure>) {
    hasCompleted = end.failure == nil
    if !hasCompleted { return finish(end) }
    if isPaused, pending != nil { return }
    finish(end, after: pending.take())
  }

  @inlinable
  func dispose() {
    link.dispose()
    timer.take()?.dispose()
    Untaken.dispose(&pending)
  }

  @inlinable
  func pause() {
    isPaused = true
    link.pause()
  }

  @inlinable
  func resume() {
    isPaused = false
    if hasCompleted { finish(.completed, after: pending.take()) }
    if pending != nil, timer == nil {
      let now = scheduler.now
      if let windowEnd, now < windowEnd { arm() } else { emitPending(at: now) }
    }
    // A delivery may have paused again.
    if !isPaused { link.resume() }
  }
}
