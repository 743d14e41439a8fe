extension Operation where Element == Int {
  /// 0, 1, 2, … : the first after one interval, then one in each interval, until the observer is disposed.
  ///
  /// Ticks lie on a grid that starts when it is observed, so they do not drift. When the thread is late, the ticks it has
  /// missed are skipped; the numbers are consecutive. While paused it does not tick; afterwards it goes on with the next
  /// tick of the grid.
  ///
  /// - Parameters:
  ///   - interval: The time from one number to the next, more than zero.
  ///   - scheduler: The clock. Defaults to the clock of the observing domain.
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
    due = scheduler.now + interval
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
    // In whole numbers: a tiny interval fits more often than an Int can say.
    due += Duration(attoseconds: (late / interval.attoseconds + 1) * interval.attoseconds)
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
