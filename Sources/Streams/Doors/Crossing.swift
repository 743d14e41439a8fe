import DequeModule

extension StreamProtocol where Element: Sendable {
  /// Moves the consuming side to another domain: the source stays here, `consume` builds the rest of the chain there.
  ///
  /// ```swift
  /// let queue = Queue(label: "disk")
  /// ticks.observe(on: queue) { ticks, bag in
  ///   ticks.map { "tick \($0)" }.observeNext { print($0) }.dispose(in: bag)
  /// }.dispose(in: bag)
  /// ```
  ///
  /// - `consume` runs once, at `home`. The stream it gets is hot and lives there: it delivers what the source sends, in
  ///   order, in batches, then the end, to those who observe it then. That all of them leave does not end the source.
  /// - The bag it gets belongs to `home`. It is disposed there when what is returned has been disposed of, or when the end
  ///   has been delivered and the subscriptions and bindings in the bag have ended: what they hold is delivered before. They
  ///   may lie in bags, composites, and serial disposables. Other disposables in the bag are not waited for.
  /// - When `capacity` elements wait between the two the source is paused, until half of them have gone. While all
  ///   observers over there pause nothing is taken from what waits, so it fills up. One that cannot wait makes it grow, which is reported once through `Diagnostics`. Nothing is dropped.
  /// - When `home` has closed, or closes, the source is disposed of. A source that goes without an end completes over
  ///   there, and so does one whose own loop closes.
  /// - After `dispose()` what waits is dropped, and no end is delivered; a batch that is being delivered over there at that
  ///   moment is.
  ///
  /// Observe it on a loop's thread, on the main actor or in an actor. Cost: two locks for each element, one wake-up for
  /// each batch.
  ///
  /// - Parameters:
  ///   - home: a queue, or the mailbox of another domain.
  ///   - capacity: at least 1.
  ///   - isolation: the actor that observes, where it has no loop. Leave it out.
  ///   - consume: Runs at `home`, once, with the stream and a bag that ends with it.
  /// - Returns: what ends it: the source, and the far side.
  public func observe(
    on home: any Mailbox, capacity: Int = BacklogBound.crossing, isolation: (any Actor)? = #isolation,
    _ consume: sending @escaping (Operation<Element, Failure>, DisposeBag) -> Void
  ) -> any Disposable {
    if capacity < 1 { misuse("observe(on:capacity: \(capacity)): at least one element waits between the two.") }
    guard let here = Home.current(isolation).mailbox else {
      misuse(
        """
        observe(on:_:) is used where nothing can be sent back to: use it on a loop's thread, on the main actor or in an \
        actor.
        """)
    }
    let crossing = Crossing<Element, Failure>(from: here, to: home, capacity, consume)
    if crossing.isDisposed { return crossing }
    let connect = { crossing.connect(self) }
    if let isolation { withIsolation(isolation, connect) } else { connect() }
    return crossing
  }
}

/// The near side of a stream that is consumed in another domain.
///
/// Ownership: what is returned, and the source's observer ===> Crossing ===> link ===> upstream ===> that observer;
/// Crossing ===> Confined ===> FarSide ===> bag. The near side may go before the far one has delivered the end, which
/// then holds itself until it has.
private final class Crossing<Element: Sendable, Failure: Error>: EndNotifying, ClosingObserver {
  private let inlet: Inlet<Element>
  private let backlog: Backlog
  private let failure = Lock<Failure?>(nil)
  /// Keeps the loop of the near side running until the far side has delivered the end.
  private let keepAlive: any Disposable
  /// The inlet has asked to wait.
  private let isFull = Lock(false)
  private var far: Confined<FarSide>?
  @exclusivity(unchecked) private var waiting = Deque<Element>()
  private var sourceHasEnded = false
  private var isPaused = false
  private(set) var isDisposed = false
  private var isWatched = false
  /// Until what waits has been sent: a source that has ended holds nothing any more.
  private var keep: Crossing?

  init(
    from here: any Mailbox, to home: any Mailbox, _ capacity: Int,
    _ consume: sending @escaping (Operation<Element, Failure>, DisposeBag) -> Void
  ) {
    keepAlive = here.keepAlive(for: "a stream that another queue observes")
    inlet = Inlet(capacity: capacity, whenFull: .dropNewest, from: here)
    let source = NotifyingSubscription(downstream: nil)
    backlog = Backlog(source, bound: capacity, name: "observe(on:_:)")
    let far = Confined(at: home) {
      let far = FarSide()
      (HomeThread.mailbox as? any ClosingMailbox)?.notifyOfClosing(far)
      return far
    }
    self.far = far
    // A source that is deallocated without an end completes the stream on the far side.
    source.onVanish = { [weak self] in self?.terminate(.completed) }
    let near = Confined(WeakCrossing(self, keepAlive), here: here)
    inlet.onPressure(high: capacity) { [isFull] pressure in
      isFull.withLock { $0 = pressure == .high }
      if pressure == .low { near.async { $0.crossing?.flush() } }
    }
    // Whoever finds out that the far side has closed, and whether or not the source waits.
    inlet.onClose { near.async { $0.crossing?.dispose() } }
    // Not the inlet itself: where the near side goes without an end, its inlet goes with it and completes the stream.
    let (core, failure, consume) = (inlet.core, failure, Transfer(consume))
    let isOpen = far.async { far in
      let ending = { (observer: Observer<Element, Failure>) in
        core.subscribe(
          Observer(
            for: observer.subscription, next: observer.onNext,
            termination: { _ in
              observer.onTermination(failure.withLock { $0 }.map { .failed($0) } ?? .completed)
            }))
      }
      far.onFinish = { near.async { $0.didFinish() } }
      consume.value(Operation(unguarded: ending), far.bag)
      core.reportIfUnobserved(
        """
        observe(on:_:) delivers nothing: when its closure has returned there is no observer. Observe the stream in the \
        closure, and put the subscription into the bag that the closure gets: a bag of its own ends with it.
        """)
      // Whoever observes: after the end the bag goes, when all have been told.
      far.place = core.subscribe(
        Observer(
          for: Subscription(downstream: nil), next: { _ in }, termination: { [weak far] _ in far?.sourceDidEnd(home) }),
        isCounted: false)
    }
    if !isOpen { dispose() }
    (HomeThread.mailbox as? any ClosingMailbox)?.notifyOfClosing(self)
  }

