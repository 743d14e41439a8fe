extension StreamProtocol {
  /// Observes the stream again after a failure, up to `times` times. The failure after the last attempt is forwarded.
  ///
  /// Elements are forwarded immediately, even those of a failed attempt. Without a number, the attempts are not limited. Attempts that fail
  /// synchronously do not recurse, and none starts while the observer is paused. Holds no element. Retains the stream while it has an
  /// observer, so dispose the subscription, even if the stream is a subject that you have released.
  @inlinable
  public func retry(_ times: Int = .max) -> Operation<Element, Failure> {
    rerun(times) { $0.failure == nil ? nil : .now }
  }

  /// Observes the stream again `delay` after a failure, up to `times` times. The failure after the last attempt is forwarded immediately.
  ///
  /// Elements are forwarded immediately, even those of a failed attempt. No attempt starts while the observer is
  /// paused. Retains the stream while it has an observer. One timer for each attempt.
  ///
  /// - Parameters:
  ///   - times: The maximum number of attempts after the first.
  ///   - delay: The time from a failure to the next attempt.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  @inlinable
  public func retry(
    _ times: Int, delay: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let scheduler = resolve(scheduler, for: "retry(_:delay:on:)", downstream: observer.subscription)
      return self.rerun(times, name: nil) { $0.failure == nil ? nil : .after(delay, scheduler) }.subscribe(observer)
    })
  }

  /// Observes the stream again after each completion, `times` times in all, then completes. A failure is delivered immediately.
  ///
  /// If `times` is 0 or less, completes without observing the stream. Without a number, it repeats without a limit. Streams that complete
  /// synchronously do not recurse, and none starts while the observer is paused. Retains the stream while it has an observer.
  @inlinable
  public func `repeat`(_ times: Int = .max) -> Operation<Element, Failure> {
    if times <= 0 { return .completed() }
    return rerun(times == .max ? .max : times - 1) { $0.failure == nil ? .now : nil }
  }

  /// Observes the stream again while `decide` returns true, up to `times` times.
  @inlinable
  func rerun(
    _ times: Int, name: StaticString? = #function, _ decide: @escaping (Termination<Failure>) -> RerunDelay?
  ) -> Operation<Element, Failure> {
    let source = toOperation()
    return .unguarded(name: name) { observer in
      let state = Rerun(source, observer, times, decide)
      state.run()
      return state
    }
  }
}

/// The time at which a stream is observed again.
@usableFromInline
enum RerunDelay {
  case now
  case after(Duration, any Scheduler)
}

/// A stream that a loop observes repeatedly, so that runs that end synchronously do not recurse.
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

  /// Observes the stream while a run is due. A nested call leaves this to the loop further down the stack.
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
