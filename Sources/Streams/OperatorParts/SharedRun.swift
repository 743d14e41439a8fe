/// One run of a stream for all its observers: the observers, and the link to the source while it runs.
///
/// It is paused while all observers are paused. A synchronous source sends inside the call that starts or resumes it. The observer for
/// which this happens cannot leave or pause through its member, which was not returned yet. So its subscription is checked after
/// each element.
@usableFromInline
final class SharedRun<Element, Failure: Error> {
  @usableFromInline let table: ObserverTable<Element, Failure>
  /// True if the run continues without observers, until its owner ends it.
  @usableFromInline let goesOnUnobserved: Bool
  /// Runs before the observers receive the end.
  @usableFromInline var willEnd: ((Termination<Failure>) -> Void)?
  /// Runs when the run is over and no observer receives an end: the source was deallocated, or the last observer has left during a
  /// delivery.
  @usableFromInline var didEndUnheard: (() -> Void)?
  @exclusivity(unchecked) @usableFromInline var link: Subscription?
  @exclusivity(unchecked) @usableFromInline var hasEnded = false
  /// True if `connect()` has returned the current link.
  @exclusivity(unchecked) @usableFromInline var isConnected = false
  @exclusivity(unchecked) @usableFromInline var memberCount = 0
  @exclusivity(unchecked) @usableFromInline var pausedCount = 0
  /// The innermost member that is being added or starts the run.
  @exclusivity(unchecked) @usableFromInline var entering: RunMember<Element, Failure>?
  /// The members that were added while another one is entering. The disposal of a chain whose call of `observe` has not returned
  /// reaches them only through their subscriptions.
  @exclusivity(unchecked) @usableFromInline var nested: [RunMember<Element, Failure>] = []
  /// True while a member is added and receives old elements. A resume is then postponed.
  @exclusivity(unchecked) @usableFromInline var isAdding = false
  @exclusivity(unchecked) @usableFromInline var waitsForMember = false
  /// The member that decides alone whether the source is paused, until it leaves. For `groupBy`.
  @exclusivity(unchecked) @usableFromInline weak var leader: RunMember<Element, Failure>?

  @inlinable
  init(replaying limit: Int, goesOnUnobserved: Bool = false) {
    table = ObserverTable(replaying: limit)
    self.goesOnUnobserved = goesOnUnobserved
  }

  // MARK: The source

  /// Connects to `source` unless it is connected, for the member `starter`, or for `connect()` if that is nil.
  @inlinable
  func start(_ source: Operation<Element, Failure>, for starter: RunMember<Element, Failure>?) -> any Disposable {
    let isRunning = link.map { !$0.isOver || isEnding } ?? false
    isConnected = starter == nil || (isRunning && isConnected)
    if isRunning, let link {
      updatePause()
      return link
    }
    let link = NotifyingSubscription(downstream: nil, beforeUpstream: true) { [table, didEndUnheard, weak self] in
      self?.hasEnded = true
      // First, because an observer that subscribes while the others are released starts the next run.
      didEndUnheard?()
      // The elements of a run without an end are not replayed.
      table.forgettingElements { table.removeAll() }
    }
    #if DEBUG || Tracing
    link.isObserved(at: "a shared stream", 0)
    #endif
    self.link = link
    table.forgettingElements()
    // The deinit of an element can have ended the run.
    if link.isOver { return link }
    updatePause()
    if let starter { enter(starter) { connect(link, source) } } else { connect(link, source) }
    return link
  }

  @inlinable
  func connect(_ link: Subscription, _ source: Operation<Element, Failure>) {
    link.attach(
      source.subscribe(
        Observer(
          for: link,
          next: { [self] element in
            table.next(element)
            if entering != nil { followGates() }
          },
          termination: { [self] end in
            if link.flags & Subscription.disposedBit != 0 { return }
            // An observer that subscribes while the source is disposed neither starts the source in this run, nor ends with a later one.
            hasEnded = true
            willEnd?(end)
            link.dispose()
            table.terminate(end)
          })))
  }

  /// Forgets the elements of a run that a connection has ended, before the next run starts.
  @inlinable
  func forgetDisposedRun() {
    if let link, link.isDisposed, !isEnding { table.forgettingElements() }
  }

  /// True if the source has ended or vanished, also while its last elements and the end are delivered.
  @inlinable var isEnding: Bool { hasEnded || table.isEnding }

  /// True while a connection holds the run, so that the members neither pause nor end it.
  private var isHeld: Bool { isConnected && link?.isOver == false }

