extension StreamProtocol {
  /// Emits at most one element in each window of `interval`: its first element, immediately.
  ///
  /// With `latest`, the last of the other elements of a window is also emitted, at the end of the window, and opens the next one. If the
  /// stream completes, the pending element is emitted first. A failure is delivered immediately and drops the pending element. While the
  /// observer is paused, a due element is held until it resumes. If the stream completes during the pause, the pending element and the
  /// completion are also held.
  ///
  /// - Complexity: One clock read for each element; with `latest` one timer for each window that needs it. Holds one element with `latest`.
  /// - Parameters:
  ///   - interval: The length of a window.
  ///   - latest: Whether the last element of a window is emitted when the window ends.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
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
final class Throttle<Element, Failure: Error>: HoldingOperator<Element, Failure> {
  @usableFromInline let latest: Bool
  @exclusivity(unchecked) @usableFromInline var windowEnd: Duration?

  @inlinable
  init(_ observer: Observer<Element, Failure>, _ interval: Duration, _ latest: Bool, _ scheduler: any Scheduler) {
    self.latest = latest
    super.init(observer, interval, scheduler)
  }

  @inlinable
  func next(_ element: Element) {
    let now = scheduler.now
    // If the timer is late, the pending element of the window that has ended is delivered first.
    if let windowEnd, now >= windowEnd, !isPaused, pending != nil {
      emitPending(at: now)
      // Its delivery can have ended the subscription.
      if exit.isDisposed {
        Untaken.drop(element)
        return
      }
    }
    if let windowEnd, now < windowEnd || pending != nil {
      guard latest else { return }
      if timer == nil, !isPaused { arm() }
      hold(element)
    } else {
      windowEnd = now.saturatingSum(interval)
      exit.next(element)
    }
  }

  @inlinable
  func emitPending(at now: Duration) {
    guard let element = pending.take() else { return }
    windowEnd = now.saturatingSum(interval)
    emitHeld(consume element)
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

  @usableFromInline
  override func pendingDidResume() {
    let now = scheduler.now
    if let windowEnd, now < windowEnd { arm() } else { emitPending(at: now) }
  }
}
