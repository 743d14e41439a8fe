extension StreamProtocol {
  /// Emits the latest element after `interval` of silence.
  ///
  /// If the stream completes, the pending element is emitted first. If it fails, the failure is delivered immediately and the pending
  /// element is dropped. While the observer is paused, a due element is held until it resumes, and so are the pending element and the
  /// completion of a stream that completes meanwhile.
  ///
  /// - Complexity: One clock read for each element and one timer for each subscription. Holds one element.
  /// - Parameters:
  ///   - interval: The length of silence to wait for.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func debounce(
    for interval: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let state = Debounce(
        observer, interval, resolve(scheduler, for: "debounce(for:on:)", downstream: observer.subscription))
      state.link.connect(self, next: { state.next($0) }, termination: { state.terminate($0) })
      return state.exit
    })
  }
}

@usableFromInline
final class Debounce<Element, Failure: Error>: OperatorState, Expiring {
  @usableFromInline let exit: SerializedSubscription<Element, Failure>
  @usableFromInline let link: Subscription
  @usableFromInline var countdown: Countdown!
  @usableFromInline let interval: Duration
  @exclusivity(unchecked) @usableFromInline var pending: Element?
  @usableFromInline var isPaused = false
  @usableFromInline var isDue = false
  /// True if the source completed while the observer was paused. The pending element is delivered before the completion.
  @usableFromInline var hasCompleted = false

  @inlinable
  init(_ observer: Observer<Element, Failure>, _ interval: Duration, _ scheduler: any Scheduler) {
    exit = SerializedSubscription(observer)
    link = Subscription(downstream: exit)
    self.interval = interval
    countdown = Countdown(scheduler, for: self)
    exit.attach(self)
  }

  @usableFromInline
  var isOver: Bool { link.isOver && pending == nil }

  @inlinable
  func next(_ element: Element) {
    isDue = false
    // Set before the old element is disposed, which can end the subscription.
    countdown.restart(interval)
    Untaken.replace(&pending, with: element)
  }

  @inlinable
  func didExpire() {
    isDue = isPaused
    if isPaused { return }
    if let element = pending.take() { exit.next(element) }
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
    countdown.stop()
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
    if isDue { didExpire() }
    // A delivery can have paused again.
    if !isPaused { link.resume() }
  }
}
