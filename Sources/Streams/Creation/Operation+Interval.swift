extension Operation where Element == Int {
  /// Emits 0, 1, 2, … : the first number after one interval, then one in each interval, until the subscription is disposed.
  ///
  /// The times lie on a grid that starts with the observation, so they do not drift. If the thread is late, missed times are
  /// skipped, and the numbers stay consecutive. A paused observer receives none, and continues with the next time of the grid.
  ///
  /// - Parameters:
  ///   - interval: The time between two numbers. Traps unless it is more than zero.
  ///   - scheduler: The clock to use. Defaults to the clock of the observing domain; traps if there is none.
  public static func interval(_ interval: Duration, on scheduler: (any Scheduler)? = nil) -> Operation {
    if interval <= .zero { misuse("interval(\(interval)): an interval is longer than zero.") }
    return Operation(unguarded: { observer in
      IntervalSource(observer, interval, resolve(scheduler, for: "interval(_:on:)", downstream: observer.subscription))
    })
  }
}

private final class IntervalSource<Failure: Error>: Disposable {
  private var observer: Observer<Int, Failure>?
  private let scheduler: any Scheduler
  private let interval: Duration
  private var due: Duration
  private var count = 0
  private var timer: (any Disposable)?
  private var isTicking = false
  private var isPaused = false

  init(_ observer: Observer<Int, Failure>, _ interval: Duration, _ scheduler: any Scheduler) {
    self.observer = observer
    self.scheduler = scheduler
    self.interval = interval
    due = scheduler.time(after: interval)
    arm()
  }

  private func arm() {
    if timer != nil || isTicking || isPaused || observer == nil { return }
    timer = scheduler.schedule(at: due) { [self] in
      timer = nil
      tick()
    }
  }

  private func tick() {
    guard let observer else { return }
    isTicking = true
    let number = count
    count += 1
    observer.next(number)
    isTicking = false
    if observer.subscription.isDisposed { dispose() }
    skipToNextTick()
    arm()
  }

  private func skipToNextTick() {
    let late = (scheduler.now - due).attoseconds
    if late < 0 { return }
    // Integer arithmetic in attoseconds, because the number of tiny intervals can exceed an Int.
    let passed = late - late % interval.attoseconds
    due = (due + Duration(attoseconds: passed)).saturatingSum(interval)
  }

  var isDisposed: Bool { observer == nil }

  func dispose() {
    observer = nil
    timer.take()?.dispose()
  }

  func pause() {
    isPaused = true
    timer.take()?.dispose()
  }

  func resume() {
    isPaused = false
    if isTicking || timer != nil { return }
    if due <= scheduler.now { skipToNextTick() }
    arm()
  }
}
