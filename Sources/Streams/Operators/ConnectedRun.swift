/// The observers of a connectable stream, and the link to its source while it is connected.
@usableFromInline
final class ConnectedRun<Element, Failure: Error>: CountedRun {
  @usableFromInline let replay: ReplayTable<Element, Failure>
  /// Nobody's leaving ends it: whoever made it does.
  @usableFromInline let goesOnUnobserved: Bool
  @exclusivity(unchecked) @usableFromInline var link: Subscription?
  @exclusivity(unchecked) @usableFromInline var waitsForMember = false
  /// Runs before the observers receive a failure: who observes from then on belongs to the next run.
  @usableFromInline var willFail: (() -> Void)?

  @inlinable
  init(limit: Int, goesOnUnobserved: Bool = false) {
    replay = ReplayTable(limit: limit)
    self.goesOnUnobserved = goesOnUnobserved
    super.init()
  }

  /// Connects to `source` unless that has been done; for `starter`, if it is one of the members for which it is done.
  @inlinable
  func start(_ source: Operation<Element, Failure>, for starter: RunMember?) -> any Disposable {
    if let link, !link.isOver { return link }
    replay.memory.removeAll()
    let link = NotifyingSubscription(downstream: nil) { [replay, goesOnUnobserved] in
      replay.removeObservers()
      // Without an end there is nothing to replay, unless this is the only run there will be.
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

  /// A source that emits without end before it returns has to be stopped here and now.
  @usableFromInline
  override func willLeave(_ entering: RunMember) {
    if goesOnUnobserved, memberCount == 1 { waitsForMember = true }
  }

  @usableFromInline
  override func didEmpty() { if goesOnUnobserved { updatePause() } else { stop() } }

  @inlinable
  func stop() {
    link.take()?.dispose()
    // What a run that has ended by itself has left is kept for those who come late.
    if !replay.isEnding { replay.memory.removeAll() }
  }

  @usableFromInline
  override func updatePause() {
    let isPaused = memberCount > 0 ? pausedCount == memberCount : waitsForMember
    if isPaused { link?.pause() } else if !isAdding { link?.resume() }
  }
}
