extension StreamProtocol {
  /// One run of the stream for all observers of the result, which gives its last `capacity` elements, and its end, to
  /// those who come late. The first observer starts it; it goes on without observers as long as somebody keeps the
  /// result, and is ended when nobody observes or keeps it any more.
  ///
  /// Unlike `shareReplay` it does not run twice, unless it fails: a failure is not replayed, and the next observer starts a
  /// new run. The source is paused while all observers, of whom there is at least one,
  /// pause, and waits for the next one where the only one has left from inside of the call in which it began to observe.
  /// Holds `capacity` elements.
  public func replayLazily(_ capacity: Int) -> Operation<Element, Failure> {
    if capacity < 0 { misuse("replayLazily(\(capacity)): the number of elements is at least 0.") }
    let lazy = LazyReplay(toOperation(), capacity)
    return Operation(unguarded: { observer in lazy.subscribe(observer) })
  }

  /// Runs the stream once for all who observe the stream that `setUp` gets: it starts when `setUp` has returned, so that
  /// none of them misses an element. The disposable that `setUp` gets ends the run; where it is disposed of before, the
  /// stream is not started.
  ///
  /// The run goes on until then, or until its end, whoever leaves. What `setUp` returns is returned.
  public func withShared<Result>(
    _ setUp: (_ shared: Operation<Element, Failure>, _ run: any Disposable) -> Result
  ) -> Result {
    let table = ObserverTable<Element, Failure>()
    let link = NotifyingSubscription(downstream: nil) { table.removeAll() }
    let result = setUp(Operation(unguarded: { table.subscribe($0) }), link)
    if !link.isDisposed {
      link.connect(self, next: { table.next($0) }, termination: { table.terminate($0) })
    }
    return result
  }
}

/// The one run of a stream, started by its first observer, for as long as this object lives.
///
/// Ownership: the stream, and each observer in the table ===> LazyReplay ===> ConnectedRun.
private final class LazyReplay<Element, Failure: Error> {
  private let source: Operation<Element, Failure>
  private let capacity: Int
  private var run: ConnectedRun<Element, Failure>
  private var connection: (any Disposable)?
  private var hasStarted = false

  init(_ source: Operation<Element, Failure>, _ capacity: Int) {
    self.source = source
    self.capacity = capacity
    run = ConnectedRun(limit: capacity, goesOnUnobserved: true)
    prepare()
  }

  private func prepare() {
    run.willFail = { [weak self] in
      guard let self else { return }
      connection = nil
      hasStarted = false
      run = ConnectedRun(limit: capacity, goesOnUnobserved: true)
      prepare()
    }
  }

  deinit {
    guard let connection else { return }
    run.replay.table.home.perform { connection.dispose() }
  }

  func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable {
    let run = run
    let member = run.add(
      Observer(
        for: observer.subscription, next: observer.onNext,
        termination: { [self] end in
          if end.failure == nil { connection = nil }
          observer.onTermination(end)
        }))
    // Adding may resume a source that fails: then this observer has had its end, and the next one starts the next run.
    if !hasStarted, run === self.run {
      hasStarted = true
      let connection = run.start(source, for: member)
      // A run that fails while it starts is not the present one any more.
      if run === self.run { self.connection = connection }
    }
    return member
  }
}
