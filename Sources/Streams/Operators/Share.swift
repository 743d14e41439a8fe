extension StreamProtocol {
  /// Shares one run of the stream among all its observers. The first observer starts the run, and the last one that leaves ends it.
  ///
  /// Observers receive elements that are sent while they observe. After the end, and after the last observer has left, the next observer
  /// starts a new run. An element that is sent during a delivery is delivered after it, to all observers in order.
  ///
  /// The source is paused while all observers are paused.
  @inlinable
  public func share() -> Operation<Element, Failure> {
    let shared = Shared(source: toOperation())
    return Operation(unguarded: { observer in shared.subscribe(observer) })
  }
}

/// A stream and its current run, if it has one.
@usableFromInline
final class Shared<Element, Failure: Error> {
  @usableFromInline let source: Operation<Element, Failure>
  // Retained by its members and by the source.
  @usableFromInline weak var run: SharedRun<Element, Failure>?

  @inlinable
  init(source: Operation<Element, Failure>) { self.source = source }

  @inlinable
  func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable {
    if let run, !run.link.isOver { return run.add(observer) }
    let run = SharedRun(of: self)
    self.run = run
    let member = run.add(observer)
    if !member.isLeft { run.start(source, for: member) }
    return member
  }
}

/// One run of a shared stream.
///
/// Ownership: member ===> SharedRun ===> table, link ===> source's observer ===> SharedRun. Leaving cuts the link.
@usableFromInline
final class SharedRun<Element, Failure: Error>: CountedRun {
  @usableFromInline weak var shared: Shared<Element, Failure>?
  @usableFromInline let table: ObserverTable<Element, Failure>
  @usableFromInline let link: NotifyingSubscription

  @inlinable
  init(of shared: Shared<Element, Failure>) {
    self.shared = shared
    let table = ObserverTable<Element, Failure>()
    self.table = table
    link = NotifyingSubscription(downstream: nil) { table.removeAll() }
    super.init()
  }

  @inlinable
  func add(_ observer: Observer<Element, Failure>) -> RunMember {
    add(observer.subscription) { table.subscribe(observer) }
  }

  @inlinable
  func start(_ source: Operation<Element, Failure>, for starter: RunMember) {
    enter(starter) {
      link.connect(
        source,
        next: { [self] element in
          table.next(element)
          if entering != nil { followGates() }
        },
        termination: { [self] end in
          didEmpty()
          table.terminate(end)
        })
    }
  }

  @usableFromInline
  override func didEmpty() {
    if let shared, shared.run === self { shared.run = nil }
    link.dispose()
  }

  @usableFromInline
  override func updatePause() {
    if memberCount > 0, pausedCount == memberCount { link.pause() } else if !isAdding { link.resume() }
  }
}
