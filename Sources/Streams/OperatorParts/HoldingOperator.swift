/// The state of an operator with one upstream and a clock that holds the latest element: debounce, throttle, and sample.
///
/// If the source completes, the pending element is emitted first; if that happens while the observer is paused, both wait. A failure
/// drops the pending element.
@usableFromInline
class HoldingOperator<Element, Failure: Error>: OperatorState {
  @usableFromInline final let exit: SerializedSubscription<Element, Failure>
  @usableFromInline final let link: Subscription
  @usableFromInline final let scheduler: any Scheduler
  @usableFromInline final let interval: Duration
  @exclusivity(unchecked) @usableFromInline final var pending: Element?
  @exclusivity(unchecked) @usableFromInline final var timer: (any Disposable)?
  @exclusivity(unchecked) @usableFromInline final var isPaused = false
  /// True if the source completed while the observer was paused.
  @exclusivity(unchecked) @usableFromInline final var hasCompleted = false

  @inlinable
  init(_ observer: Observer<Element, Failure>, _ interval: Duration, _ scheduler: any Scheduler) {
    exit = SerializedSubscription(observer)
    link = Subscription(downstream: exit)
    self.scheduler = scheduler
    self.interval = interval
    exit.attach(self)
  }

  @usableFromInline
  final var isOver: Bool { link.isOver && pending == nil }

  /// Sets the timer for the pending element, or emits that. Called when the observer resumes, unless a timer is set.
  @usableFromInline
  func pendingDidResume() {}

  /// Replaces the pending element. Call it last, because disposing the old element can end the subscription.
  @inlinable
  final func hold(_ element: Element) { Untaken.replace(&pending, with: element) }

  @inlinable
  final func terminate(_ end: Termination<Failure>) {
    hasCompleted = end.failure == nil
    if !hasCompleted { return finish(end) }
    if isPaused, pending != nil { return }
    finish(end, after: pending.take())
  }

  @usableFromInline
  func stopTimer() { timer.take()?.dispose() }

  @usableFromInline
  final func dispose() {
    link.dispose()
    stopTimer()
    Untaken.dispose(&pending)
  }

  @usableFromInline
  func pause() {
    isPaused = true
    link.pause()
  }

  @usableFromInline
  final func resume() {
    isPaused = false
    if hasCompleted { finish(.completed, after: pending.take()) }
    if pending != nil, timer == nil { pendingDidResume() }
    // A delivery can have paused again.
    if !isPaused { link.resume() }
  }
}
