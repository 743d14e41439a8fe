extension StreamProtocol {
  /// Fails with `error`, and disposes of the source, when `interval` passes without an element; it is counted from the
  /// moment of observing and again from each element. Elements and the end pass at once.
  ///
  /// The clock stands while the observer pauses, and starts anew when it resumes.
  ///
  /// Cost: a reading of the clock for each element; one timer, which is not touched by an element.
  ///
  /// - Parameters:
  ///   - interval: The longest time without an element.
  ///   - error: The failure.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
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

  /// Fails with `error`, and disposes of the source, unless it has ended when `interval` has passed since it was observed,
  /// whatever it has sent until then. Elements and the end pass at once. Pausing does not stop the clock, but what it says
  /// waits until the observer resumes.
  ///
  /// - Parameters:
  ///   - interval: The longest time until the end.
  ///   - error: The failure.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
  @inlinable
  public func timeout(
    after interval: Duration, failingWith error: Failure, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    take(until: Operation.timer((), after: interval, on: scheduler).tryMap { _ throws(Failure) in throw error })
  }
}

extension StreamProtocol where Failure == Never {
  /// Fails with `error`, and disposes of the source, when `interval` passes without an element; it is counted from the
  /// moment of observing and again from each element.
  ///
  /// - Parameters:
  ///   - interval: The longest time without an element.
  ///   - error: The failure.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
  @inlinable
  public func timeout<NewFailure: Error>(
    _ interval: Duration, failingWith error: NewFailure, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, NewFailure> {
    setFailureType(to: NewFailure.self).timeout(interval, failingWith: error, on: scheduler)
  }

  /// Fails with `error`, and disposes of the source, unless it has completed when `interval` has passed.
  ///
  /// - Parameters:
  ///   - interval: The longest time until the end.
  ///   - error: The failure.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
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

  /// A source that has gone sends nothing, so the time runs out.
  @usableFromInline
  var isOver: Bool { false }

  @inlinable
  func didExpire() { finish(.failed(error)) }

  @inlinable
  func next(_ element: Element) {
    // While the observer pauses the clock stands, whatever a source that cannot wait sends.
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
