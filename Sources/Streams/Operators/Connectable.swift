extension StreamProtocol {
  /// Returns a stream that runs once for all its observers, from `connect()` on.
  @inlinable
  public func publish() -> ConnectableOperation<Element, Failure> { ConnectableOperation(toOperation(), limit: 0) }

  /// Returns a stream that runs once for all its observers, from `connect()` on, and replays its last `limit` elements and its
  /// completion to late observers. Holds up to `limit` elements.
  @inlinable
  public func replay(_ limit: Int) -> ConnectableOperation<Element, Failure> {
    if limit < 0 { misuse("replay(\(limit)): the number of elements is at least 0.") }
    return ConnectableOperation(toOperation(), limit: limit)
  }

  /// Shares one run of the stream among all its observers, and replays its last `limit` elements and its completion to late ones.
  ///
  /// The first observer starts the run. When the last observer leaves, the run ends; the next observer starts a new run without the old
  /// elements. A run that has completed is replayed and not started again. After a run that has failed, the next observer starts a new
  /// one.
  ///
  /// The source is paused while all observers are paused. Holds up to `limit` elements.
  @inlinable
  public func shareReplay(_ limit: Int) -> Operation<Element, Failure> {
    if limit < 0 { misuse("shareReplay(\(limit)): the number of elements is at least 0.") }
    return replay(limit).counted(name: #function)
  }

  /// Unavailable: pass the number of elements to replay.
  @available(*, unavailable, message: "say how many elements late observers get: shareReplay(1); all of them: .max")
  public func shareReplay() -> Operation<Element, Failure> { fatalError("unavailable") }

  /// Returns the elements and the error as two streams that share one run. Neither fails, and both complete when the source ends.
  ///
  /// The first observer of one of them starts the run. When neither has an observer, the run ends. After the source has ended, it is
  /// not started again.
  @inlinable
  public func split() -> (elements: Stream<Element>, failures: Stream<Failure>) {
    let shared = ConnectableOperation(toOperation(), limit: 0, forgetsFailures: false).counted(name: #function)
    return (shared.toStream(logError: false), shared.failures())
  }
}

/// A stream that runs once for all its observers, from `connect()` on.
///
/// ```swift
/// let shared = Stream.sequence(1...3).publish()
/// shared.observeNext { print("a", $0) }.dispose(in: bag)
/// shared.observeNext { print("b", $0) }.dispose(in: bag)
/// shared.connect().dispose(in: bag)
/// ```
///
/// Observing it starts nothing. `connect()` starts the source. Disposing the result ends the run, after which `connect()` starts a new
/// one. The observers stay, and receive the elements of the new run too. An observer that subscribes after a completion receives the
/// completion immediately. One that subscribes after a failure waits for the next run.
///
/// Ownership: ConnectableOperation ===> SharedRun ===> table ===> observers; link ===> source's observer ===> SharedRun. The end
/// of a run cuts the link.
public final class ConnectableOperation<Element, Failure: Error>: StreamProtocol {
  @usableFromInline let source: Operation<Element, Failure>
  @usableFromInline let limit: Int
  @usableFromInline let forgetsFailures: Bool
  @usableFromInline let forgetsCompletions: Bool
  @exclusivity(unchecked) @usableFromInline var run: SharedRun<Element, Failure>

  @inlinable
  init(
    _ source: Operation<Element, Failure>, limit: Int, forgetsFailures: Bool = true, forgetsCompletions: Bool = false
  ) {
    self.source = source
    self.limit = limit
    self.forgetsFailures = forgetsFailures
    self.forgetsCompletions = forgetsCompletions
    run = SharedRun(replaying: limit)
    prepare()
  }

  /// Replaces a run whose end is forgotten: only its observers receive the end, and `retry()` and late observers get the next run. Also
  /// replaces a run that is over without an end.
  @usableFromInline
  func prepare() {
    run.willEnd = { [weak self, unowned(unsafe) run] end in
      guard let self, self.run === run, end.failure == nil ? forgetsCompletions : forgetsFailures else { return }
      makeNextRun()
    }
    run.didEndUnheard = { [weak self, weak run] in
      guard let self, let run, self.run === run else { return }
      makeNextRun()
    }
  }

  @usableFromInline
  func makeNextRun() {
    let old = run
    run = SharedRun(replaying: limit)
    prepare()
    withExtendedLifetime(old) {}
  }

  /// Starts the source unless it runs, and returns a disposable that ends this run. After the end of a run this starts the next one,
  /// without the old elements.
  @discardableResult
  @inlinable
  public func connect() -> any Disposable {
    if run.isEnding { makeNextRun() }
    return run.start(source, for: nil)
  }

  /// Returns the stream, connected while it has an observer.
  ///
  /// The first observer connects. When the last observer leaves, the run ends and its elements are dropped; the next observer connects
  /// again. A run that has completed is replayed. After a run that has failed, the next observer starts a new one.
  ///
  /// The source is paused while all observers are paused. Only the observers of the returned stream count, and not those of the
  /// connectable stream itself. While a disposable of `connect()` holds the run, they neither end nor pause it.
  @inlinable
  public func refCount() -> Operation<Element, Failure> { counted(name: #function) }

  /// `refCount()` as part of the operator `name`.
  @inlinable
  func counted(name: StaticString) -> Operation<Element, Failure> {
    .unguarded(name: name) { observer in
      self.run.forgetDisposedRun()
      let run = self.run
      let member = run.add(observer)
      if !observer.subscription.isDisposed, !run.isEnding { _ = run.start(self.source, for: member) }
      if observer.subscription.isDisposed { member.dispose() }
      return member
    }
  }

  /// Adds an observer, and returns its subscription.
  @inlinable
  public func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable { run.table.replay(to: observer) }
}

@available(*, unavailable)
extension ConnectableOperation: Sendable {}