  /// The near side closes: what has been sent is still delivered over there, and then the end.
  func homeWillClose() {
    if isDisposed { return }
    end()
    inlet.core.finish(after: &waiting)
    inlet.core.drop(&waiting)
    let far = far.take()
    // A far side in the same loop closes with it.
    if far?.async({ $0.holdUntilFinished() }) == false { far?.whereClosing { $0.homeWillClose() } }
  }

  func connect<Source: StreamProtocol>(_ source: Source) where Source.Element == Element, Source.Failure == Failure {
    backlog.link.connect(source, next: { self.next($0) }, termination: { self.terminate($0) })
  }

  private func next(_ element: Element) {
    if isDisposed { return }
    if !waiting.isEmpty || !inlet.send(element) {
      waiting.append(element)
      if inlet.isClosed { return dispose() }
      backlog.didGrow(to: waiting.count)
    }
    update()
  }

  private func terminate(_ end: Termination<Failure>) {
    if case .failed(let error) = end { failure.withLock { $0 = error } }
    sourceHasEnded = true
    keep = self
    flush()
  }

  private func flush() {
    if isDisposed { return }
    while !waiting.isEmpty, inlet.send(waiting[0]) {
      waiting.removeFirst()
      backlog.didShrink(to: waiting.count)
      if isDisposed { return }
    }
    if inlet.isClosed { return dispose() }
    if sourceHasEnded, waiting.isEmpty {
      inlet.finish()
      keep = nil
    }
    update()
  }

  private func update() {
    if isPaused || !waiting.isEmpty || isFull.withLock({ $0 }) { backlog.hold() } else { backlog.release() }
  }

  fileprivate func didFinish() {
    if isDisposed { return }
    end()
    far = nil
  }

  private func end() {
    isDisposed = true
    keepAlive.dispose()
    backlog.link.dispose()
    keep = nil
    if isWatched { EndWatch.somethingEnded() }
  }

  var hasEnded: Bool { isDisposed }

  func watch() { isWatched = true }

  /// Nobody has disposed of it: what has been sent is still to be delivered over there, and the end.
  deinit {
    far?.async { $0.holdUntilFinished() }
    if isWatched { EndWatch.somethingEnded() }
  }

  func dispose() {
    if isDisposed { return }
    end()
    inlet.cancel()
    far.take()?.async { $0.finish() }
    // Not disposed of here: the call that sends the last of them may still refer to it.
    inlet.core.drop(&waiting)
  }

  func pause() {
    isPaused = true
    update()
  }

  func resume() {
    isPaused = false
    update()
  }

  /// What the inlet's marks hold.
  private final class WeakCrossing {
    weak var crossing: Crossing?
    // The crossing itself may be released before the far side has delivered the end.
    private let keepAlive: any Disposable

    init(_ crossing: Crossing, _ keepAlive: any Disposable) {
      self.crossing = crossing
      self.keepAlive = keepAlive
    }

    func didFinish() {
      keepAlive.dispose()
      crossing?.didFinish()
    }
  }
}

/// The far side: the bag, which goes when the near side is disposed of, or when the end has been delivered and what is in the
/// bag has ended.
private final class FarSide: ClosingObserver {
  let bag = DisposeBag()
  var onFinish: (() -> Void)?
  /// Among the observers of the stream.
  var place: (any Disposable)?
  private var keep: FarSide?
  private var isFinishing = false
  private var isFinished = false
  private var hasSourceEnded = false

  func holdUntilFinished() { if !isFinished { keep = self } }

  /// Nothing is delivered any more. The inlet, which is notified as well, ends the near side.
  func homeWillClose() {
    onFinish = nil
    finish()
  }

  func finish() {
    if isFinished { return }
    isFinished = true
    keep = nil
    if hasSourceEnded { EndWatch.remove(self) }
    if hasSourceEnded, bag.hasEnded { bag.disposeOfTheRest() } else { bag.dispose() }
    place.take()?.dispose()
    onFinish.take()?()
  }

  /// Everybody has received the end. Operators may hold elements still, or have other sources.
  func sourceDidEnd(_ home: any Mailbox) {
    hasSourceEnded = true
    bag.watch()
    let far = Transfer(WeakFarSide(self))
    EndWatch.add(self, at: home) { far.value.side?.look(home) }
    look(home)
  }

  private func look(_ home: any Mailbox) { if !isFinished, bag.hasEnded { finishLater(at: home) } }

  private func finishLater(at home: any Mailbox) {
    if isFinishing { return }
    isFinishing = true
    let far = Transfer(self)
    home.post {
      far.value.isFinishing = false
      // The observer of an end may have put another subscription into the bag.
      if far.value.bag.hasEnded { far.value.finish() }
    }
  }

  deinit { if hasSourceEnded, !isFinished { EndWatch.remove(self) } }

  private final class WeakFarSide {
    weak var side: FarSide?

    init(_ side: FarSide) { self.side = side }
  }
}
