extension StreamProtocol {
  /// Emits the latest element after `interval` of silence.
  ///
  /// If the stream completes, the pending element is emitted first. If it fails, the failure is delivered immediately and the pending
  /// element is dropped. While the observer is paused, a due element is held until it resumes. If the stream completes during the
  /// pause, the pending element and the completion are also held.
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
final class Debounce<Element, Failure: Error>: HoldingOperator<Element, Failure>, Expiring {
  @usableFromInline var countdown: Countdown!
  @exclusivity(unchecked) @usableFromInline var isDue = false

  @inlinable
  override init(_ observer: Observer<Element, Failure>, _ interval: Duration, _ scheduler: any Scheduler) {
    super.init(observer, interval, scheduler)
    countdown = Countdown(scheduler, for: self)
  }

  @inlinable
  func next(_ element: Element) {
    isDue = false
    countdown.restart(interval)
    hold(element)
  }

  @usableFromInline
  func didExpire() {
    isDue = isPaused
    if isPaused { return }
    if let element = pending.take() { emitHeld(consume element) }
  }

  @usableFromInline
  override func stopTimer() { countdown.stop() }

  @usableFromInline
  override func pendingDidResume() { if isDue { didExpire() } }
}
