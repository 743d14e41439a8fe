extension StreamProtocol {
  /// One run of the stream for all its observers: the first starts it, the last to leave ends it.
  ///
  /// Observers get what is sent while they observe. After the end, and after the last observer has left, the next one
  /// starts the stream anew. What is sent from inside a delivery is delivered after it, to all observers in order.
  ///
  /// The source is paused while all observers pause.
  @inlinable
  public func share() -> Operation<Element, Failure> {
    let shared = Shared(source: toOperation())
    return Operation(unguarded: { observer in shared.subscribe(observer) })
  }
}

/// A stream and its present run, if it has one.
@usableFromInline
final class Shared<Element, Failure: Error> {
  @usableFromInline let source: Operation<Element, Failure>
  // Held by its members and by the source.
  @usableFromInline weak var run: SharedRun<Element, Failure>?

  @inlinable
  init(source: Operation<Element, Failure>) { self.source = source }

  @inlinable
  func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable {
    if let run { return run.add(observer) }
    let run = SharedRun(of: self)
    self.run = run
    let member = run.add(observer)
    run.start(source, member, observer.gate)
    return member
  }
}

/// One run of a shared stream.
///
/// Ownership: member ===> SharedRun ===> table, link ===> source's observer ===> SharedRun. Leaving cuts the link.
@usableFromInline
final class SharedRun<Element, Failure: Error> {
  @usableFromInline weak var shared: Shared<Element, Failure>?
  @usableFromInline let table = ObserverTable<Element, Failure>()
  @usableFromInline let link = Link(downstream: nil)
  @usableFromInline var memberCount = 0
  @usableFromInline var pausedCount = 0
  /// The observer that starts the run, while the source is being observed: it cannot leave by itself yet.
  @usableFromInline var starter: (member: SharedMember<Element, Failure>, gate: Gate)?

  @inlinable
  init(of shared: Shared<Element, Failure>) { self.shared = shared }

  @inlinable
  func add(_ observer: Observer<Element, Failure>) -> SharedMember<Element, Failure> {
    let member = SharedMember(of: self, observer.gate, table.subscribe(observer))
    memberCount += 1
    updatePause()
    return member
  }

  @inlinable
  func start(_ source: Operation<Element, Failure>, _ member: SharedMember<Element, Failure>, _ gate: Gate) {
    starter = (member, gate)
    link.connect(
      source,
      next: { [self] element in
        table.next(element)
        if let starter, starter.gate.isClosed { starter.member.dispose() }
      },
      termination: { [self] end in
        leave()
        table.terminate(end)
      })
    starter = nil
  }

  @inlinable
  func leave() {
    if let shared, shared.run === self { shared.run = nil }
    link.dispose()
    starter = nil
  }

  @inlinable
  func memberDidLeave(wasPaused: Bool) {
    memberCount -= 1
    if wasPaused { pausedCount -= 1 }
    if memberCount == 0 { leave() } else { updatePause() }
  }

  @inlinable
  func memberDidPause(_ isPaused: Bool) {
    pausedCount += isPaused ? 1 : -1
    updatePause()
  }

  @inlinable
  func updatePause() {
    if memberCount > 0, pausedCount == memberCount { link.pause() } else { link.resume() }
  }
}

/// The place of one observer in a shared run.
@usableFromInline
final class SharedMember<Element, Failure: Error>: Disposable {
  @usableFromInline var run: SharedRun<Element, Failure>?
  @usableFromInline let place: any Disposable
  @usableFromInline let gate: Gate
  @usableFromInline var isPaused = false

  @inlinable
  init(of run: SharedRun<Element, Failure>, _ gate: Gate, _ place: any Disposable) {
    self.run = run
    self.gate = gate
    self.place = place
  }

  @usableFromInline var isDisposed: Bool { run == nil || place.isDisposed }

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
