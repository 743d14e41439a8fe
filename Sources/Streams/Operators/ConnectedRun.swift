/// One run of a connectable stream: its observers, and the link to its source while it is connected.
@usableFromInline
final class ConnectedRun<Element, Failure: Error>: CountedRun {
  @usableFromInline let replay: ReplayTable<Element, Failure>
  /// True if the run continues without observers, until its owner ends it.
  @usableFromInline let goesOnUnobserved: Bool
  @exclusivity(unchecked) @usableFromInline var link: Subscription?
  @exclusivity(unchecked) @usableFromInline var waitsForMember = false
  /// Runs before the observers receive a failure. Later observers belong to the next run.
  @usableFromInline var willFail: (() -> Void)?

  @inlinable
  init(limit: Int, goesOnUnobserved: Bool = false) {
    replay = ReplayTable(limit: limit)
    self.goesOnUnobserved = goesOnUnobserved
    super.init()
  }

  /// Connects to `source` unless it is connected, for the member `starter` if there is one.
  @inlinable
  func start(_ source: Operation<Element, Failure>, for starter: RunMember?) -> any Disposable {
    if let link, !link.isOver { return link }
    replay.memory.removeAll()
    let link = NotifyingSubscription(downstream: nil) { [replay, goesOnUnobserved] in
      replay.removeObservers()
      // After a run without an end nothing is replayed, unless this is the only run.
      if !goesOnUnobserved { replay.memory.removeAll() }
    }
    self.link = link
    updatePause()
    if let starter { enter(starter) { connect(link, source) } } else { connect(link, source) }
    return link
  }

  @inlinable
  func connect(_ link: Subscription, _ source: Operation<Element, Failure>) {
    link.connect(
      source,
      next: { [self] element in
        replay.table.next(element)
        if entering != nil { followGates() }
      },
      termination: { [self] end in
        if end.failure != nil { willFail?() }
        replay.table.terminate(end)
      })
  }

  @inlinable
  func add(_ observer: Observer<Element, Failure>) -> RunMember {
    waitsForMember = false
    return add(observer.subscription) { replay.subscribe(observer) }
  }

  /// Stops a source that emits without an end before it returns.
  @usableFromInline
  override func willLeave(_ entering: RunMember) {
    if goesOnUnobserved, memberCount == 1 { waitsForMember = true }
  }

  @usableFromInline
  override func didEmpty() { if goesOnUnobserved { updatePause() } else { stop() } }

  @inlinable
  func stop() {
    link.take()?.dispose()
    // The elements of a run that has ended by itself are kept for late observers.
    if !replay.isEnding { replay.memory.removeAll() }
  }

  @usableFromInline
  override func updatePause() {
    let isPaused = memberCount > 0 ? pausedCount == memberCount : waitsForMember
    if isPaused { link?.pause() } else if !isAdding { link?.resume() }
  }
}
