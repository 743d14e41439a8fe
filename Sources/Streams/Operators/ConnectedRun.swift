/// The observers of a connectable stream, and the link to its source while it is connected.
@usableFromInline
final class ConnectedRun<Element, Failure: Error> {
  @usableFromInline let replay: ReplayTable<Element, Failure>
  /// Nobody's leaving ends it: whoever made it does.
  @usableFromInline let goesOnUnobserved: Bool
  @exclusivity(unchecked) @usableFromInline var link: Link?
  @exclusivity(unchecked) @usableFromInline var memberCount = 0
  @exclusivity(unchecked) @usableFromInline var pausedCount = 0
  @exclusivity(unchecked) @usableFromInline var waitsForMember = false

  @inlinable
  init(limit: Int, goesOnUnobserved: Bool = false) {
    replay = ReplayTable(limit: limit)
    self.goesOnUnobserved = goesOnUnobserved
  }

  /// Connects to `source` unless that has been done. `starter` belongs to the observer for which it is done: it cannot
  /// leave by itself while the source sends synchronously.
  @inlinable
  func start(_ source: Operation<Element, Failure>, for starter: Gate?) -> any Disposable {
    if let link, !link.isDisposed { return link }
    replay.memory.removeAll()
    let link = Link(downstream: nil)
    self.link = link
    updatePause()
    let isStarting = Cell(true)
    link.connect(
      source,
      next: { [self] element in
        replay.table.next(element)
        if isStarting.value, let starter, starter.isClosed, memberCount == 1 { starterDidLeave() }
      },
      termination: { [self] end in replay.table.terminate(end) })
    isStarting.value = false
    return link
  }

  @inlinable
  func add(_ observer: Observer<Element, Failure>) -> ConnectedMember<Element, Failure> {
    let member = ConnectedMember(of: self)
    memberCount += 1
    waitsForMember = false
    member.place = replay.subscribe(observer)
    updatePause()
    return member
  }

  @inlinable
  func memberDidLeave(wasPaused: Bool) {
    memberCount -= 1
    if wasPaused { pausedCount -= 1 }
    if memberCount == 0, !goesOnUnobserved { stop() } else { updatePause() }
  }

  @inlinable
  func memberDidPause(_ isPaused: Bool) {
    pausedCount += isPaused ? 1 : -1
    updatePause()
  }

  /// A source that emits without end before it returns has to be stopped here and now.
  @inlinable
  func starterDidLeave() {
    if goesOnUnobserved {
      waitsForMember = true
      link?.pause()
    } else {
      stop()
    }
  }

  @inlinable
  func stop() {
    link.take()?.dispose()
    // What a run that has ended by itself has left is kept for those who come late.
    if !replay.isTerminated { replay.memory.removeAll() }
  }

  @inlinable
  func updatePause() {
    let isPaused = memberCount > 0 ? pausedCount == memberCount : waitsForMember
    if isPaused { link?.pause() } else { link?.resume() }
  }
}

/// The place of one observer in a connected run that counts its observers.
@usableFromInline
final class ConnectedMember<Element, Failure: Error>: Disposable {
  @exclusivity(unchecked) @usableFromInline var run: ConnectedRun<Element, Failure>?
  @exclusivity(unchecked) @usableFromInline var place: any Disposable = NonDisposable()
  @exclusivity(unchecked) @usableFromInline var isPaused = false

  @inlinable
  init(of run: ConnectedRun<Element, Failure>) { self.run = run }

  @inlinable var isDisposed: Bool { run == nil }

  @inlinable
  func dispose() {
    guard let run else { return }
    self.run = nil
    place.dispose()
    run.memberDidLeave(wasPaused: isPaused)
  }

  @inlinable
  func pause() {
    if isPaused { return }
    isPaused = true
    run?.memberDidPause(true)
  }

  @inlinable
  func resume() {
    if !isPaused { return }
    isPaused = false
    run?.memberDidPause(false)
  }
}
