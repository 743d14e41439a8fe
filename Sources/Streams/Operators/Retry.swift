extension StreamProtocol {
  /// On failure observes the stream anew, at most `times` times; the failure after the last attempt passes.
  ///
  /// Elements pass as they come, those of a failed attempt included. Without a number it tries for ever. Attempts that
  /// fail synchronously do not recurse, and none is started while the observer pauses. Holds no element, but the stream
  /// itself as long as it is observed: dispose of it, also where the stream is a subject that has been let go.
  public func retry(_ times: Int = .max) -> Operation<Element, Failure> {
    rerun(times) { $0.failure == nil ? nil : .now }
  }

  /// On failure waits for `delay`, then observes the stream anew, at most `times` times; the failure after the last
  /// attempt passes at once.
  ///
  /// Otherwise as `retry(_:)`. One timer for each attempt.
  ///
  /// - Parameter scheduler: the clock; by default that of the domain that observes.
  public func retry(
    _ times: Int, delay: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let scheduler = resolve(scheduler, for: "retry(_:delay:on:)")
      return self.rerun(times) { $0.failure == nil ? nil : .after(delay, scheduler) }.subscribe(observer)
    })
  }

  /// Observes the stream anew each time it completes, `times` times in all; then it completes. A failure passes at once.
  ///
  /// With `times` of 0 or less it completes without observing the stream; without a number it repeats for ever. Streams
  /// that complete synchronously do not recurse, and none is started while the observer pauses. Holds the stream as
  /// `retry(_:)` does.
  public func `repeat`(_ times: Int = .max) -> Operation<Element, Failure> {
    if times <= 0 { return .completed() }
    return rerun(times == .max ? .max : times - 1) { $0.failure == nil ? .now : nil }
  }

  /// Observes the stream anew as long as `decide` says so, at most `times` times.
  private func rerun(
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
enum RerunDelay {
  case now
  case after(Duration, any Scheduler)
}

/// A stream that is observed again and again, by a loop: runs that end synchronously do not recurse.
///
/// Ownership: Rerun ===> link ===> upstream ===> its observer ===> Rerun; timer ===> Rerun. `dispose()` cuts both.
final class Rerun<Element, Failure: Error>: Disposable {
  private var source: Operation<Element, Failure>?
  private var observer: Observer<Element, Failure>?
  private var decide: ((Termination<Failure>) -> RerunDelay?)?
  private var left: Int
  private var link: Link?
  private var timer: (any Disposable)?
  private var isDue = true
  private var isRunning = false
  private var isPaused = false
  private(set) var isDisposed = false

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
  func run() {
    if isRunning { return }
    isRunning = true
    while isDue, !isPaused, let source, let observer, !observer.gate.isClosed {
      isDue = false
      let link = Link(downstream: observer.gate)
      self.link = link
      link.connect(source, next: observer.onNext, termination: { self.end($0) })
    }
    isRunning = false
  }

  private func end(_ end: Termination<Failure>) {
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

  func dispose() {
    isDisposed = true
    observer = nil
    source = nil
    decide = nil
    timer.take()?.dispose()
    link.take()?.dispose()
  }

  func pause() {
    isPaused = true
    link?.pause()
  }

  func resume() {
    isPaused = false
    link?.resume()
    if !isPaused { run() }
  }
}
