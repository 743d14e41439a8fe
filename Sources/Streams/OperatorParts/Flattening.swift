public import DequeModule

/// The state of an operator that flattens: the outer stream, the inner streams that run, and the pending elements.
///
/// Ownership: Flattening ===> exit ===> downstream; Flattening ===> outer link, inner links ===> upstreams ===> their observers ===>
/// Flattening. `dispose()` cuts the links.
@usableFromInline
final class Flattening<Outer, Inner: StreamProtocol>: OperatorState {
  @usableFromInline let exit: SerializedSubscription<Inner.Element, Inner.Failure>
  @usableFromInline let strategy: FlattenStrategy
  @usableFromInline let backlog: Backlog
  @exclusivity(unchecked) @usableFromInline var transform: ((Outer) -> Inner)?
  @exclusivity(unchecked) @usableFromInline var running: [InnerSubscription<Outer, Inner>] = []
  @exclusivity(unchecked) @usableFromInline var waiting = Deque<Outer>()
  @exclusivity(unchecked) @usableFromInline var hasOuterEnded = false
  /// True while a loop further down the stack starts inner streams, so that synchronous ones do not recurse.
  @exclusivity(unchecked) @usableFromInline var isStarting = false

  @inlinable
  init(
    _ observer: Observer<Inner.Element, Inner.Failure>, _ strategy: FlattenStrategy,
    name: StaticString? = "flatMap(.concat)", _ transform: @escaping (Outer) -> Inner
  ) {
    exit = SerializedSubscription(observer)
    self.strategy = strategy
    self.transform = transform
    backlog = Backlog(Subscription(downstream: exit), .standard, name: name)
    exit.attach(self)
  }

  /// Pending elements still run, unless inner streams that have vanished take up the limit.
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
    // The user's closure can have ended the subscription.
    if exit.isDisposed { return }
    let link = InnerSubscription(self, index: running.count)
    running.append(link)
    if backlog.isHeld { link.pause() }
    let observer: Observer<Inner.Element, Inner.Failure> =
      if strategy.races {
        Observer(
          for: link,
          next: { [exit] in if link.owner?.wins(link) == true { exit.next($0) } else { Untaken.drop($0) } },
          termination: { if link.owner?.wins(link) == true { link.owner?.end(link, $0) } })
      } else {
        Observer(for: link, next: { [exit] in exit.next($0) }, termination: { link.owner?.end(link, $0) })
      }
    link.attach(stream.subscribe(observer))
  }

  /// Returns true for the first inner stream that sends, and disposes the others and the outer stream.
  @usableFromInline
  func wins(_ link: InnerSubscription<Outer, Inner>) -> Bool {
    if link.isDisposed { return false }
    if transform == nil, running.count == 1 { return true }
    let losers = running
    link.index = 0
    running = [link]
    hasOuterEnded = true
    transform = nil
    end(losers.filter { $0 !== link })
    return !link.isDisposed
  }

  @inlinable
  func end(_ link: InnerSubscription<Outer, Inner>, _ end: Termination<Inner.Failure>) {
    if link.isDisposed || link.owner == nil { return }
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

  /// Starts pending elements within the limit, and completes if nothing is left.
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
      // No further inner stream is created.
      transform = nil
      if running.isEmpty { finish(.completed) }
    }
    exit.checkVanished()
  }

  // MARK: The end

  @usableFromInline
  func dispose() {
    let links = running
    running = []
    transform = nil
    end(links)
    // Last, because disposing the pending elements can run any code.
    Untaken.disposeAll(&waiting)
  }

  /// Disposes the outer stream and inner streams that no longer run.
  private func end(_ links: [InnerSubscription<Outer, Inner>]) {
    // First, because disposing one stream can make another one send or end, which must do nothing more here.
    for link in links { link.owner = nil }
    backlog.link.dispose()
    for link in links { link.dispose() }
  }

  @usableFromInline
  func pause() {
    backlog.hold()
    for link in running { link.pause() }
  }

  @usableFromInline
  func resume() {
    // Resuming can deliver, and a delivery can end streams, start others, and pause again.
    let links = running
    backlog.release()
    for link in links where !backlog.isHeld { link.resume() }
    if !backlog.isHeld { advance() }
  }
}

/// The subscription to an inner stream, with its index among those that run.
@usableFromInline
final class InnerSubscription<Outer, Inner: StreamProtocol>: Subscription {
  /// Nil after the inner stream has vanished, and before it is disposed because of another one. A vanished stream still counts as
  /// running, but must not retain the owner.
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
    withExtendedLifetime(owner) {}
  }
}