  @usableFromInline
  func stop() {
    let link = link.take()
    // The elements of a run that has ended by itself are kept for late observers.
    guard !isEnding else {
      link?.dispose()
      return
    }
    table.forgettingElements {
      // Elements that are queued in a running delivery must not reach the next run.
      if table.isDelivering, table.observerCount == 0 { didEndUnheard?() }
      link?.dispose()
    }
  }

  /// Pauses or resumes the link as the counts require.
  @usableFromInline
  func updatePause() {
    let isPaused: Bool
    if let leader, !leader.isLeft {
      isPaused = leader.isPaused
    } else {
      isPaused = !isHeld && (memberCount > 0 ? pausedCount == memberCount : waitsForMember)
    }
    if isPaused { link?.pause() } else if !isAdding { link?.resume() }
  }

  // MARK: Members

  /// Counts a member, and checks its subscription while it is added and while the source is resumed.
  @inlinable
  func add(_ observer: Observer<Element, Failure>) -> RunMember<Element, Failure> {
    add(observer.subscription) { table.replay(to: observer) }
  }

  /// Counts a member whose observer `subscribe` adds.
  @inlinable
  func add(_ subscription: Subscription, _ subscribe: () -> any Disposable) -> RunMember<Element, Failure> {
    waitsForMember = false
    let member = RunMember(of: self, subscription)
    memberCount += 1
    enter(member) {
      let wasAdding = isAdding
      isAdding = true
      let place = subscribe()
      isAdding = wasAdding
      if member.isLeft { place.dispose() } else { member.place = place }
      followGates()
      updatePause()
    }
    return member
  }

  @inlinable
  func enter(_ member: RunMember<Element, Failure>, _ body: () -> Void) {
    member.outer = entering
    entering = member
    body()
    followGates()
    entering = member.outer
    member.outer = nil
    if entering == nil {
      if !nested.isEmpty { nested = [] }
    } else if !member.isLeft {
      nested.append(member)
    }
  }

  /// Leaves and pauses for members that are being added, and for those that were added meanwhile.
  @usableFromInline
  func followGates() {
    var next = entering
    while let member = next {
      next = member.outer
      followGate(of: member)
    }
    if nested.isEmpty { return }
    nested.removeAll { $0.isLeft }
    for member in nested { followGate(of: member) }
  }

  private func followGate(of member: RunMember<Element, Failure>) {
    if member.isLeft { return }
    if member.subscription.isDisposed {
      // Stops a source that emits without an end before it returns.
      if goesOnUnobserved, memberCount == 1 { waitsForMember = true }
      member.dispose()
    } else if member.subscription.isPaused {
      member.pause()
    } else {
      member.resume()
    }
  }

  @usableFromInline
  func memberDidLeave(wasPaused: Bool) {
    memberCount -= 1
    if wasPaused { pausedCount -= 1 }
    if memberCount == 0, !goesOnUnobserved, !isHeld { stop() } else { updatePause() }
  }

  @usableFromInline
  func memberDidPause(_ isPaused: Bool) {
    pausedCount += isPaused ? 1 : -1
    updatePause()
  }
}

/// The membership of one observer in a run that counts its observers.
@usableFromInline
final class RunMember<Element, Failure: Error>: Disposable {
  @exclusivity(unchecked) @usableFromInline var run: SharedRun<Element, Failure>?
  @exclusivity(unchecked) @usableFromInline var place: any Disposable = .none
  @usableFromInline let subscription: Subscription
  /// The member that was entering before this one.
  @exclusivity(unchecked) @usableFromInline var outer: RunMember<Element, Failure>?
  @exclusivity(unchecked) @usableFromInline var isPaused = false

  @inlinable
  init(of run: SharedRun<Element, Failure>, _ subscription: Subscription) {
    self.run = run
    self.subscription = subscription
  }

  @inlinable var isLeft: Bool { run == nil }

  @usableFromInline var isDisposed: Bool { run == nil || place.isDisposed }

  @usableFromInline
  func dispose() {
    guard let run else { return }
    self.run = nil
    // A subscription whose source has vanished does not count as disposed.
    if place !== subscription || !subscription.isOver { place.dispose() }
    run.memberDidLeave(wasPaused: isPaused)
  }

  @usableFromInline
  func pause() {
    if isPaused { return }
    isPaused = true
    run?.memberDidPause(true)
  }

  @usableFromInline
  func resume() {
    if !isPaused { return }
    isPaused = false
    run?.memberDidPause(false)
  }
}
