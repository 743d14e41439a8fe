extension Operation {
  /// Emits `element` after `delay` and completes.
  ///
  /// A negative delay counts as zero. The element is never emitted during the call of `observe`. If the observer is paused when the
  /// time is over, the element is held until it resumes.
  ///
  /// - Parameters:
  ///   - element: The element to emit.
  ///   - delay: The time from the start of the observation to the element.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  public static func timer(
    _ element: Element, after delay: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation {
    Operation(unguarded: { observer in
      TimerSource(
        observer, element, delay, resolve(scheduler, for: "timer(_:after:on:)", downstream: observer.subscription))
    })
  }
}

private final class TimerSource<Element, Failure: Error>: Disposable {
  private var observer: Observer<Element, Failure>?
  private var element: Element?
  private var timer: (any Disposable)?
  private var isPaused = false
  private var isDue = false

  init(_ observer: Observer<Element, Failure>, _ element: Element, _ delay: Duration, _ scheduler: any Scheduler) {
    self.observer = observer
    self.element = element
    timer = scheduler.schedule(after: delay) { [self] in
      timer = nil
      isDue = true
      if !isPaused { emit() }
    }
  }

  private func emit() {
    guard let observer = observer.take(), let element = element.take() else { return }
    observer.next(element)
    if !observer.subscription.isDisposed { observer.completed() }
  }

  var isDisposed: Bool { observer == nil }

  func dispose() {
    observer = nil
    element = nil
    timer.take()?.dispose()
  }

  func pause() { isPaused = true }

  func resume() {
    isPaused = false
    if isDue { emit() }
  }
}
