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
      let state = Timeout(
        observer, interval, error,
        resolve(scheduler, for: "timeout(_:failingWith:on:)", downstream: observer.subscription))
      state.link.connect(self, next: { state.next($0) }, termination: { state.finish($0) })
      return state.exit
    })
  }

  /// Fails with `error` and disposes the source if it has not ended `interval` after the observation.
  ///
  /// A pause does not stop the time, but the failure is held until the observer resumes. If a source that cannot pause ends meanwhile, its
  /// end is delivered instead.
  ///
  /// - Parameters:
  ///   - interval: The longest time until the end.
  ///   - error: The error of the failure.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func timeout(
    after interval: Duration, failingWith error: Failure, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    take(until: Operation.timer((), after: interval, on: scheduler).tryMap { _ throws(Failure) in throw error })
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
  @exclusivity(unchecked) @usableFromInline var isPaused = false

  @inlinable
  init(_ observer: Observer<Element, Failure>, _ interval: Duration, _ error: Failure, _ scheduler: any Scheduler) {
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
  func didExpire() { finish(.failed(error)) }

  @inlinable
  func next(_ element: Element) {
    // During a pause the time stands still, also if the source sends.
    if !isPaused { countdown.restart(interval) }
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
    countdown.stop()
    link.pause()
  }

  @inlinable
  func resume() {
    isPaused = false
    if exit.isDisposed { return }
    countdown.restart(interval)
    link.resume()
  }
}
