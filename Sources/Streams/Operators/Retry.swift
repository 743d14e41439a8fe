extension StreamProtocol {
  /// On failure observes the stream anew, at most `times` times; the failure after the last attempt passes.
  ///
  /// Elements pass as they come, those of a failed attempt included. Without a number it tries for ever. Attempts that
  /// fail synchronously do not recurse, and none is started while the observer pauses. Holds no element, but the stream
  /// itself as long as it is observed: dispose of it, also where the stream is a subject that has been let go.
  @inlinable
  public func retry(_ times: Int = .max) -> Operation<Element, Failure> {
    rerun(times) { $0.failure == nil ? nil : .now }
  }

  /// On failure waits for `delay`, then observes the stream anew, at most `times` times; the failure after the last
  /// attempt passes at once.
  ///
  /// Otherwise as `retry(_:)`. One timer for each attempt.
  ///
  /// - Parameters:
  ///   - times: The number of attempts after the first.
  ///   - delay: The time from a failure to the next attempt.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
  @inlinable
  public func retry(
    _ times: Int, delay: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let scheduler = resolve(scheduler, for: "retry(_:delay:on:)", downstream: observer.subscription)
      return self.rerun(times) { $0.failure == nil ? nil : .after(delay, scheduler) }.subscribe(observer)
    })
  }

  /// Observes the stream anew each time it completes, `times` times in all; then it completes. A failure passes at once.
  ///
  /// With `times` of 0 or less it completes without observing the stream; without a number it repeats for ever. Streams
  /// that complete synchronously do not recurse, and none is started while the observer pauses. Holds the stream as
  /// `retry(_:)` does.
  @inlinable
  public func `repeat`(_ times: Int = .max) -> Operation<Element, Failure> {
    if times <= 0 { return .completed() }
    return rerun(times == .max ? .max : times - 1) { $0.failure == nil ? .now : nil }
  }

  /// Observes the stream anew as long as `decide` says so, at most `times` times.
  @inlinable
  func rerun(
    _ times: Int, _ decide: @escaping (Termination<Failure>) -> RerunDelay?
  ) -> Operation<Element, Failure> {
    let source = toOperation()
    return Operation(unguarded: { observer in
      let state = Rerun(source, observer, times, decide)
      state.run()
      return state
    })
  }
}

/// When a stream is observed anew.
@usableFromInline
enum RerunDelay {
  case now
  case after(Duration, any Scheduler)
}

/// A stream that is observed again and again, by a loop: runs that end synchronously do not recurse.
///
/// Ownership: Rerun ===> link ===> upstream ===> its observer ===> Rerun; timer ===> Rerun. `dispose()` cuts both.
@usableFromInline
final class Rerun<Element, Failure: Error>: Disposable {
  @exclusivity(unchecked) @usableFromInline var source: Operation<Element, Failure>?
  @exclusivity(unchecked) @usableFromInline var observer: Observer<Element, Failure>?
  @exclusivity(unchecked) @usableFromInline var decide: ((Termination<Failure>) -> RerunDelay?)?
  @exclusivity(unchecked) @usableFromInline var left: Int
  @exclusivity(unchecked) @usableFromInline var link: Subscription?
  @exclusivity(unchecked) @usableFromInline var timer: (any Disposable)?
  @exclusivity(unchecked) @usableFromInline var isDue = true
  @exclusivity(unchecked) @usableFromInline var isRunning = false
  @exclusivity(unchecked) @usableFromInline var isPaused = false
  @exclusivity(unchecked) @usableFromInline var isDisposed = false

  @inlinable
  init(
    _ source: Operation<Element, Failure>, _ observer: Observer<Element, Failure>, _ times: Int,
    _ decide: @escaping (Termination<Failure>) -> RerunDelay?
  ) {
    self.source = source
    self.observer = observer
    self.decide = decide
    left = times
  }

  /// Observes the stream as long as that is due. A loop further down the stack does it for those above it.
  @inlinable
  func run() {
    if isRunning { return }
    isRunning = true
    while isDue, !isPaused, let source, let observer, !observer.subscription.isDisposed {
      isDue = false
      let link = NotifyingSubscription(downstream: observer.subscription) { self.dispose() }
      self.link = link
      link.connect(source, next: observer.onNext, termination: { self.end($0) })
    }
    isRunning = false
  }

  @inlinable
  func end(_ end: Termination<Failure>) {
    guard let observer else { return }
    guard left > 0, let delay = decide?(end) else {
      dispose()
      observer.onTermination(end)
      return
    }
    if left < .max { left -= 1 }
    switch delay {
    case .now:
      isDue = true
      run()
    case .after(let delay, let scheduler):
      timer = scheduler.schedule(after: delay) { [self] in
        timer = nil
        isDue = true
        run()
      }
    }
  }

  @inlinable
  func dispose() {
    isDisposed = true
    observer = nil
    source = nil
    decide = nil
    timer.take()?.dispose()
    link.take()?.dispose()
  }

  @inlinable
  func pause() {
    isPaused = true
    link?.pause()
  }

  @inlinable
  func resume() {
    isPaused = false
    link?.resume()
    if !isPaused { run() }
  }
}
