extension StreamProtocol {
  /// Fails with `error` and disposes the source after `interval` without an element.
  ///
  /// The time starts with the observation and again with each element. It stops while the observer is paused, and starts again when it
  /// resumes.
  ///
  /// - Complexity: One clock read for each element and one timer for each subscription.
  /// - Parameters:
  ///   - interval: The longest time without an element.
  ///   - error: The error of the failure.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func timeout(
    _ interval: Duration, failingWith error: Failure, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      Timeout(
        observer, interval, error,
        resolve(scheduler, for: "timeout(_:failingWith:on:)", downstream: observer.subscription)
      ).connect(self)
    })
  }

  /// Fails with `error` and disposes the source if it has not ended `interval` after the observation.
  ///
  /// A pause does not stop the time. If the time is over during a pause, the source is disposed, and the failure is held until the observer
  /// resumes.
  ///
  /// - Parameters:
  ///   - interval: The longest time until the end.
  ///   - error: The error of the failure.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func timeout(
    after interval: Duration, failingWith error: Failure, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      Timeout(
        observer, interval, error,
        resolve(scheduler, for: "timeout(after:failingWith:on:)", downstream: observer.subscription), untilEnd: true
      ).connect(self)
    })
  }
}

extension StreamProtocol where Failure == Never {
  /// Fails with `error` and disposes the source after `interval` without an element. The time starts with the observation and again with each
  /// element.
  ///
  /// - Parameters:
  ///   - interval: The longest time without an element.
  ///   - error: The error of the failure.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func timeout<NewFailure: Error>(
    _ interval: Duration, failingWith error: NewFailure, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, NewFailure> {
    setFailureType(to: NewFailure.self).timeout(interval, failingWith: error, on: scheduler)
  }

  /// Fails with `error` and disposes the source if it has not completed `interval` after the observation.
  ///
  /// - Parameters:
  ///   - interval: The longest time until the end.
  ///   - error: The error of the failure.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func timeout<NewFailure: Error>(
    after interval: Duration, failingWith error: NewFailure, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, NewFailure> {
    setFailureType(to: NewFailure.self).timeout(after: interval, failingWith: error, on: scheduler)
  }
}

@usableFromInline
final class Timeout<Element, Failure: Error>: OperatorState, Expiring {
  @usableFromInline let exit: SerializedSubscription<Element, Failure>
  @usableFromInline let link: Subscription
  @usableFromInline var countdown: Countdown!
  @usableFromInline let interval: Duration
  @usableFromInline let error: Failure
  /// True if the interval is the time until the end: neither an element nor a pause restarts it.
  @usableFromInline let isUntilEnd: Bool
  @exclusivity(unchecked) @usableFromInline var isPaused = false
  /// True if the time was over during a pause, so that the failure waits.
  @exclusivity(unchecked) @usableFromInline var hasExpired = false

  @inlinable
  init(
    _ observer: Observer<Element, Failure>, _ interval: Duration, _ error: Failure, _ scheduler: any Scheduler,
    untilEnd isUntilEnd: Bool = false
  ) {
    self.isUntilEnd = isUntilEnd
    exit = SerializedSubscription(observer)
    link = Subscription(downstream: exit)
    self.interval = interval
    self.error = error
    countdown = Countdown(scheduler, for: self)
    countdown.restart(interval)
    exit.attach(self)
  }

  /// False, because the timeout still ends a stream whose source has vanished.
  @usableFromInline
  var isOver: Bool { false }

  @inlinable
  func connect(_ source: some StreamProtocol<Element, Failure>) -> any Disposable {
    link.connect(source, next: { self.next($0) }, termination: { self.finish($0) })
    return exit
  }

  @inlinable
  func didExpire() {
    if !isPaused { return finish(.failed(error)) }
    hasExpired = true
    link.dispose()
  }

  @inlinable
  func next(_ element: Element) {
    // During a pause the time stands still, also if the source sends.
    if !isPaused, !isUntilEnd { countdown.restart(interval) }
    exit.next(element)
  }

  @inlinable
  func dispose() {
    link.dispose()
    countdown.stop()
  }

  @inlinable
  func pause() {
    isPaused = true
    if !isUntilEnd { countdown.stop() }
    link.pause()
  }

  @inlinable
  func resume() {
    isPaused = false
    if exit.isDisposed { return }
    if hasExpired { return finish(.failed(error)) }
    if !isUntilEnd { countdown.restart(interval) }
    link.resume()
  }
}
