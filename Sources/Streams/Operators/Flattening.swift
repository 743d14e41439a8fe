public import DequeModule

/// The state of an operator that flattens: the outer stream, the inner streams that run, what waits for its turn.
///
/// Ownership: Flattening ===> exit ===> downstream; Flattening ===> outer link, inner links ===> upstreams ===> their
/// observers ===> Flattening. `stop()` cuts the links.
@usableFromInline
final class Flattening<Outer, Inner: StreamProtocol>: OperatorState {
  @usableFromInline let exit: SerializedSubscription<Inner.Element, Inner.Failure>
  @usableFromInline let strategy: FlattenStrategy
  @usableFromInline let backlog: Backlog
  @exclusivity(unchecked) @usableFromInline var transform: ((Outer) -> Inner)?
  @exclusivity(unchecked) @usableFromInline var running: [InnerSubscription<Outer, Inner>] = []
  @exclusivity(unchecked) @usableFromInline var waiting = Deque<Outer>()
  @exclusivity(unchecked) @usableFromInline var hasOuterEnded = false
  /// A loop further down the stack starts what waits: synchronous inner streams do not recurse.
  @exclusivity(unchecked) @usableFromInline var isStarting = false

  @inlinable
  init(
    _ observer: Observer<Inner.Element, Inner.Failure>, _ strategy: FlattenStrategy,
    _ transform: @escaping (Outer) -> Inner
  ) {
    exit = SerializedSubscription(observer)
    self.strategy = strategy
    self.transform = transform
    backlog = Backlog(Subscription(downstream: exit), bound: BacklogBound.concat, name: "flatMap(.concat)")
    exit.attach(self)
  }

  /// What waits is still to be run, unless streams that have gone without an end keep the places.
  @usableFromInline
  var isOver: Bool {
    (hasOuterEnded || backlog.link.isOver) && running.allSatisfy { $0.isOver }
      && (waiting.isEmpty || running.count >= strategy.limit)
  }

  // MARK: The outer stream

  @inlinable
  func next(_ element: Outer) {
    if strategy.replaces {
      running.popLast()?.dispose()
      start(element)
    } else if strategy.limit == .max {
      start(element)
    } else if strategy.drops {
      if isStarting || !running.isEmpty { return }
      isStarting = true
      start(element)
      isStarting = false
      advance()
    } else if isStarting || running.count >= strategy.limit || backlog.isHeld || !waiting.isEmpty {
      waiting.append(element)
      backlog.didGrow(to: waiting.count)
    } else {
      isStarting = true
      start(element)
      isStarting = false
      advance()
    }
  }

  @inlinable
  func terminate(_ end: Termination<Inner.Failure>) {
    switch end {
    case .failed: finish(end)
    case .completed:
      hasOuterEnded = true
      advance()
    }
  }

  // MARK: Inner streams

  @inlinable
  func start(_ element: Outer) {
    guard let transform, !exit.isDisposed else { return }
    let stream = transform(element)
    // The closure is the user's: it may have disposed of everything.
    if exit.isDisposed { return }
    let link = InnerSubscription(self, index: running.count)
    running.append(link)
    if backlog.isHeld { link.pause() }
    let observer: Observer<Inner.Element, Inner.Failure> =
      if strategy.races {
        Observer(
          for: link, next: { if link.owner?.wins(link) == true { link.owner?.exit.next($0) } },
          termination: { if link.owner?.wins(link) == true { link.owner?.end(link, $0) } })
      } else {
        Observer(for: link, next: { [exit] in exit.next($0) }, termination: { link.owner?.end(link, $0) })
      }
    link.attach(stream.subscribe(observer))
  }

  /// True for the first inner stream that sends; the others and the outer stream are disposed of then.
  @usableFromInline
  func wins(_ link: InnerSubscription<Outer, Inner>) -> Bool {
    if link.isDisposed { return false }
    if transform == nil, running.count == 1 { return true }
    let losers = running
    link.index = 0
    running = [link]
    hasOuterEnded = true
    transform = nil
    backlog.link.dispose()
    for loser in losers where loser !== link { loser.dispose() }
    return !link.isDisposed
  }

  @inlinable
  func end(_ link: InnerSubscription<Outer, Inner>, _ end: Termination<Inner.Failure>) {
    if link.isDisposed { return }
    if case .failed = end {
      finish(end)
      return
    }
    let last = running.removeLast()
    if last !== link {
      last.index = link.index
      running[link.index] = last
    }
    link.dispose()
    advance()
  }

  /// Starts what waits and may run; completes when nothing is left.
  @inlinable
  func advance() {
    if isStarting { return }
    if !waiting.isEmpty {
      isStarting = true
      while running.count < strategy.limit, !backlog.isHeld, !exit.isDisposed, let element = waiting.popFirst() {
        start(element)
        backlog.didShrink(to: waiting.count)
      }
      isStarting = false
    }
    if hasOuterEnded, waiting.isEmpty {
      // No inner stream will be made any more.
      transform = nil
      if running.isEmpty { finish(.completed) }
    }
    exit.checkVanished()
  }

  // MARK: The end

  @usableFromInline
  func dispose() {
    backlog.link.dispose()
    let links = running
    running = []
    transform = nil
    for link in links { link.dispose() }
    // When nothing more arrives: disposing of what waits may run anything.
    Untaken.disposeAll(&waiting)
  }

  @usableFromInline
  func pause() {
    backlog.hold()
    for link in running { link.pause() }
  }

  @usableFromInline
  func resume() {
    // Resuming may deliver, and a delivery may end streams, start others and pause again.
    let links = running
    backlog.release()
    for link in links where !backlog.isHeld { link.resume() }
    if !backlog.isHeld { advance() }
  }
}

/// The subscription to an inner stream; it knows its place among those that run.
@usableFromInline
final class InnerSubscription<Outer, Inner: StreamProtocol>: Subscription {
  /// nil when its stream has gone without an end: it counts as running for ever, but must not keep the owner.
  @exclusivity(unchecked) @usableFromInline var owner: Flattening<Outer, Inner>?
  @exclusivity(unchecked) @usableFromInline var index: Int

  @inlinable
  init(_ owner: Flattening<Outer, Inner>, index: Int) {
    self.owner = owner
    self.index = index
    super.init(downstream: owner.exit)
  }

  @usableFromInline
  override func sourceDidVanish() {
    let owner = owner.take()
    super.sourceDidVanish()
    _ = consume owner
  }
}
