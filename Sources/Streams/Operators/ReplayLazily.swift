extension StreamProtocol {
  /// Shares one run of the stream among all observers of the result, and replays its last `capacity` elements and its completion to late
  /// ones.
  ///
  /// The first observer starts the run. It continues without observers while the result is retained, and ends when the result is neither
  /// retained nor observed. Unlike with `shareReplay`, there is only one run, unless it fails or its source is deallocated without an end:
  /// the next observer then starts a new one.
  /// The source is paused while there are observers and all of them are paused. If the only observer leaves during the call that began
  /// its observation, the source waits for the next observer. If it leaves later, also while it is paused, the source goes on: one that sends
  /// without an end in one call, such as `Stream.sequence(0...)`, does not return from that. Holds up to `capacity` elements.
  public func replayLazily(_ capacity: Int) -> Operation<Element, Failure> {
    if capacity < 0 { misuse("replayLazily(\(capacity)): the number of elements is at least 0.") }
    let lazy = LazyReplay(toOperation(), capacity)
    return Operation(unguarded: { observer in lazy.subscribe(observer) })
  }

  /// Runs the stream once for all observers of the stream that `setUp` receives. The run starts after `setUp` has returned, so that each of
  /// them receives every element.
  ///
  /// The disposable that `setUp` receives ends the run. If it is disposed before `setUp` returns, the stream does not start. Otherwise the
  /// run continues until its end, even without observers. Returns the result of `setUp`.
  public func withShared<Result>(
    _ setUp: (_ shared: Operation<Element, Failure>, _ run: any Disposable) -> Result
  ) -> Result {
    let table = ObserverTable<Element, Failure>()
    let link = NotifyingSubscription(downstream: nil) { table.vanish() }
    #if DEBUG || Tracing
    link.isObserved(at: "a shared stream", 0)
    #endif
    let result = setUp(Operation(unguarded: { table.subscribe($0) }), link)
    if !link.isDisposed {
      link.connect(self, next: { table.next($0) }, termination: { table.terminate($0) })
    }
    return result
  }
}

/// The run of `replayLazily`, started by its first observer. It ends with the deallocation of this object.
///
/// Ownership: the stream, and each observer in the table ===> LazyReplay ===> SharedRun.
private final class LazyReplay<Element, Failure: Error> {
  private let source: Operation<Element, Failure>
  private let capacity: Int
  private var run: SharedRun<Element, Failure>
  private var connection: (any Disposable)?
  private var hasStarted = false

  init(_ source: Operation<Element, Failure>, _ capacity: Int) {
    self.source = source
    self.capacity = capacity
    run = SharedRun(replaying: capacity, goesOnUnobserved: true)
    prepare()
  }

  private func prepare() {
    run.willEnd = { [weak self] end in if end.failure != nil { self?.makeNextRun() } }
    run.didEndUnheard = { [weak self] in self?.makeNextRun() }
  }

  private func makeNextRun() {
    let old = (run, connection)
    connection = nil
    hasStarted = false
    run = SharedRun(replaying: capacity, goesOnUnobserved: true)
    prepare()
    withExtendedLifetime(old) {}
  }

  deinit {
    guard let connection else { return }
    run.table.home.perform { connection.dispose() }
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
    // Adding can resume a source that fails. This observer then has received the end, and the next one starts a new run.
    if !hasStarted, run === self.run {
      hasStarted = true
      let connection = run.start(source, for: member)
      // A run that fails while it starts is no longer the current one.
      if run === self.run { self.connection = connection }
    }
    return member
  }
}
