extension StreamProtocol {
  /// A stream that runs once for all its observers, from `connect()` on.
  @inlinable
  public func publish() -> ConnectableOperation<Element, Failure> { ConnectableOperation(toOperation(), limit: 0) }

  /// A stream that runs once for all its observers, from `connect()` on, and gives its last `limit` elements, and its
  /// end, to those who come late. Holds `limit` elements.
  @inlinable
  public func replay(_ limit: Int) -> ConnectableOperation<Element, Failure> {
    if limit < 0 { misuse("replay(\(limit)): the number of elements is at least 0.") }
    return ConnectableOperation(toOperation(), limit: limit)
  }

  /// Shares one run of the stream among all its observers, and replays its last `limit` elements and its end to late ones.
  ///
  /// The first observer starts the run, and the last one to leave ends it. The next observer then starts a new run, without
  /// the remembered elements. A run that has completed is replayed, not started again. A run that has failed is forgotten:
  /// the next observer starts a new one.
  ///
  /// The same as `replay(limit).refCount()`. The source is paused while all observers pause. Holds `limit` elements.
  @inlinable
  public func shareReplay(_ limit: Int) -> Operation<Element, Failure> { replay(limit).refCount() }

  /// Not offered: say how many elements are to be remembered.
  @available(*, unavailable, message: "say how many elements late observers get: shareReplay(1); all of them: .max")
  public func shareReplay() -> Operation<Element, Failure> { fatalError("unavailable") }

  /// The elements and the error as two streams that share one run, neither of which fails. Both complete with the source.
  ///
  /// The run starts when one of the two gets its first observer, and is ended when neither has an observer left. Once it has
  /// ended by itself, it is not started again.
  @inlinable
  public func split() -> (elements: Stream<Element>, failures: Stream<Failure>) {
    let shared = ConnectableOperation(toOperation(), limit: 0, forgetsFailures: false).refCount()
    return (shared.toStream(logError: false), shared.failures())
  }
}

/// A stream that runs once for all its observers, when `connect()` is called.
///
/// ```swift
/// let shared = Stream.sequence(1...3).publish()
/// shared.observeNext { print("a", $0) }.dispose(in: bag)
/// shared.observeNext { print("b", $0) }.dispose(in: bag)
/// shared.connect().dispose(in: bag)
/// ```
///
/// Observing it starts nothing. `connect()` starts the source; what that returns ends the run, after which `connect()`
/// starts a new one. The observers stay, and get the elements of the new run too. An observer that subscribes after a
/// completion receives the completion immediately. One that subscribes after a failure waits for the next run.
///
/// Ownership: ConnectableOperation ===> ConnectedRun ===> table ===> observers; link ===> source's observer ===>
/// ConnectedRun. The end of a run cuts the link.
public final class ConnectableOperation<Element, Failure: Error>: StreamProtocol {
  @usableFromInline let source: Operation<Element, Failure>
  @usableFromInline let limit: Int
  @usableFromInline let forgetsFailures: Bool
  @exclusivity(unchecked) @usableFromInline var run: ConnectedRun<Element, Failure>

  @inlinable
  init(_ source: Operation<Element, Failure>, limit: Int, forgetsFailures: Bool = true) {
    self.source = source
    self.limit = limit
    self.forgetsFailures = forgetsFailures
    run = ConnectedRun(limit: limit)
    prepare(run)
  }

  /// A failure belongs to the observers of that moment: `retry()` and late observers get the next run.
  @usableFromInline
  func prepare(_ run: ConnectedRun<Element, Failure>) {
    if !forgetsFailures { return }
    run.willFail = { [weak self, weak run] in
      guard let self, self.run === run else { return }
      self.run = ConnectedRun(limit: limit)
      prepare(self.run)
    }
  }

  /// Starts the source, unless it runs, and returns what ends this run. After the end of a run it starts the next one,
  /// and what was remembered is forgotten.
  @discardableResult
  @inlinable
  public func connect() -> any Disposable {
    if run.replay.isEnding {
      run = ConnectedRun(limit: limit)
      prepare(run)
    }
    return run.start(source, for: nil)
  }

  /// The stream itself, connected while it has an observer.
  ///
  /// The first observer connects. The last one to leave ends the run, which forgets what it remembered, and the next one
  /// connects again. A run that has completed is replayed. A run that has failed is forgotten: the next observer starts a
  /// new one.
  ///
  /// The source is paused while all observers pause.
  @inlinable
  public func refCount() -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      let run = self.run
      let member = run.add(observer)
      if !observer.subscription.isDisposed, !run.replay.isEnding { _ = run.start(self.source, for: member) }
      if observer.subscription.isDisposed { member.dispose() }
      return member
    })
  }

  /// See `StreamProtocol`.
  @inlinable
  public func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable { run.replay.subscribe(observer) }
}

@available(*, unavailable)
extension ConnectableOperation: Sendable {}
