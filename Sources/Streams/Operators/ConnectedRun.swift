/// The observers of a connectable stream, and the link to its source while it is connected.
final class ConnectedRun<Element, Failure: Error> {
  let replay: ReplayTable<Element, Failure>
  /// Nobody's leaving ends it: whoever made it does.
  private let goesOnUnobserved: Bool
  private var link: Link?
  private var memberCount = 0
  private var pausedCount = 0
  private var waitsForMember = false

  init(limit: Int, goesOnUnobserved: Bool = false) {
    replay = ReplayTable(limit: limit)
    self.goesOnUnobserved = goesOnUnobserved
  }

  /// Connects to `source` unless that has been done. `starter` belongs to the observer for which it is done: it cannot
  /// leave by itself while the source sends synchronously.
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

  func add(_ observer: Observer<Element, Failure>) -> ConnectedMember<Element, Failure> {
    let member = ConnectedMember(of: self)
    memberCount += 1
    waitsForMember = false
    member.place = replay.subscribe(observer)
    updatePause()
    return member
  }

  func memberDidLeave(wasPaused: Bool) {
    memberCount -= 1
    if wasPaused { pausedCount -= 1 }
    if memberCount == 0, !goesOnUnobserved { stop() } else { updatePause() }
  }

  func memberDidPause(_ isPaused: Bool) {
    pausedCount += isPaused ? 1 : -1
    updatePause()
  }

  /// A source that emits without end before it returns has to be stopped here and now.
  private func starterDidLeave() {
    if goesOnUnobserved {
      waitsForMember = true
      link?.pause()
    } else {
      stop()
    }
  }

  private func stop() {
    link.take()?.dispose()
    // What a run that has ended by itself has left is kept for those who come late.
    if !replay.isTerminated { replay.memory.removeAll() }
  }

  private func updatePause() {
    let isPaused = memberCount > 0 ? pausedCount == memberCount : waitsForMember
    if isPaused { link?.pause() } else { link?.resume() }
  }
}

/// The place of one observer in a connected run that counts its observers.
final class ConnectedMember<Element, Failure: Error>: Disposable {
  private var run: ConnectedRun<Element, Failure>?
  var place: any Disposable = NonDisposable()
  private var isPaused = false

  init(of run: ConnectedRun<Element, Failure>) { self.run = run }

  var isDisposed: Bool { run == nil }

  func dispose() {
    guard let run else { return }
    self.run = nil
    place.dispose()
    run.memberDidLeave(wasPaused: isPaused)
  }

  func pause() {
    if isPaused { return }
    isPaused = true
    run?.memberDidPause(true)
  }

  func resume() {
    if !isPaused { return }
    isPaused = false
    run?.memberDidPause(false)
  }
}
